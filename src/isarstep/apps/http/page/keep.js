// The problem outlives the page: kept in this browser, and carried by the address. What an address says is text by strangers.

const KEPT = "isarstep-problem";
const LISTS = ["facts", "others", "steps", "imports", "fixed"];

const encode = (value) => btoa(Array.from(new TextEncoder().encode(JSON.stringify(value)), (byte) => String.fromCodePoint(byte)).join("")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
const decode = (text) => JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.codePointAt(0))));

// What stands behind # for a problem.
export function fragment(shared) {
  if (shared.example && !shared.steps) return `#${shared.example}`;
  return Object.keys(shared).length ? `#p=${encode(shared)}` : "";
}

// The problem that an address carries; null: none, or none that can be read.
export function problemOf(hash) {
  const text = hash.slice(1);
  if (/^[0-9a-f]{4,12}$/.test(text)) return { example: text };
  if (!text.startsWith("p=")) return null;
  try {
    const said = decode(text.slice(2)), problem = {};
    const texts = (value) => Array.isArray(value) && value.length <= 64 && value.every((each) => typeof each === "string");
    for (const name of LISTS) if (name in said && texts(said[name])) problem[name] = said[name];
    for (const name of ["goal", "example"]) if (typeof said[name] === "string") problem[name] = said[name];
    if (said.types && Object.values(said.types).every((each) => typeof each === "string")) problem.types = { ...said.types };
    return Object.keys(problem).length ? problem : null;
  } catch {
    return null;
  }
}

// The whole state, verdicts included, for the next visit. A browser that keeps nothing is no reason to stop.
export function keep(now) {
  try {
    localStorage.setItem(KEPT, JSON.stringify(now));
  } catch {
    // full, or forbidden
  }
}
export function kept() {
  try {
    const now = JSON.parse(localStorage.getItem(KEPT));
    const whole = now && ["facts", "others", "steps", "gaps", "imports", "fixed"].every((name) => Array.isArray(now[name])) && typeof now.goal?.text === "string";
    return whole && now.gaps.length === now.steps.length + 1 ? now : null;
  } catch {
    return null;
  }
}
