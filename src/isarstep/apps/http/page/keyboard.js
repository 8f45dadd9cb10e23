// Single keys and what they do; text fields and dialogs have the keyboard for themselves.

import { dialogs } from "./dom.js";

// `on.arrows`: are the arrow keys ours now? `on.number`: 1 to 9.
export function startKeyboard(keys, on) {
  document.addEventListener("keydown", (event) => {
    if (dialogs().some((dialog) => dialog.open)) return;
    const writing = event.target.closest?.("textarea, input, select"), command = event.ctrlKey || event.metaKey;
    const key = command ? event.key.toLowerCase() : event.key;
    let action = null;
    if (command && key === "enter") action = on.ask;
    else if (key === "Escape") return void on.escape();
    else if (writing || event.altKey) return;
    else if (command) action = key === "z" ? (event.shiftKey ? on.redo : on.undo) : key === "y" ? on.redo : null;
    else if (/^[1-9]$/.test(key)) action = () => on.number(Number(key));
    else if (!key.startsWith("Arrow") || on.arrows()) action = keys[key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
