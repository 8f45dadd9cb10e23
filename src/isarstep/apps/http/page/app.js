// Brings the parts together: the problem, asking, accepting, undoing, copying, and the keyboard.

import { call, stream, Trouble, useToken } from "./api.js";
import { openAttention } from "./attention.js";
import { ContextView, whyOpen } from "./context.js";
import { $, copyText, formula, make } from "./dom.js";
import { LEMMA } from "./editor.js";
import { randomExample, startSearch } from "./examples.js";
import { watchHealth } from "./health.js";
import { ageIsar, copyIsar, emptyIsar, flash, writeIsar } from "./isar.js";
import { fragment, keep, kept, problemOf } from "./keep.js";
import { startKeyboard } from "./keyboard.js";
import { ProofView } from "./proof.js";
import { closed, Proof, sharedOf } from "./state.js";
import { introduction, StepsView } from "./steps.js";

const FIRST = ["2585bb6c8e55", "e1125d0cba83"]; // short, and understood at once; any example will do where these are missing
const MOST_RETRIES = 3, LONGEST_WAIT = 300; // seconds
const SECONDS = 30; // for proposals and all their verdicts
const OWN_SECONDS = 1, OWN_BUDGET = 60; // of one prover's attempt at what a person wrote, and of all of them
const SKETCH_SECONDS = 60; // for a chain of steps; it ends as soon as one is closed

const proof = new Proof();
const proofView = new ProofView($("#proof"), proof, { changed, typed, ask, choose, tryGap, written, pasted: usePasted });
const stepsView = new StepsView($("#steps"), { accept, attend });
const contextView = new ContextView($("#context"), proof, { changed });
const status = $("#status"), trouble = $("#trouble"), compare = $("#compare"), progress = $("#progress");

let running = null; // the AbortController of the request under way
let opening = null; // the promise of another problem that is on its way
let uncovered = false; // is the original step shown?
let authority = "by provers, not by Isabelle's kernel"; // until the server says it itself
let goalNote = null; // what is known of the goal that was asked about last
let readable = null; // the last texts that could be read

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
  stepsView.welcome(introduction(Boolean(proof.now.goal.text)));
  say("");
}

// ---- the problem ----

let readTimer = 0, reader = null;
function read(delay = 0) {
  clearTimeout(readTimer);
  reader?.abort(); // what is said of an older text does not fit any more
  readTimer = setTimeout(async () => {
    const mine = (reader = new AbortController());
    const { body, keys } = proof.reading();
    if (!body.goal) emptyIsar();
    if (!body.goal && ![body.facts, body.others, body.extra].some((list) => list.length)) return void contextView.show(null);
    try {
      const answer = await call("/read", body, mine.signal);
      if (mine !== reader) return;
      const readings = new Map();
      for (const name of ["facts", "others", "extra"]) answer[name]?.forEach((each, i) => readings.set(keys[name][i], each));
      if (answer.goal) readings.set(keys.goal, answer.goal);
      take(readings);
      contextView.show(answer);
      authority = answer.authority;
      if (!answer.ok) return;
      readable = body;
      writeIsar(proof, readable);
    } catch (error) {
      if (error.name === "AbortError" || mine !== reader) return;
      if (/^(types|imports)/.test(error.field ?? "")) contextView.wrong(error.field, error.message);
      else showTrouble(error, () => read());
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

function typed(key, text) {
  const before = proof.now.gaps.some(closed);
  proof.setText(key, text);
  ageIsar();
  if (before) {
    proofView.render(); // what provers said does not hold for the new text
    showBanner();
  }
  stepsView.stale();
  keep(proof.now);
  read(200);
  showButtons();
}

// Something in the proof is different: draw it and have it read; its Isar text follows when it could be read.
function changed() {
  proofView.render();
  const { origin, example, reference } = proof.now;
  $("#origin").replaceChildren(...(origin ? [`Example ${origin.id}${example ? "" : ", edited"} from ${origin.theory}${origin.name ? `, ${origin.name.split(".").pop()}` : ""}`] : ["Your own problem"]));
  remember();
  showCompare(reference);
  showButtons();
  showBanner();
  ageIsar();
  stepsView.stale(!answersThis(stepsView.asked));
  read();
}

// Do proposals answer a question of the proof as it is now?
function answersThis(asked) {
  return asked !== null && JSON.stringify(proof.question(asked.place)) === JSON.stringify(asked.question);
}

// In this browser, and in the address, which can be sent.
function remember() {
  keep(proof.now);
  const hash = fragment(proof.shared);
  if (location.hash !== hash) history.replaceState(null, "", hash || location.pathname);
}

function showButtons() {
  $("#undo").disabled = !proof.past.length;
  $("#redo").disabled = !proof.future.length;
  $("#ask").disabled = $("#sketch").disabled = !proof.ready;
}

// When nothing is open any more the text of the proof and its button are what one sees.
function showBanner() {
  const banner = $("#banner"), { contradiction } = proof.now, done = proof.complete;
  banner.hidden = !done && !contradiction && !goalNote;
  banner.classList.toggle("warning", Boolean(contradiction) || (!done && Boolean(goalNote)));
  if (contradiction) banner.replaceChildren(make("b", {}, "The facts contradict each other."), `Everything follows from them, so a proof says nothing (${contradiction.text}).`);
  else if (!done && goalNote) banner.replaceChildren(make("b", {}, goalNote.title), ` ${goalNote.text}`);
  else if (done) banner.replaceChildren(make("b", {}, "Every gap is closed"), `${authority}.`);
  const place = done ? $("#finished") : $("#isar-place");
  if ($("#isar").parentElement !== place) {
    place.append($("#isar"));
    if (done) $("#isar").open = true;
  }
  $("#finished").hidden = !done;
  $(".actions").hidden = done;
  $("#steps-title").textContent = done ? "The proof as text" : "Proposed steps";
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

// Another problem takes the place of this one: what was under way ends, and what is still on its way is not wanted any more.
function begin(change) {
  stop();
  opening = null;
  uncovered = false;
  showTrouble(null);
  change();
  welcome();
  changed();
}

// The same for a problem that comes from the server. The last one that was chosen counts.
function bring(fetching, change, again) {
  stop();
  const mine = (opening = fetching.then(
    (problem) => mine === opening && (begin(() => change(problem)), true),
    (error) => {
      if (mine === opening) opening = null, showTrouble(error, again);
      return false;
    }));
  return mine;
}

function openExample(id) {
  return bring(call(`/example/${encodeURIComponent(id)}`).then((example) => {
    if (!example.goal) throw new Trouble("It has no goal to work towards.", { title: "This example cannot be asked about", again: false });
    return example;
  }), (example) => proof.load(example), () => openExample(id));
}

async function openShared(problem) {
  if (problem.example) {
    if (!(await openExample(problem.example)) || !problem.steps) return;
    for (const text of problem.steps) proof.accept({ text }, proof.now.steps.length);
    changed();
  } else begin(() => proof.take(problem));
  for (const step of [...proof.now.steps]) await check(step.key); // whoever sent it may say what they like
}

// A lemma from a theory becomes the problem.
async function usePasted(text) {
  const read = await bring(call("/paste", { text }), (problem) => proof.take(problem), null);
  if (read) say("The lemma is read: what it assumes is known, what it shows is the goal.");
  return read;
}

async function share(button) {
  await copyText(location.href);
  flash(button, "Address copied");
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
  begin(() => proof.clear());
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

function stopAsking() {
  stop();
  stepsView.settle();
  say("Stopped.");
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
        const wait = Math.min(LONGEST_WAIT, error.wait ?? 1 + attempt);
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

// Can the proof be asked about? Whoever asks before the chosen example has come means the example.
async function askable() {
  while (opening) await opening;
  proofView.stopEditing(false);
  if (!proof.ready) say(proof.now.goal.text.trim() ? "A statement cannot be read yet." : "A goal is missing.");
  return proof.ready;
}

async function ask(words = null) {
  if (!(await askable())) return;
  const place = proof.now.active, question = proof.question(place);
  say(words ?? (place < proof.now.steps.length ? `Asking about the gap before step ${place + 1} …` : "Asking …"));
  stepsView.stale();
  goalNote = null;
  let tried = 0, all = 0;
  await under((signal) => stream("/propose", { ...question, check: true, seconds: SECONDS }, signal, {
    steps: ({ steps, unknown }) => {
      stepsView.show(steps, { place, question });
      all = 2 * steps.filter((step) => step.well_formed).length;
      const again = tried > 0; // nothing was proved on both sides, and the model was asked for more
      const strange = unknown?.length ? ` The model does not know ${unknown.slice(0, 3).join(", ")}.` : "";
      say(steps.length ? `${again ? "None is proved on both sides. Looking further: " : ""}${steps.length} steps. Provers are at work.${strange}` : `The model has no step to propose.${strange}`);
      showProgress(Math.max(0.05, tried / Math.max(1, all)));
      if (!again && matchMedia("(max-width: 62rem)").matches) $("#steps-panel").scrollIntoView({ behavior: "smooth" });
    },
    gap: (event) => {
      stepsView.gap(event);
      if (event.side !== "against") tried += 1;
      showProgress(Math.max(0.05, tried / Math.max(1, all)));
    },
    goal: (found) => { noteGoal(found); warn(found); },
    done: ({ order, labels, seconds, finished, ...found }) => {
      stepsView.settle(labels);
      noteGoal(found);
      warn(found);
      if (stepsView.steps.length) stepsView.order(order);
      const both = stepsView.steps.filter((step) => step.sides === 2).length, one = stepsView.steps.filter((step) => step.sides === 1).length;
      const time = (value) => `${(value ?? 0).toFixed(1)} s`;
      if (stepsView.steps.length) say(`${stepsView.steps.length} steps in ${time(seconds.search)}; checked in ${time(seconds.check)}: ${both} proved on both sides, ${one} on one, ${authority}.${finished ? "" : " The time was up before all were tried."}${both ? "" : why()}`);
    },
  }), () => ask());
}

// What stands in the way of provers, where it is known.
function why() {
  return contextView.open.length && !proof.now.example ? ` ${whyOpen(contextView.open)} Give a type below the proof.` : "";
}

// What is known of the goal itself, before any step.
function noteGoal({ refuted, direct }) {
  if (refuted) goalNote = { title: "The goal is false.", text: refuted.text };
  else if (direct) goalNote = { title: "The goal follows from the facts without a step.", text: direct.text };
  showBanner();
}

function warn({ contradiction }) {
  if (!contradiction || proof.now.contradiction) return;
  proof.now.contradiction = contradiction;
  showBanner();
}

// Accept a proposal: it takes its place in the proof, its verdicts that are still missing are asked for, and so is the next gap.
function accept(step, asked) {
  if (!answersThis(asked)) return void say("The proof has changed since these were proposed. Ask again first.");
  const { place, question } = asked;
  stop();
  const key = proof.accept(step, place);
  changed();
  if (step.well_formed && (step.first === null || step.second === null)) check(key, question);
  if (proof.complete) finish();
  else {
    ask("Step accepted. Asking about the next gap …");
    $("#steps").focus({ preventScroll: true });
  }
}

function finish() {
  stop();
  reveal();
}
function reveal() {
  stepsView.welcome();
  showBanner();
  say(`Every gap is closed, ${authority}.`);
  if (matchMedia("(max-width: 62rem)").matches) $("#steps-panel").scrollIntoView({ block: "start" });
  $("#copy").focus({ preventScroll: true });
}

// The verdicts on one proposal as they come; whether the facts contradict each other is looked at last, and takes longest.
async function checkOne(body, signal, onGap) {
  let step = null;
  await stream("/check", { ...body, prover_seconds: OWN_SECONDS, seconds: OWN_BUDGET }, signal, {
    steps: ({ steps }) => { step = steps[0] ?? null; },
    gap: ({ side, gap, sides }) => {
      Object.assign(step, { [side]: gap, sides });
      onGap(side, gap);
    },
    done: (found) => warn(found),
  });
  return step;
}

// Let provers try both sides of a step that is in the proof. The answer may come when the proof is another one.
async function check(key, question = null) {
  const place = proof.now.steps.findIndex((each) => each.key === key), step = proof.find(key);
  if (!step?.text.trim()) return null;
  const text = step.text;
  proofView.checking.add(key);
  proofView.render();
  try {
    return await checkOne({ ...(question ?? proof.question(place, key)), proposals: [text] }, undefined, (side, gap) => {
      if (proof.find(key)?.text !== text) return;
      proof.settle(key, side, gap);
      if (proof.complete) finish();
    });
  } catch (error) {
    if (step.error === null && error.code !== "syntax" && error.code !== "type") showTrouble(error, () => check(key));
    return null; // the gap stays open
  } finally {
    proofView.checking.delete(key);
    proofView.render();
    keep(proof.now);
    writeIsar(proof, readable);
    showBanner();
  }
}

// A step of one's own is written: have it checked.
async function written(key) {
  say("Your step is being checked …");
  const step = await check(key);
  if (!step) return void say(""); // it cannot be read, or is another one by now
  if (proof.complete) return;
  const sides = [["first", "It follows from what stands above"], ["second", "what stands below follows from it"]].map(([side, words]) => `${words}: ${step[side]?.result === "proved" ? "proved" : "not proved"}`);
  say(`${sides.join("; ")}, ${authority}.${step.copy ? " It says nothing new." : ""}${step.sides === 2 ? "" : why()}`);
}

// Let provers close a gap as it is, without a step.
async function tryGap(place) {
  if (!(await askable())) return;
  const { facts = [], others = [], extra = [], ...rest } = proof.question(place);
  const goal = rest.goal ?? proof.now.goal.text;
  const body = rest.example ? { ...rest, extra } : { ...rest, facts: [...facts, ...others, ...extra] };
  say("Provers try to close the gap …");
  const before = JSON.stringify(proof.question(place));
  await under(async (signal) => {
    const step = await checkOne({ ...body, proposals: [goal] }, signal, (side, gap) => {
      if (side !== "first" || !closed(gap) || JSON.stringify(proof.question(place)) !== before) return;
      proof.close(place, gap);
      changed();
      if (proof.complete) reveal(); // whether the facts contradict each other is still being looked at
      else say(`The gap is closed, ${authority}.`);
    });
    if (!closed(step?.first)) say(`No prover derived it in time.${why()}`);
  }, () => tryGap(place));
}

async function sketch() {
  if (!(await askable())) return;
  const place = proof.now.active, question = proof.question(place);
  say("Looking for a chain of steps …");
  stepsView.stale();
  const show = (plan, final) => stepsView.plan(plan, final, (steps, goal) => {
    if (!answersThis({ place, question })) return void say("The proof has changed since this was found. Ask again first.");
    stop();
    proof.acceptAll(steps, goal, place);
    changed();
    warn(plan);
    if (proof.complete) return void finish();
    welcome();
    say("The sketch is in the proof.");
  });
  await under((signal) => stream("/sketch", { ...question, seconds: SKETCH_SECONDS }, signal, {
    try: ({ tried, seconds }) => say(`${tried} proposals tried in ${seconds.toFixed(0)} s …`),
    sketch: (plan) => show(plan, false),
    done: (plan) => {
      show(plan, true);
      warn(plan);
      say(`${plan.tried} proposals tried in ${plan.seconds.toFixed(1)} s; what is proved is proved ${authority}.${plan.closed ? "" : why()}`);
    },
  }), sketch);
}

function attend(step) {
  openAttention(stepsView.asked.question, step);
}

// ---- undoing ----

function undo() {
  if (proofView.editing !== null) proofView.stopEditing(false);
  if (proof.undo()) afterTravel("Undone.");
}
const redo = () => proof.redo() && afterTravel("Done again.");
function afterTravel(text) {
  stop();
  changed();
  if (!stepsView.list) welcome();
  const same = answersThis(stepsView.asked);
  say(same || !stepsView.list ? text : `${text} Press the blue button for proposals about this gap.`);
  if (same) stepsView.settle();
}

// ---- the keyboard ----

const KEYS = {
  u: undo, U: redo, c: copyIsar, r: () => proof.now.reference && uncover(), s: sketch, x: surprise, n: writeYourOwn, j: () => stepsView.move(1), k: () => stepsView.move(-1),
  ArrowDown: () => stepsView.move(1), ArrowUp: () => stepsView.move(-1), "/": () => $("#search").focus(), "?": () => $("#help-dialog").showModal(),
  p: () => tryGap(proof.now.active), o: () => proofView.writeStep(proof.now.active), v: () => $("#paste-dialog").showModal(), t: () => contextView.focusType(), i: () => contextView.focusImports(),
  a: () => { const step = stepsView.current() ?? stepsView.steps[0]; if (step) attend(step); },
  f: () => proofView.edit(proof.add("facts")), g: () => proofView.edit(proof.now.goal.key),
};

startKeyboard(KEYS, {
  ask: () => ask(), undo, redo,
  escape: () => running && stopAsking(),
  number: (place) => { const step = stepsView.steps[place - 1]; if (step) accept(step, stepsView.asked); },
  arrows: () => stepsView.current() !== null, // elsewhere they scroll
});

const BUTTONS = {
  ask: () => ask(), sketch, stop: stopAsking, undo, redo, copy: copyIsar, random: surprise, blank: writeYourOwn, share: (event) => share(event.currentTarget),
  paste: () => $("#paste-dialog").showModal(), help: () => $("#help-dialog").showModal(),
};
for (const [id, press] of Object.entries(BUTTONS)) $(`#${id}`).addEventListener("click", press);
$("#paste-dialog form").addEventListener("submit", async (event) => {
  event.preventDefault();
  $("#paste-dialog").close();
  if (await usePasted($("#pasted").value)) $("#pasted").value = "";
});
// A lemma that is pasted anywhere else on the page is meant just so.
document.addEventListener("paste", (event) => {
  const text = event.clipboardData?.getData("text") ?? "";
  if (event.target.closest?.("textarea, input") || !LEMMA.test(text)) return;
  event.preventDefault();
  usePasted(text);
});
$("#token-dialog").addEventListener("close", (event) => {
  if (event.target.returnValue !== "use") return showTrouble(new Trouble("Nothing can be asked without it.", { title: "This server asks for its token" }), start);
  useToken($("#token").value);
  start();
});
addEventListener("hashchange", () => {
  const problem = problemOf(location.hash);
  if (problem && fragment(proof.shared) !== location.hash) openShared(problem);
});

// Open what the address names, else what was here at the last visit, else a first example.
async function start() {
  await watchHealth();
  const named = problemOf(location.hash), before = kept();
  if (before && (!named || fragment(sharedOf(before)) === location.hash)) {
    proof.resume(before);
    welcome();
    changed();
    if (proof.complete) finish();
    return;
  }
  if (named) {
    await openShared(named);
    return forgetPast();
  }
  for (const id of FIRST) {
    try {
      const example = await call(`/example/${id}`);
      if (opening || proof.past.length) return; // somebody was quicker
      begin(() => proof.load(example));
      return forgetPast();
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

// A fact of the library becomes one that the goal may use; its theory is imported where it is not.
function useFact({ text, theory, imported }) {
  if (!imported) proof.setImports([...(proof.now.imports.length ? proof.now.imports : ["Complex_Main"]), theory]);
  proof.add("others", text);
  changed();
  say("The fact is among those that the goal may use.");
}

startSearch(openExample, useFact, () => proof.now.imports);
if (matchMedia("(max-width: 62rem)").matches) $("#isar").open = false; // the proposals come first on a small screen
welcome();
start();
