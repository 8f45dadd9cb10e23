// The line at the bottom: is the server there, and what does it run?

import { call } from "./api.js";
import { $ } from "./dom.js";

let timer = 0;

export async function watchHealth() {
  clearTimeout(timer);
  try {
    const { status: state, model, provers, benchmark } = await call("/health");
    $("#health").className = `dot ${state === "ok" ? "up" : "down"}`;
    const tests = benchmark?.splits?.test;
    $("#server").textContent = [state === "ok" ? "connected" : state, `model ${model.name}`, provers.length ? `provers ${provers.map((each) => each.split(" ")[0]).join(", ")}` : "no provers", tests ? `${tests.toLocaleString("en")} test examples` : ""].filter(Boolean).join(" · ");
  } catch {
    $("#health").className = "dot down";
    $("#server").textContent = "the server does not answer";
    timer = setTimeout(watchHealth, 4000);
  }
}
