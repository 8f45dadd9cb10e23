// Talking to the server: JSON calls, streams of events, and what went wrong in words for people.

export class Trouble extends Error {
  constructor(message, { title = "That did not work", code = "", field = null, position = null, end = null, wait = null, again = true } = {}) {
    super(message);
    Object.assign(this, { title, code, field, position, end, wait, again });
  }
}

const KEPT = "Your proof is kept on this page.";
const TITLES = {
  busy: "The server is busy", stopping: "The server is stopping", out_of_time: "The server ran out of time",
  token: "The server wants its token", too_large: "That is too much", tokens: "That is too long for the model",
  syntax: "A statement cannot be read", type: "A statement has no type", internal: "The server failed; this is a bug",
  not_found: "There is no such thing", unsupported: "This model cannot do that",
};
const ADVICE = {
  stopping: `Start it again with “isarstep serve”. ${KEPT}`, out_of_time: `Ask again, or ask for less. ${KEPT}`,
  busy: "Too many people are asking at once.", internal: KEPT,
};

let token = sessionStorage.getItem("isarstep-token") || "";
export function useToken(text) {
  token = text;
  sessionStorage.setItem("isarstep-token", text);
}

function troubleOf(error, wait) {
  const { code = "", message = "", field = null, position = null, end = null } = error || {};
  const advice = ADVICE[code];
  const again = ["busy", "stopping", "out_of_time", "internal"].includes(code);
  return new Trouble(advice ? `${message.replace(/\.?$/, ".")} ${advice}` : message, { title: TITLES[code], code, field, position, end, wait, again });
}

const unreachable = () => new Trouble(`Is “isarstep serve” still running? ${KEPT}`, { title: "The server does not answer", code: "unreachable" });
const brokenOff = () => new Trouble(`What had arrived by then is shown. Start “isarstep serve” again, then ask again. ${KEPT}`,
  { title: "The server stopped in the middle of its answer", code: "broken" });

async function request(path, body, signal) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  if (body) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(path, { method: body ? "POST" : "GET", headers, signal, body: body && JSON.stringify(body), cache: "no-store" });
  } catch (error) {
    throw error.name === "AbortError" ? error : unreachable();
  }
  if (response.ok) return response;
  const answer = await response.json().catch(() => null);
  const wait = Number(response.headers.get("Retry-After")) || null;
  if (answer?.error?.code) throw troubleOf(answer.error, wait);
  throw new Trouble(`It answered ${response.status} ${response.statusText}.`, { title: "The server answered something unexpected", wait });
}

export async function call(path, body = null, signal = undefined) {
  const response = await request(path, body, signal);
  try {
    return await response.json();
  } catch (error) {
    throw error.name === "AbortError" ? error : brokenOff();
  }
}

// Calls `on[event](data)` for every event; returns after `done`, and throws when the stream ends without it.
export async function stream(path, body, signal, on) {
  const response = await request(path, { ...body, stream: true }, signal);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    let chunk;
    try {
      chunk = await reader.read();
    } catch (error) {
      throw error.name === "AbortError" ? error : brokenOff();
    }
    if (chunk.done) throw brokenOff();
    rest += chunk.value.replace(/\r/g, "");
    const blocks = rest.split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      let name = "message";
      const data = [];
      for (const line of block.split("\n")) {
        if (line.startsWith("event:")) name = line.slice(6).trim();
        else if (line.startsWith("data:")) data.push(line.slice(5));
      }
      if (!data.length) continue;
      const value = JSON.parse(data.join("\n"));
      if (name === "error") throw troubleOf(value.error, null);
      on[name]?.(value);
      if (name === "done") {
        reader.cancel().catch(() => {});
        return;
      }
    }
  }
}
