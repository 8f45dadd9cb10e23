// Finding an example of the benchmark: a field with a list below it, by keyboard or pointer.

import { call } from "./api.js";
import { $, make } from "./dom.js";

const LIMIT = 20;
const TOPICS = ["prime", "continuous_on", "Fermat", "compact", "subgroup", "measure", "summable", "finite card"]; // to begin with
const input = $("#search"), list = $("#found");
let found = [], chosen = -1, pending = null, timer = 0;

export function startSearch(onChoose) {
  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
    chosen = -1;
  };
  const mark = (place) => {
    chosen = place;
    input.removeAttribute("aria-activedescendant");
    [...list.querySelectorAll('[role="option"]')].forEach((item, i) => {
      item.setAttribute("aria-selected", String(i === chosen));
      if (i !== chosen) return;
      item.scrollIntoView({ block: "nearest" });
      input.setAttribute("aria-activedescendant", item.id);
    });
  };
  const option = (i, onclick, ...content) => make("li", { role: "option", id: `found-${i}`, "aria-selected": "false", onpointerdown: (event) => event.preventDefault(), onclick }, ...content);
  const take = (chosenOne) => {
    if (chosenOne.topic) {
      input.value = chosenOne.topic;
      return void search();
    }
    close();
    input.value = "";
    input.blur();
    onChoose(chosenOne.id);
  };

  async function search() {
    pending?.abort();
    const mine = (pending = new AbortController());
    const about = (text) => list.replaceChildren(make("li", { class: "about", role: "presentation" }, text));
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    if (!input.value.trim()) {
      found = TOPICS.map((topic) => ({ topic }));
      list.replaceChildren(make("li", { class: "about", role: "presentation" }, "Words are looked for in theories, theorems, constants and ids. For example:"),
        ...found.map((each, i) => option(i, () => take(each), each.topic)));
      return void mark(-1);
    }
    try {
      const answer = await call(`/examples?${new URLSearchParams({ query: input.value.trim(), limit: LIMIT })}`, null, mine.signal);
      if (mine !== pending || document.activeElement !== input) return;
      found = answer.examples;
      if (!found.length) return void about("Nothing found. Words are looked for in theory and theorem names, constants and ids.");
      list.replaceChildren(
        ...found.map((example, i) => option(i, () => take(example), make("b", {}, example.goal), make("small", {}, [example.theory, example.name?.split(".").pop(), `${example.size} tokens`].filter(Boolean).join(" · ")))),
        make("li", { class: "about", role: "presentation" }, answer.total > found.length ? `${found.length} of ${answer.total.toLocaleString("en")} examples; more words narrow it down` : `${answer.total} found`));
      mark(0);
    } catch (error) {
      if (error.name !== "AbortError") about(`${error.title}: ${error.message}`);
    }
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    mark(-1); // Enter must not take what was found for other words
    timer = setTimeout(search, 160);
  });
  input.addEventListener("focus", search);
  input.addEventListener("blur", () => { pending?.abort(); clearTimeout(timer); close(); });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") mark(found.length ? (chosen + 1) % found.length : -1);
    else if (event.key === "ArrowUp") mark(found.length ? (chosen < 1 ? found.length : chosen) - 1 : -1);
    else if (event.key === "Enter" && found[chosen]) take(found[chosen]);
    else if (event.key === "Escape") { input.value = ""; input.blur(); }
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}

export async function randomExample() {
  const { total } = await call("/examples?limit=1");
  if (!total) return null;
  const { examples } = await call(`/examples?${new URLSearchParams({ limit: 1, offset: Math.floor(Math.random() * total) })}`);
  return examples[0]?.id ?? null;
}
