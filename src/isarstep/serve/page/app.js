// Brings the parts together: the problem, asking, accepting, undoing, copying, and the keyboard.

import { call, stream, Trouble, useToken } from "./api.js";
import { openAttention } from "./attention.js";
import { $, copyText, dialogs, formula, make } from "./dom.js";
import { randomExample, startSearch } from "./examples.js";
import { ProofView } from "./proof.js";
import { closed, Proof } from "./state.js";
import { StepsView } from "./steps.js";

const FIRST = ["2330ac770ab6", "24753799f8ff", "0ae2df4f9173"]; // short, and understood at once; any example will do where these are missing
const MOST_RETRIES = 3;
const SECONDS = 30; // for proposals and all their verdicts
const SKETCH_SECONDS = 60; // for a chain of steps; it ends as soon as one is closed

const proof = new Proof();
const proofView = new ProofView($("#proof"), proof, { changed, typed, ask, choose });
const stepsView = new StepsView($("#steps"), { accept, attend, copy: copyStep });
const status = $("#status"), trouble = $("#trouble"), compare = $("#compare"), progress = $("#progress");

let running = null; // the AbortController of the request under way
let asked = null; // {place, question} of the proposals that are shown
let uncovered = false; // is the original step shown?

// ---- what is said to the person ----

function say(text) {
  status.textContent = text;
}

function showProgress(share) {
  progress.classList.toggle("on", share !== null);
  progress.classList.toggle("wait", share === -1);
  $("i", progress).style.width = share === null || share < 0 ? "" : `${Math.round(100 * share)}%`;
  $("#stop").hidden = share === null;
}

function showTrouble(error, again) {
  if (error === null) {
    trouble.hidden = true;
    return;
  }
  if (error.code === "token") return void $("#token-dialog").showModal();
  const retry = error.again === false || !again ? null : make("button", { type: "button", onclick: () => { showTrouble(null); again(); } }, "Try again");
  trouble.replaceChildren(make("b", {}, error.title ?? "That did not work"), make("span", {}, error.message), retry ? make("div", {}, retry) : "");
  trouble.hidden = false;
  if (["unreachable", "broken", "stopping"].includes(error.code)) watchHealth();
}

function welcome() {
  stepsView.welcome(make("div", { class: "welcome" },
    make("p", {}, proof.now.goal.text ? "A problem is filled in. Press the blue button, and proposals for the missing step appear here." : "Write a fact and a goal, then press the blue button."),
    make("ol", {},
      make("li", {}, "The model proposes statements that lead from what is known to the goal."),
      make("li", {}, "Provers try both sides of each: do the facts give the step, does the step give the goal?"),
      make("li", {}, "Click one to accept it. The proof grows, and the next gap is asked about."))));
  say("");
}

// ---- the problem ----

let readTimer = 0, reader = null;
function read(delay = 0) {
  clearTimeout(readTimer);
  readTimer = setTimeout(async () => {
    reader?.abort();
    const mine = (reader = new AbortController());
    const { body, keys } = proof.reading();
    if (!body.goal) $("#isar-text").textContent = "";
    if (!body.goal && ![body.facts, body.others, body.extra].some((list) => list.length)) return void ($("#variables").textContent = "");
    try {
      const answer = await call("/read", body, mine.signal);
      if (mine !== reader) return;
      const readings = new Map();
      for (const name of ["facts", "others", "extra"]) answer[name]?.forEach((each, i) => readings.set(keys[name][i], each));
      if (answer.goal) readings.set(keys.goal, answer.goal);
      take(readings);
      showVariables(answer.types, answer.world, answer.notes);
      if (!answer.ok) return;
      readable = body;
      writeIsar();
    } catch (error) {
      if (error.name !== "AbortError" && mine === reader) showTrouble(error, () => read());
    }
  }, delay);
}

function take(readings) {
  let redraw = false;
  for (const [key, reading] of readings) {
    const statement = proof.find(key);
    if (!statement) continue;
    const error = reading.error ?? null;
    if (key !== proofView.editing) redraw ||= JSON.stringify(statement.error) !== JSON.stringify(error) || statement.mathml !== reading.mathml;
    Object.assign(statement, { mathml: reading.mathml, error });
  }
  proofView.refreshReadings(readings);
  if (redraw) proofView.render();
  showButtons();
}

function showVariables(types, world, notes) {
  const shown = Object.entries((proof.now.example && proof.now.origin.types) || types || {});
  $("#variables").replaceChildren(...(shown.length ? ["Variables: ", ...shown.flatMap(([name, type], i) => [i ? ", " : "", make("code", {}, `${name} :: ${type}`)]), ". "] : []), world ? `In ${world}. ` : "", ...(notes ?? []).map((note) => make("span", { class: "note" }, `${note}. `)));
}

function typed(key, text) {
  const before = proof.now.gaps.some(closed);
  proof.setText(key, text);
  ageIsar();
  if (before) {
    proofView.render(); // what provers said does not hold for the new text
    showBanner();
  }
  stepsView.stale();
  read(200);
  showButtons();
}

// Something in the proof is different: draw it and have it read; its Isar text follows when it could be read.
function changed() {
  proofView.render();
  const { origin, example, reference } = proof.now;
  $("#origin").replaceChildren(...(origin ? [`Example ${origin.id}${example ? "" : ", edited"} from ${origin.theory}${origin.name ? `, ${origin.name.split(".").pop()}` : ""}`] : ["Your own problem"]));
  const hash = example ? `#${example}` : "";
  if (location.hash !== hash) history.replaceState(null, "", hash || location.pathname);
  showCompare(reference);
  showButtons();
  showBanner();
  ageIsar();
  if (asked && JSON.stringify(proof.question(asked.place)) !== JSON.stringify(asked.question)) stepsView.stale();
  read();
}

function showButtons() {
  $("#undo").disabled = !proof.past.length;
  $("#redo").disabled = !proof.future.length;
  $("#ask").disabled = $("#sketch").disabled = !proof.ready;
}

function showBanner() {
  const banner = $("#banner");
  banner.hidden = !proof.complete;
  if (proof.complete) {
    banner.replaceChildren(make("b", {}, "Every gap is closed."), "Provers derived each step, and the goal, from what stands above it. Copy the proof as Isar text, or undo and look for another.");
  }
}

function showCompare(reference) {
  compare.hidden = !reference;
  if (!reference) return;
  compare.replaceChildren(make("span", {}, uncovered ? "The step of the original proof:" : "The original proof has a step here, too."),
    make("button", { type: "button", class: "small", "aria-expanded": String(uncovered), title: "show or hide (r)", onclick: uncover }, uncovered ? "hide it" : "show it"),
    uncovered ? formula(reference) : "");
}

function uncover() {
  uncovered = !uncovered;
  showCompare(proof.now.reference);
  $("button", compare)?.focus();
}

async function openExample(id) {
  stop();
  try {
    const example = await call(`/example/${encodeURIComponent(id)}`);
    if (!example.goal) throw new Trouble("It has no goal to work towards.", { title: "This example cannot be asked about", again: false });
    proof.load(example);
    asked = null;
    uncovered = false;
    showTrouble(null);
    welcome();
    changed();
    return true;
  } catch (error) {
    showTrouble(error, () => openExample(id));
    return false;
  }
}

async function surprise() {
  try {
    const id = await randomExample();
    if (id) await openExample(id);
  } catch (error) {
    showTrouble(error, surprise);
  }
}

function writeYourOwn() {
  stop();
  proof.clear();
  asked = null;
  showTrouble(null);
  welcome();
  changed();
  proofView.edit(proof.now.facts[0].key);
}

function choose(place) {
  proof.now.active = place;
  changed();
  ask();
}

// ---- asking ----

function stop() {
  running?.abort();
  running = null;
  showProgress(null);
}

// Run one request at a time; when the server is busy, wait as it says and try again a few times.
async function under(task, again) {
  stop();
  showTrouble(null);
  const mine = (running = new AbortController());
  showProgress(-1);
  for (let attempt = 0; ; attempt++) {
    try {
      await task(mine.signal);
      break;
    } catch (error) {
      if (error.name === "AbortError" || mine !== running) return false;
      if (error.code === "busy" && attempt < MOST_RETRIES) {
        const wait = Math.min(10, error.wait ?? 1 + attempt);
        say(`The server is busy. Trying again in ${wait} s …`);
        await new Promise((resolve) => setTimeout(resolve, 1000 * wait));
        if (mine !== running) return false;
        continue;
      }
      stop();
      stepsView.settle();
      say("");
      const field = error.field?.match(/^(facts|others|extra|goal)(?:\[(\d+)\])?/);
      if (field && (error.code === "syntax" || error.code === "type")) markField(field, error);
      showTrouble(error, again);
      return false;
    }
  }
  if (mine === running) stop();
  return true;
}

function markField([, name, place], error) {
  const { keys } = proof.reading(), key = name === "goal" ? keys.goal : keys[name]?.[Number(place)];
  const statement = key === undefined ? null : proof.find(key);
  if (!statement) return;
  statement.error = { message: error.message, position: error.position, end: error.end };
  proofView.render();
}

async function ask() {
  proofView.stopEditing(false);
  if (!proof.ready) return;
  const place = proof.now.active, question = proof.question(place);
  asked = { place, question };
  say(place < proof.now.steps.length ? `Asking about the gap before step ${place + 1} …` : "Asking …");
  stepsView.stale();
  let tried = 0, all = 0;
  await under((signal) => stream("/propose", { ...question, check: true, seconds: SECONDS }, signal, {
    steps: ({ steps, unknown }) => {
      stepsView.show(steps);
      all = 2 * steps.filter((step) => step.well_formed).length;
      const strange = unknown?.length ? ` The model does not know ${unknown.slice(0, 3).join(", ")}.` : "";
      say(steps.length ? `${steps.length} steps. Provers are at work.${strange}` : `The model has no step to propose.${strange}`);
      showProgress(0.05);
      if (matchMedia("(max-width: 62rem)").matches) $("#steps-panel").scrollIntoView({ behavior: "smooth" });
    },
    gap: (event) => {
      stepsView.gap(event);
      tried += 1;
      showProgress(Math.max(0.05, tried / Math.max(1, all)));
    },
    done: ({ order, seconds, finished }) => {
      stepsView.settle();
      if (stepsView.steps.length) stepsView.order(order);
      const both = stepsView.steps.filter((step) => step.sides === 2).length, one = stepsView.steps.filter((step) => step.sides === 1).length;
      const time = (value) => `${(value ?? 0).toFixed(1)} s`;
      if (stepsView.steps.length) say(`${stepsView.steps.length} steps in ${time(seconds.search)}; checked in ${time(seconds.check)}: ${both} proved on both sides, ${one} on one.${finished ? "" : " The time was up before all were tried."}`);
    },
  }), ask);
}

// Accept a proposal: it takes its place in the proof, its verdicts that are still missing are asked for, and so is the next gap.
function accept(step) {
  if (!asked) return;
  const { place, question } = asked;
  if (JSON.stringify(proof.question(place)) !== JSON.stringify(question)) {
    say("The proof has changed since these were proposed. Ask again first.");
    return;
  }
  stop();
  const key = proof.accept(step, place);
  changed();
  if (step.well_formed && (step.first === null || step.second === null)) settleLater(question, step, key);
  if (proof.complete) {
    finish();
    $("#copy").focus({ preventScroll: true });
  } else {
    ask();
    say("Step accepted. Asking about the next gap …");
    $("#steps").focus({ preventScroll: true });
  }
}

function finish() {
  stop();
  asked = null;
  stepsView.welcome(make("div", { class: "welcome" }, make("p", {}, "Nothing is open any more.")));
  say("Step accepted. Every gap is closed.");
}

async function settleLater(question, step, key) {
  try {
    const answer = await call("/check", { ...question, proposals: [step.text] });
    for (const side of ["first", "second"]) if (answer.steps[0]?.[side]) proof.settle(key, side, answer.steps[0][side]);
    proofView.render();
    showBanner();
    writeIsar();
    if (proof.complete) finish();
  } catch {
    // The gap stays open; asking about it will say what is wrong.
  }
}

async function sketch() {
  proofView.stopEditing(false);
  if (!proof.ready) return;
  const place = proof.now.active, question = proof.question(place);
  asked = null;
  say("Looking for a chain of steps …");
  stepsView.stale();
  const show = (plan, final) => {
    const steps = plan.steps.filter((each) => !each.goal), goal = plan.steps.find((each) => each.goal);
    const use = make("button", { type: "button", class: "primary", onclick: () => {
      stop();
      proof.acceptAll(steps, goal, place);
      changed();
      welcome();
      say(plan.closed ? "The sketch is in the proof; every gap in it is closed." : "The sketch is in the proof.");
    } }, steps.length ? "Use this sketch" : "Take it as proved");
    const title = plan.closed ? (steps.length ? "A closed chain" : "The goal follows from the facts at once") : final ? "The best chain found; not all of it is proved" : "The best chain so far";
    stepsView.welcome(make("div", { class: "plan" }, make("b", {}, title),
      make("ol", {}, ...plan.steps.map((each) => make("li", {}, formula(each), make("span", { class: `badge ${each.proved ? "yes" : ""}`, title: each.by?.text ?? "" }, each.proved ? `✓ ${each.by?.by ?? "proved"}` : "open")))),
      steps.length || plan.closed ? use : null));
  };
  await under((signal) => stream("/sketch", { ...question, seconds: SKETCH_SECONDS }, signal, {
    try: ({ tried, seconds }) => say(`${tried} proposals tried in ${seconds.toFixed(0)} s …`),
    sketch: (plan) => show(plan, false),
    done: (plan) => {
      show(plan, true);
      say(`${plan.tried} proposals tried in ${plan.seconds.toFixed(1)} s.`);
    },
  }), sketch);
}

function attend(step) {
  if (asked) openAttention(asked.question, step);
}

// ---- Isar text ----

let isarTimer = 0, writer = null, readable = null; // the last texts that could be read
const isarWaits = []; // who waits for the text to follow the proof
function ageIsar() {
  writer?.abort();
  $("#isar-text").classList.add("stale");
}
function writeIsar() {
  ageIsar();
  clearTimeout(isarTimer);
  isarTimer = setTimeout(async () => {
    const { gaps } = proof.now;
    if (!readable?.goal || gaps.length !== readable.extra.length + 1) return;
    const mine = (writer = new AbortController());
    try {
      const answer = await call("/isar", { ...readable, proved: gaps.map((gap) => (closed(gap) ? { by: gap.by, facts: gap.facts } : null)) }, mine.signal);
      if (mine !== writer) return;
      $("#isar-text").textContent = answer.isar;
      $("#isar-text").classList.remove("stale");
      isarWaits.splice(0).forEach((go) => go());
    } catch (error) {
      if (error.name !== "AbortError" && mine === writer) $("#isar-text").textContent = `(${error.title ?? "not available"}: ${error.message})`; // and it stays marked as not current
    }
  }, 60);
}

async function copyIsar() {
  const text = $("#isar-text");
  if (text.classList.contains("stale")) await new Promise((go) => { isarWaits.push(go); setTimeout(go, 4000); });
  if (text.classList.contains("stale")) return flash($("#copy"), "Not ready");
  await copyText(text.textContent);
  flash($("#copy"), "Copied");
}
async function copyStep(step, button) {
  await copyText(step.text);
  flash(button, "copied");
}
function flash(button, text) {
  const before = (button.dataset.name ??= button.textContent);
  button.textContent = text;
  setTimeout(() => (button.textContent = before), 1400);
}

function undo() {
  if (proofView.editing !== null) proofView.stopEditing(false);
  if (proof.undo()) afterTravel("Undone.");
}
function redo() {
  if (proof.redo()) afterTravel("Done again.");
}
function afterTravel(text) {
  stop();
  changed();
  if (!stepsView.list) welcome();
  const same = asked && JSON.stringify(proof.question(asked.place)) === JSON.stringify(asked.question);
  say(same || !stepsView.list ? text : `${text} Press the blue button for proposals about this gap.`);
  if (same) stepsView.settle();
}

// ---- the server's state ----

let healthTimer = 0;
async function watchHealth() {
  clearTimeout(healthTimer);
  try {
    const { status: state, model, provers, benchmark, token_required: guarded } = await call("/health");
    $("#health").className = `dot ${state === "ok" ? "up" : "down"}`;
    const tests = benchmark?.splits?.test;
    $("#server").textContent = [state === "ok" ? "connected" : state, `model ${model.name}`, provers.length ? `provers ${provers.map((each) => each.split(" ")[0]).join(", ")}` : "no provers", tests ? `${tests.toLocaleString("en")} test examples` : ""].filter(Boolean).join(" · ");
    return guarded;
  } catch {
    $("#health").className = "dot down";
    $("#server").textContent = "the server does not answer";
    healthTimer = setTimeout(watchHealth, 4000);
  }
  return false;
}

// ---- the keyboard ----

const KEYS = {
  u: undo, U: redo, c: copyIsar, r: () => proof.now.reference && uncover(), s: sketch, x: surprise, n: writeYourOwn, j: () => stepsView.move(1), k: () => stepsView.move(-1),
  ArrowDown: () => stepsView.move(1), ArrowUp: () => stepsView.move(-1), "/": () => $("#search").focus(), "?": () => $("#help-dialog").showModal(),
  a: () => { const step = stepsView.current() ?? stepsView.steps[0]; if (step) attend(step); },
  f: () => proofView.edit(proof.add("facts")), g: () => proofView.edit(proof.now.goal.key),
};

document.addEventListener("keydown", (event) => {
  if (dialogs().some((dialog) => dialog.open)) return;
  const writing = event.target.closest?.("textarea, input, select"), command = event.ctrlKey || event.metaKey;
  if (command && event.key === "Enter") { event.preventDefault(); return void ask(); }
  if (event.key === "Escape") return void (running && (stop(), stepsView.settle(), say("Stopped.")));
  if (writing || event.altKey) return;
  if (command) {
    if (event.key.toLowerCase() === "z") { event.preventDefault(); (event.shiftKey ? redo : undo)(); }
    if (event.key.toLowerCase() === "y") { event.preventDefault(); redo(); }
    return;
  }
  if (/^[1-9]$/.test(event.key)) {
    const step = stepsView.steps[Number(event.key) - 1];
    if (step) { event.preventDefault(); accept(step); }
    return;
  }
  const arrows = event.key.startsWith("Arrow");
  if (arrows && !stepsView.current()) return; // elsewhere arrows scroll
  const action = KEYS[event.key];
  if (action) { event.preventDefault(); action(); }
});

$("#ask").addEventListener("click", ask);
$("#sketch").addEventListener("click", sketch);
$("#stop").addEventListener("click", () => { stop(); stepsView.settle(); say("Stopped."); });
$("#undo").addEventListener("click", undo);
$("#redo").addEventListener("click", redo);
$("#copy").addEventListener("click", copyIsar);
$("#random").addEventListener("click", surprise);
$("#blank").addEventListener("click", writeYourOwn);
$("#help").addEventListener("click", () => $("#help-dialog").showModal());
$("#token-dialog").addEventListener("close", (event) => {
  if (event.target.returnValue !== "use") return showTrouble(new Trouble("Nothing can be asked without it.", { title: "This server asks for its token" }), start);
  useToken($("#token").value);
  start();
});
addEventListener("hashchange", () => {
  const id = location.hash.slice(1);
  if (/^[0-9a-f]{4,12}$/.test(id) && id !== proof.now.example) openExample(id);
});

// Open the example that the address names, else a first one.
async function start() {
  await watchHealth();
  const named = location.hash.slice(1);
  if (/^[0-9a-f]{4,12}$/.test(named)) {
    if (await openExample(named)) forgetPast();
    return;
  }
  for (const id of FIRST) {
    try {
      const example = await call(`/example/${id}`);
      proof.load(example);
      forgetPast();
      welcome();
      return changed();
    } catch (error) {
      if (error.code !== "not_found") return showTrouble(error, start);
    }
  }
  await surprise();
  forgetPast();
}

function forgetPast() {
  proof.past = [];
  showButtons();
}

startSearch(openExample);
if (matchMedia("(max-width: 62rem)").matches) $("#isar").open = false; // the proposals come first on a small screen
welcome();
start();
