// Finding an example of the benchmark or a fact of the library: a field with a list below it, by keyboard or pointer.

import { call } from "./api.js";
import { $, make } from "./dom.js";

const EXAMPLES = 4, FACTS = 6;
const TOPICS = ["prime", "continuous_on", "Fermat", "compact", "subgroup", "measure", "summable", "finite card ≤"]; // to begin with
const input = $("#search"), list = $("#found");
let found = [], chosen = -1, pending = null, timer = 0;

export function startSearch(onExample, onFact, imports) {
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
    if (chosenOne.id) onExample(chosenOne.id);
    else onFact(chosenOne);
  };

  async function search() {
    pending?.abort();
    const mine = (pending = new AbortController());
    const about = (text) => list.replaceChildren(make("li", { class: "about", role: "presentation" }, text));
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    if (!input.value.trim()) {
      found = TOPICS.map((topic) => ({ topic }));
      list.replaceChildren(make("li", { class: "about", role: "presentation" }, "Words, constants or notation. For example:"),
        ...found.map((each, i) => option(i, () => take(each), each.topic)));
      return void mark(-1);
    }
    if (list.querySelector(".about.wait") === null) list.prepend(make("li", { class: "about wait", role: "presentation" }, "searching …"));
    const query = input.value.trim(), asked = new URLSearchParams({ query, limit: FACTS });
    for (const name of imports()) asked.append("imports", name);
    const both = await Promise.allSettled([
      call(`/examples?${new URLSearchParams({ query, limit: EXAMPLES })}`, null, mine.signal), call(`/facts?${asked}`, null, mine.signal)]);
    if (mine !== pending || document.activeElement !== input) return;
    const failed = both.find((each) => each.status === "rejected")?.reason;
    if (failed) return void (failed.name !== "AbortError" && about(`${failed.title}: ${failed.message}`));
    showFound(both[0].value, both[1].value);
  }

  function showFound({ examples, total }, { facts, total: all, constants }) {
    found = [...examples, ...facts];
    const head = (text) => make("li", { class: "about", role: "presentation" }, text);
    const rest = (shown, of) => (of > shown ? `, ${shown} of ${of.toLocaleString("en")}` : "");
    const example = (each, i) => option(i, () => take(each), make("b", {}, each.goal), make("small", {}, [each.theory, each.name?.split(".").pop(), `${each.size} tokens`].filter(Boolean).join(" · ")));
    const fact = (each, i) => option(examples.length + i, () => take(each), make("b", {}, each.text), make("small", {}, `${each.name}${each.imported ? "" : ` · imports ${each.theory}`}`));
    list.replaceChildren(
      ...(examples.length ? [head(`Examples to try${rest(examples.length, total)}`), ...examples.map(example)] : []),
      ...(facts.length ? [head(`Facts of the library, to use for the goal${rest(facts.length, all)}`), ...facts.map(fact)] : []),
      ...(found.length ? [] : [head("Nothing found. Write words of names, constants or notation: prime, card finite, ⊆")]),
      ...(constants ? [] : [head("The server has just started: of facts only names are searched so far.")]));
    mark(found.length ? 0 : -1);
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
