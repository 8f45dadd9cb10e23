// The proof as data: facts, accepted steps and a goal in a row, a gap before every step and before the goal; undo and redo.
//
// A statement is {key, text, mathml, error}. A gap is null while nobody has closed it, else what the prover said.

let keys = 0;
export const statement = (source = {}) => ({ key: ++keys, text: source.text ?? "", mathml: source.mathml ?? null, error: source.error ?? null });

const empty = () => ({
  example: null, // what /example answered, while the problem is as it came; its reference is what to compare with
  reference: null, origin: null,
  types: {}, imports: [], fixed: [], // what was said of the context; the rest is found by whoever reads
  contradiction: null, // what a prover said, where the facts contradict each other
  facts: [statement()], others: [], steps: [], goal: statement(), gaps: [null], active: 0,
});

export const closed = (gap) => gap?.result === "proved";

export class Proof {
  constructor() {
    this.now = empty();
    this.past = [];
    this.future = [];
    this.typing = null; // the statement whose text is being written: all its letters are one change
  }

  // Every change goes through here, so that it can be undone.
  change(edit) {
    const before = structuredClone(this.now);
    edit(this.now);
    this.past.push(before);
    if (this.past.length > 200) this.past.shift();
    this.future = [];
    this.typing = null;
  }
  undo() {
    this.typing = null;
    if (!this.past.length) return false;
    this.future.push(this.now);
    this.now = this.past.pop();
    return true;
  }
  redo() {
    if (!this.future.length) return false;
    this.past.push(this.now);
    this.now = this.future.pop();
    return true;
  }

  // As it was kept; keys of statements are those of another page.
  resume(now) {
    const of = (list) => list.map((each) => statement(each));
    this.change((here) => Object.assign(here, empty(), now, { facts: of(now.facts), others: of(now.others), steps: of(now.steps), goal: statement(now.goal) }));
    this.past = [];
  }
  load(example) {
    this.change((now) => Object.assign(now, empty(), {
      example: example.id, reference: example.reference, types: named(example.type_terms ?? {}), imports: example.imports ?? [],
      origin: { id: example.id, theory: example.theory, name: example.name, split: example.split, types: example.types },
      facts: example.facts.map(statement), others: example.others.map(statement), goal: statement(example.goal ?? {}),
    }));
  }
  clear() {
    this.change((now) => Object.assign(now, empty()));
  }
  // A problem as /paste gives it or an address carries it: texts, and perhaps steps that nobody here has checked.
  take({ facts = [], goal = "", others = [], steps = [], types = {}, imports = [], fixed = [] }) {
    const of = (list) => list.map((text) => statement({ text }));
    this.change((now) => Object.assign(now, empty(), {
      facts: facts.length ? of(facts) : [statement()], others: of(others), steps: of(steps), goal: statement({ text: goal }),
      gaps: [...steps, goal].map(() => null), types: { ...types }, imports: [...imports], fixed: [...fixed],
    }));
  }
  setType(name, text) {
    this.change((now) => {
      now.types = { ...now.types };
      if (text.trim()) now.types[name] = text.trim();
      else delete now.types[name];
      this.edited(now);
    });
  }
  setImports(names) {
    this.change((now) => {
      now.imports = names;
      this.edited(now);
    });
  }

  // Facts or goal are no longer those of the example: what provers said does not count any more.
  edited(now) {
    now.example = null;
    now.contradiction = null;
    now.gaps = now.gaps.map(() => null);
  }
  setText(key, text) {
    const found = this.find(key);
    if (!found || found.text === text) return;
    const edit = (now) => {
      Object.assign(found, { text, mathml: null, error: null });
      const place = now.steps.indexOf(found);
      if (place < 0) this.edited(now);
      else now.gaps[place] = now.gaps[place + 1] = null;
    };
    if (this.typing === key) edit(this.now);
    else this.change(edit);
    this.typing = key;
  }
  add(list, text = "") {
    const added = statement({ text });
    this.change((now) => {
      now[list].push(added);
      if (text) this.edited(now);
    });
    return added.key;
  }
  // Room for a step of one's own in a gap.
  addStep(place) {
    const added = statement();
    this.change((now) => {
      now.steps.splice(place, 0, added);
      now.gaps.splice(place, 1, null, null);
      now.active = place;
    });
    return added.key;
  }
  remove(key) {
    this.change((now) => {
      const place = now.steps.findIndex((each) => each.key === key);
      if (place >= 0) {
        now.steps.splice(place, 1);
        now.gaps.splice(place, 2, null);
        now.active = place;
        return;
      }
      const text = this.find(key)?.text;
      now.facts = now.facts.filter((each) => each.key !== key);
      now.others = now.others.filter((each) => each.key !== key);
      if (text) this.edited(now);
    });
  }

  // Put a proposal into a gap: the gap becomes two. The next question is about one that is still open.
  accept(step, place) {
    const added = statement(step);
    this.change((now) => {
      now.steps.splice(place, 0, added);
      now.gaps.splice(place, 1, step.first ?? null, step.second ?? null);
      now.active = place + 1;
      this.goOn();
    });
    return added.key;
  }
  acceptAll(steps, goal, place) {
    this.change((now) => {
      now.steps.splice(place, 0, ...steps.map(statement));
      now.gaps.splice(place, 1, ...steps.map((each) => each.by ?? null), goal?.by ?? null);
      now.active = place;
      this.goOn();
    });
  }
  goOn() {
    const { gaps, active } = this.now;
    if (closed(gaps[active])) this.now.active = Math.max(0, gaps.findIndex((gap) => !closed(gap)));
  }
  // A prover closed a gap as it is.
  close(place, gap) {
    this.change((now) => {
      now.gaps[place] = gap;
      this.goOn();
    });
  }
  // A verdict that came after its step had been accepted; not a change of the person's, so not one to undo.
  settle(key, side, gap) {
    const place = this.now.steps.findIndex((each) => each.key === key);
    if (place < 0) return;
    const at = side === "first" ? place : place + 1;
    if (!closed(this.now.gaps[at])) this.now.gaps[at] = gap;
    this.goOn();
  }

  get all() {
    const { facts, others, steps, goal } = this.now;
    return [...facts, ...others, ...steps, goal];
  }
  find(key) {
    return this.all.find((each) => each.key === key);
  }
  get complete() {
    return this.now.gaps.every(closed);
  }
  get ready() {
    return this.now.goal.text.trim() !== "" && this.all.every((each) => !each.error);
  }

  // The whole problem for reading along; blank statements are left out, and `keys` says which are meant.
  reading() {
    const filled = (list) => list.filter((each) => each.text.trim());
    const { facts, others, steps, goal } = this.now;
    const lists = { facts: filled(facts), others: filled(others), extra: filled(steps) };
    const body = this.context();
    for (const [name, list] of Object.entries(lists)) body[name] = list.map((each) => each.text);
    if (goal.text.trim()) body.goal = goal.text;
    return { body, keys: { ...Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.map((each) => each.key)])), goal: goal.key } };
  }

  context() {
    const { types, imports, fixed } = this.now;
    return { types, imports, fixed };
  }

  // The question about a gap. The last one is the original question with the accepted steps; one before a step asks for that step.
  // Without one of the steps it is the question to which that step is an answer.
  question(place, without = null) {
    const { example, facts, others, goal } = this.now, steps = this.now.steps.filter((each) => each.key !== without);
    const texts = (list) => list.map((each) => each.text).filter((text) => text.trim());
    if (place < steps.length) return { facts: texts([...facts, ...steps.slice(0, place)]), goal: steps[place].text, ...this.context() };
    const extra = texts(steps);
    if (example) return { example, extra };
    return { facts: texts(facts), goal: goal.text, others: texts(others), extra, ...this.context() };
  }

  // What an address carries: the problem and its steps, not what provers said.
  get shared() {
    const { example, facts, others, steps, goal } = this.now;
    const texts = (list) => list.map((each) => each.text).filter((text) => text.trim());
    if (example) return steps.length ? { example, steps: texts(steps) } : { example };
    const all = { facts: texts(facts), goal: goal.text, others: texts(others), steps: texts(steps), ...this.context() };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => (typeof value === "string" ? value.trim() : Object.keys(value).length)));
  }
}

// The same of a proof that was kept.
export function sharedOf(now) {
  const other = new Proof();
  other.resume(now);
  return other.shared;
}

// Types by the names that are shown: <X3> is x₃.
const named = (types) => Object.fromEntries(Object.entries(types).map(([name, type]) => [
  name.replace(/^<X(\d+)>$/, (_, digits) => "x" + [...digits].map((digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]).join("")), type]));
