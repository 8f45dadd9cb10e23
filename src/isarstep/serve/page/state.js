// The proof as data: facts, accepted steps and a goal in a row, a gap before every step and before the goal; undo and redo.
//
// A statement is {key, text, mathml, error}. A gap is null while nobody has closed it, else what the prover said.

let keys = 0;
export const statement = (source = {}) => ({ key: ++keys, text: source.text ?? "", mathml: source.mathml ?? null, error: source.error ?? null });

const empty = () => ({
  example: null, // what /example answered, while the problem is as it came; its reference is what to compare with
  reference: null, origin: null, types: {},
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

  load(example) {
    this.change((now) => Object.assign(now, empty(), {
      example: example.id, reference: example.reference, types: example.type_terms ?? {},
      origin: { id: example.id, theory: example.theory, name: example.name, split: example.split, types: example.types },
      facts: example.facts.map(statement), others: example.others.map(statement), goal: statement(example.goal ?? {}),
    }));
  }
  clear() {
    this.change((now) => Object.assign(now, empty()));
  }

  // Facts or goal are no longer those of the example: what provers said does not count any more.
  edited(now) {
    now.example = null;
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
  add(list) {
    const added = statement();
    this.change((now) => {
      now[list].push(added);
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
  // A verdict that came after its step had been accepted; not a change of the person's, so not one to undo.
  settle(key, side, gap) {
    const place = this.now.steps.findIndex((each) => each.key === key);
    if (place < 0) return;
    const at = side === "first" ? place : place + 1;
    if (!closed(this.now.gaps[at])) this.now.gaps[at] = gap;
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
    const { facts, others, steps, goal, types } = this.now;
    const lists = { facts: filled(facts), others: filled(others), extra: filled(steps) };
    const body = { types };
    for (const [name, list] of Object.entries(lists)) body[name] = list.map((each) => each.text);
    if (goal.text.trim()) body.goal = goal.text;
    return { body, keys: { ...Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.map((each) => each.key)])), goal: goal.key } };
  }

  // The question about a gap. The last one is the original question with the accepted steps; one before a step asks for that step.
  question(place) {
    const { example, facts, others, steps, goal, types } = this.now;
    const texts = (list) => list.map((each) => each.text).filter((text) => text.trim());
    if (place < steps.length) return { facts: texts([...facts, ...steps.slice(0, place)]), goal: steps[place].text, types };
    const extra = texts(steps);
    if (example) return { example, extra };
    return { facts: texts(facts), goal: goal.text, others: texts(others), extra, types };
  }
}
