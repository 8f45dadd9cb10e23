// The proposals as cards, and their badges, which fill in while provers answer.

import { drawn, formula, make, spoken } from "./dom.js";

const SIDES = { first: "facts ⟹ step", second: "step, facts ⟹ goal" };
const STILL = 8; // pixels: a pointer that moved more was dragged
const MISSED = { timeout: "not proved in time", unknown: "not proved", refuted: "refuted", internal_error: "internal error" };

function gapBadge(side, gap, waiting) {
  const name = SIDES[side];
  if (gap === null) {
    return make("li", { class: `badge ${side}${waiting ? " wait" : ""}`, title: waiting ? "a prover is at work" : "not tried" }, name, make("span", { class: "unseen" }, waiting ? ": being checked" : ": not tried"));
  }
  const proved = gap.result === "proved";
  const mark = proved ? "✓ " : gap.result === "refuted" ? "✗ " : "– ";
  const said = !proved ? `: ${MISSED[gap.result] ?? gap.result}` : gap.by ? `: ${gap.by}` : "";
  return make("li", { class: `badge ${side} ${proved ? "yes" : gap.result === "refuted" ? "no" : "open"}`, title: gap.text },
    mark + name + (proved ? said : ""), proved ? "" : make("span", { class: "unseen" }, said));
}

// What stands there before anything was asked.
export function introduction(hasGoal) {
  return make("div", { class: "welcome" },
    make("p", {}, hasGoal ? "A problem is filled in. Press the blue button, and proposals for the missing step appear here." : "Write a fact and a goal, then press the blue button."),
    make("ol", {},
      make("li", {}, "The model proposes statements that lead from what is known to the goal."),
      make("li", {}, "Provers try both sides of each: do the facts give the step, does the step give the goal?"),
      make("li", {}, "Click one to accept it. The proof grows, and the next gap is asked about.")));
}

export class StepsView {
  constructor(root, on) {
    // asked: the place and the question that the steps answer; pressed: the card on which the button of the mouse went down.
    Object.assign(this, { root, on, steps: [], asked: null, list: null, waiting: false, pressed: null });
    root.addEventListener("pointerdown", (event) => this.press(event));
    document.addEventListener("pointerup", (event) => this.release(event), true);
  }

  // What is above the cards changes its height now and then, and cards change places; then browsers give the click to neither.
  // Whoever pressed a card and let go at the same place of the screen means that card, wherever it is by then.
  press({ target, pointerType, button, clientX, clientY }) {
    const use = target.closest(".use");
    this.pressed = use && pointerType === "mouse" && button === 0 ? { use, clientX, clientY } : null;
  }
  release({ clientX, clientY }) {
    const { pressed } = this;
    if (!pressed || Math.hypot(clientX - pressed.clientX, clientY - pressed.clientY) > STILL) return;
    setTimeout(() => { if (this.pressed === pressed) pressed.use.click(); }); // after the browser's own click, if there is one
  }

  welcome(...content) {
    this.steps = [];
    this.asked = this.list = null;
    this.root.replaceChildren(...content);
  }

  show(steps, asked) {
    Object.assign(this, { steps, asked });
    this.waiting = true;
    this.list = make("ol", { "aria-label": "Proposed steps, best first" }, ...steps.map((step, i) => this.card(step, i)));
    this.root.replaceChildren(this.list);
  }

  // A chain of steps instead of single ones; `use` puts it into the proof.
  plan(plan, final, use) {
    const steps = plan.steps.filter((each) => !each.goal), goal = plan.steps.find((each) => each.goal);
    const title = plan.closed ? (steps.length ? "A closed chain" : "The goal follows from the facts at once") : final ? "The best chain found; not all of it is proved" : "The best chain so far";
    const badge = (each) => make("span", { class: `badge ${each.proved ? "yes" : ""}`, title: each.by?.text ?? "" }, each.proved ? `✓ ${each.by?.by ?? "proved"}` : "open");
    this.welcome(make("div", { class: "plan" }, make("b", {}, title),
      make("ol", {}, ...plan.steps.map((each) => make("li", {}, formula(each), badge(each)))),
      steps.length || plan.closed ? make("button", { type: "button", class: "primary", onclick: () => use(steps, goal) }, steps.length ? "Use this sketch" : "Take it as proved") : null));
  }

  card(step, place) {
    const { asked } = this;
    const use = make("button", { type: "button", class: "use", onclick: () => { this.pressed = null; this.on.accept(step, asked); } },
      spoken(`Accept step ${place + 1}: ${step.text}`), make("span", { class: "number", "aria-hidden": "true" }, String(place + 1)), drawn(step), make("span", { class: "go", "aria-hidden": "true" }, "accept ↵"));
    const card = make("li", { class: "card", "data-id": String(step.id) }, use, make("ul", { class: "badges", "aria-label": "what is known about this step" }));
    this.fill(card, step);
    return card;
  }

  fill(card, step) {
    card.className = `card sides${step.sides ?? 0}`;
    const badges = [
      step.well_formed ? make("li", { class: "badge typed yes" }, "✓ well-typed") : make("li", { class: "badge typed no", title: step.reason ?? "" }, "✗ not well-typed"),
      gapBadge("first", step.first, this.waiting && step.well_formed), gapBadge("second", step.second, this.waiting && step.well_formed),
    ];
    if (step.against?.result === "proved") badges.push(make("li", { class: "badge no", title: step.against.text }, "✗ contradicts the facts"));
    if (step.label) badges.push(make("li", { class: "badge copied", title: "a proof of the goal does without it: a fact or the goal again, true in any case, or not used" }, step.label));
    if (step.reference) badges.push(make("li", { class: "badge same reference", title: "equal to the step of the original proof" }, "★ as in the original"));
    const score = step.score === null || step.score === undefined ? "" : `score ${step.score.toFixed(2)}`;
    badges.push(make("li", { class: "right" },
      make("button", { type: "button", class: "small attend", title: score, onclick: () => this.on.attend(step) }, "attention")));
    card.querySelector(".badges").replaceChildren(...badges);
  }

  cardOf(id) {
    return this.list?.querySelector(`[data-id="${id}"]`) ?? null;
  }

  gap({ id, side, gap, sides, label }) {
    const step = this.steps.find((each) => each.id === id);
    if (!step) return;
    step[side] = gap;
    Object.assign(step, { sides, label });
    this.refill(step);
  }

  refill(step) {
    const card = this.cardOf(step.id), inside = card?.querySelector(".badges");
    if (!card) return;
    const focused = inside.contains(document.activeElement) ? document.activeElement.className : null;
    this.fill(card, step);
    if (focused) inside.querySelector(`[class="${focused}"]`)?.focus();
  }

  // No more verdicts will come.
  settle(labels = {}) {
    this.waiting = false;
    this.steps.forEach((step) => { step.label = labels[step.id] ?? step.label; });
    this.steps.forEach((step) => this.refill(step));
  }

  // The final ranking; cards glide to their new places, and what has no place goes.
  order(ids) {
    this.steps.filter((step) => !ids.includes(step.id)).forEach((step) => this.cardOf(step.id)?.remove());
    this.steps = this.steps.filter((step) => ids.includes(step.id));
    const before = new Map(this.steps.map((step) => [step.id, this.cardOf(step.id)?.getBoundingClientRect().top ?? 0]));
    const focused = document.activeElement;
    this.steps.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.steps.forEach((step, place) => {
      const card = this.cardOf(step.id);
      this.list.append(card);
      card.querySelector(".number").textContent = String(place + 1);
      card.querySelector(".spoken").textContent = `Accept step ${place + 1}: ${step.text}`;
    });
    if (this.root.contains(focused)) focused.focus({ preventScroll: true });
    if (still) return;
    for (const step of this.steps) {
      const card = this.cardOf(step.id), moved = before.get(step.id) - card.getBoundingClientRect().top;
      if (moved) card.animate([{ transform: `translateY(${moved}px)` }, { transform: "none" }], { duration: 260, easing: "ease-out" });
    }
  }

  stale(are = true) {
    this.list?.classList.toggle("stale", are);
  }

  // Keyboard: which step is meant, and moving between steps.
  current() {
    const card = document.activeElement?.closest(".card");
    return this.steps.find((step) => String(step.id) === card?.dataset.id) ?? null;
  }
  move(by) {
    if (!this.list) return;
    const now = this.steps.indexOf(this.current());
    const next = now < 0 ? (by > 0 ? 0 : this.steps.length - 1) : Math.min(this.steps.length - 1, Math.max(0, now + by));
    this.cardOf(this.steps[next]?.id)?.querySelector(".use").focus();
  }
}
