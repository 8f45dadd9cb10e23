// Small helpers for building the page; mathematics is inserted as parsed XML, never as HTML.

export const $ = (selector, root = document) => root.querySelector(selector);

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name === "style") element.style.cssText = value; // as an attribute the page's own policy forbids it
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const MATHML = "http://www.w3.org/1998/Math/MathML";
const BREAK_BEFORE = new Set("⟹ ⟶ ⟷ ≡ = ≠ ≤ ≥ < > ∈ ∉ ⊆ ⊂ ⊇ ⊃ ∧ ∨ ∪ ∩ + - ⋅ × ∣ ∘ ⇒ → ≲ ≈ ≅ ∼ ≺ ⊑ ⊗ ⊕".split(" "));
const BREAK_AFTER = new Set([",", "."]);

// The formula as one line of `math` elements, so that a long one can break before its operators: browsers do not break inside.
export function formula(proposition, className = "formula") {
  const line = make("span", { class: className });
  const text = proposition.text ?? "";
  const parsed = proposition.mathml ? new DOMParser().parseFromString(proposition.mathml, "application/xml").documentElement : null;
  if (!parsed || parsed.localName !== "math") {
    line.append(text);
    return line;
  }
  let row = parsed;
  while (row.children.length === 1 && row.firstElementChild.localName === "mrow") row = row.firstElementChild;
  let part = null, size = 0;
  const parts = [];
  for (const node of [...row.children]) {
    const symbol = node.localName === "mo" ? node.textContent : "";
    if (!part || (size > 0 && BREAK_BEFORE.has(symbol))) {
      if (part && symbol) node.setAttribute("form", "infix");
      parts.push((part = document.createElementNS(MATHML, "math")));
      size = 0;
    }
    part.append(minus(document.importNode(node, true)));
    size += 1;
    if (BREAK_AFTER.has(symbol)) part = null;
  }
  // Read aloud and found as one formula.
  if (parts.length > 1) {
    parts.forEach((each) => line.append(each, document.createElement("wbr")));
  } else line.append(...parts);
  line.title = text;
  return line;
}

// Inside a button: drawn for who sees it, and as a line of text for who listens.
export function drawn(proposition) {
  const line = formula(proposition);
  line.setAttribute("aria-hidden", "true");
  return line;
}

export const spoken = (text) => make("span", { class: "unseen spoken" }, text);

// A hyphen is no minus. Texts keep it, because Isabelle reads it.
function minus(node) {
  const signs = node.localName === "mo" ? [node] : [...node.getElementsByTagName("mo")];
  for (const sign of signs) if (sign.textContent === "-") sign.textContent = "−";
  return node;
}

// Positions from the server count code points; strings here count UTF-16 units.
export function cut(text, position, end) {
  const letters = Array.from(text), start = Math.min(position ?? 0, letters.length);
  const stop = Math.max(start, Math.min(end ?? (position === null || position === undefined ? letters.length : start + 1), letters.length));
  return [letters.slice(0, start).join(""), letters.slice(start, stop).join(""), letters.slice(stop).join("")];
}

export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea", { class: "unseen" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

export const dialogs = () => [...document.querySelectorAll("dialog")];
for (const dialog of dialogs()) {
  $(".close", dialog)?.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
}
