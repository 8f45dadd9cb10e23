"use strict";
// The two interactive pictures. Each finds its data in a JSON element of the page and works without a network.

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const dark = matchMedia("(prefers-color-scheme: dark)");
const lastName = (token) => token.slice(token.lastIndexOf(".") + 1) || token;

function embeddings() {
  const figure = document.getElementById("figure-embeddings");
  if (!figure) return;
  const data = JSON.parse(document.getElementById("embedding-data").textContent);
  const canvas = figure.querySelector("canvas"), list = figure.querySelector(".near"), find = figure.querySelector(".find");
  const chips = [...figure.querySelectorAll(".chip")];
  const view = { yaw: 0.5, pitch: -0.35, zoom: 1, chosen: data.queries[0] ?? 0 };
  const pointers = new Map();
  let spots = [], moved = 0, spread = 0;

  document.getElementById("embedding-tokens").append(...data.tokens.map((token) => new Option(token, token)));

  function project([x, y, z]) {
    const cosYaw = Math.cos(view.yaw), sinYaw = Math.sin(view.yaw), cosPitch = Math.cos(view.pitch), sinPitch = Math.sin(view.pitch);
    const right = cosYaw * x + sinYaw * z, depth = -sinYaw * x + cosYaw * z;
    return [right, cosPitch * y - sinPitch * depth, sinPitch * y + cosPitch * depth];
  }

  function draw() {
    const ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width) return;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const near = new Map(data.near[view.chosen].map((place, rank) => [place, rank]));
    // The picture is centred on the chosen token and scaled to its neighbours.
    const centre = project(data.points[view.chosen]);
    let reach = 1e-6;
    for (const place of near.keys()) {
      const [x, y] = project(data.points[place]);
      reach = Math.max(reach, Math.hypot(x - centre[0], y - centre[1]));
    }
    const scale = view.zoom * 0.42 * Math.min(width, height) / reach;
    spots = data.points.map((point, place) => {
      const [x, y, z] = project(point);
      return { place, x: width / 2 + (x - centre[0]) * scale, y: height / 2 - (y - centre[1]) * scale, z };
    }).filter((spot) => spot.x > -20 && spot.x < width + 20 && spot.y > -20 && spot.y < height + 20);
    spots.sort((a, b) => a.z - b.z);
    const soft = colour("--soft"), ink = colour("--ink");
    pen.globalAlpha = 0.28;
    pen.fillStyle = soft;
    for (const spot of spots) {
      if (spot.place === view.chosen || near.has(spot.place)) continue;
      pen.beginPath();
      pen.arc(spot.x, spot.y, 2, 0, 7);
      pen.fill();
    }
    pen.globalAlpha = 1;
    pen.font = "12px system-ui, sans-serif";
    const taken = [];
    const shown = spots.filter((spot) => spot.place === view.chosen || near.has(spot.place))
      .sort((a, b) => (near.get(a.place) ?? -1) - (near.get(b.place) ?? -1));
    for (const spot of [...shown].reverse()) {
      const self = spot.place === view.chosen;
      pen.fillStyle = colour(self ? "--s1" : "--s0");
      pen.beginPath();
      pen.arc(spot.x, spot.y, self ? 6 : 4, 0, 7);
      pen.fill();
    }
    for (const spot of shown) {
      const label = lastName(data.tokens[spot.place]), wide = pen.measureText(label).width;
      const box = [spot.x + 7, spot.y - 8, spot.x + 9 + wide, spot.y + 6];
      if (taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) continue;
      taken.push(box);
      pen.font = spot.place === view.chosen ? "bold 13px system-ui, sans-serif" : "12px system-ui, sans-serif";
      pen.fillStyle = ink;
      pen.fillText(label, spot.x + 8, spot.y + 4);
    }
  }

  function choose(place) {
    view.chosen = place;
    view.zoom = 1;
    list.replaceChildren();
    const self = document.createElement("li");
    self.className = "self";
    self.textContent = data.tokens[place];
    list.append(self);
    data.near[place].forEach((other, rank) => {
      const item = document.createElement("li"), button = document.createElement("button"), cosine = document.createElement("small");
      button.type = "button";
      button.textContent = data.tokens[other];
      button.addEventListener("click", () => choose(other));
      cosine.textContent = ` ${(data.cosines[place][rank] / 100).toFixed(2)}`;
      item.value = rank + 1;
      item.append(button, cosine);
      list.append(item);
    });
    list.scrollTop = 0;
    chips.forEach((chip) => chip.classList.toggle("on", Number(chip.dataset.place) === place));
    draw();
  }

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
    moved = 0;
    spread = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const dx = event.clientX - before[0], dy = event.clientY - before[1];
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
    moved += Math.abs(dx) + Math.abs(dy);
    if (pointers.size === 2) {
      const [a, b] = [...pointers.values()], now = Math.hypot(a[0] - b[0], a[1] - b[1]);
      if (spread) view.zoom = Math.min(40, Math.max(0.05, view.zoom * now / spread));
      spread = now;
    } else {
      view.yaw += dx * 0.008;
      view.pitch += dy * 0.008;
    }
    draw();
  });
  const release = (event) => {
    pointers.delete(event.pointerId);
    if (event.type !== "pointerup" || moved > 6) return;
    const frame = canvas.getBoundingClientRect(), x = event.clientX - frame.left, y = event.clientY - frame.top;
    let best = null, distance = 18;
    for (const spot of spots) {
      const d = Math.hypot(spot.x - x, spot.y - y);
      if (d < distance) [best, distance] = [spot, d];
    }
    if (best) choose(best.place);
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    view.zoom = Math.min(40, Math.max(0.05, view.zoom * Math.exp(-event.deltaY * 0.0015)));
    draw();
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const turn = { ArrowLeft: [-0.15, 0], ArrowRight: [0.15, 0], ArrowUp: [0, -0.15], ArrowDown: [0, 0.15] }[event.key];
    if (!turn) return;
    event.preventDefault();
    view.yaw += turn[0];
    view.pitch += turn[1];
    draw();
  });
  chips.forEach((chip) => chip.addEventListener("click", () => choose(Number(chip.dataset.place))));
  find.addEventListener("change", () => {
    const wanted = find.value.trim();
    let place = data.tokens.indexOf(wanted);
    if (place < 0) place = data.tokens.findIndex((token) => lastName(token) === wanted);
    if (place >= 0) choose(place);
  });
  addEventListener("resize", draw);
  dark.addEventListener("change", draw);
  choose(view.chosen);
}

function attention() {
  const figure = document.getElementById("figure-attention");
  if (!figure) return;
  const data = JSON.parse(document.getElementById("attention-data").textContent);
  const pick = (name) => figure.querySelector(name);
  const example = pick(".example-choice"), kind = pick(".kind"), layer = pick(".layer"), head = pick(".head");
  const from = pick(".from"), to = pick(".to"), heat = pick(".heat");
  const unpacked = new Map();
  let row = 0;

  function weights() {
    const key = [example.value, kind.value, layer.value].join("/");
    if (!unpacked.has(key)) {
      const bytes = atob(data[example.value][kind.value][layer.value]);
      unpacked.set(key, Uint8Array.from(bytes, (letter) => letter.charCodeAt(0)));
    }
    const all = unpacked.get(key), heads = data[example.value].heads, size = all.length / heads;
    if (head.value !== "mean") return all.subarray(Number(head.value) * size, (Number(head.value) + 1) * size);
    const mean = new Float32Array(size);
    for (let h = 0; h < heads; h++) for (let i = 0; i < size; i++) mean[i] += all[h * size + i] / heads;
    return mean;
  }

  function options(select, names, values) {
    const before = select.value;
    select.replaceChildren(...names.map((name, i) => new Option(name, values[i])));
    select.value = values.map(String).includes(before) ? before : String(values[values.length - 1]);
  }

  function refill() {
    const each = data[example.value], layers = each[kind.value].map((_, i) => i), heads = [...Array(each.heads).keys()];
    options(layer, layers.map((i) => `${i + 1} of ${layers.length}`), layers);
    options(head, [...heads.map((i) => `${i + 1}`), "mean of all"], [...heads, "mean"]);
    row = 0;
    const first = kind.value === "encoder" ? each.source : each.written;
    const relation = first.findIndex((token) => ["subset_eq", "member", "less_eq", "eq"].includes(token));
    if (relation >= 0) row = relation;
    draw();
  }

  function chips(parent, tokens, fields) {
    parent.replaceChildren(...tokens.map((token, i) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = token || "<EOS>";
      if (fields) button.style.setProperty("--field", `var(--s${fields[i] - 2})`);
      return button;
    }));
    return [...parent.children];
  }

  function draw() {
    const each = data[example.value], crossing = kind.value === "cross";
    const rows = crossing ? each.written : each.source, columns = each.source;
    const values = weights();
    chips(from, rows, crossing ? null : each.fields).forEach((button, i) => {
      button.classList.toggle("on", i === row);
      button.addEventListener("click", () => { row = i; draw(); });
    });
    const most = Math.max(1, ...values.slice(row * columns.length, (row + 1) * columns.length));
    chips(to, columns, each.fields).forEach((button, j) => {
      const weight = values[row * columns.length + j];
      button.style.background = `color-mix(in srgb, var(--s1) ${Math.round(85 * weight / most)}%, transparent)`;
      button.title = (weight / 255).toFixed(3);
      button.tabIndex = -1;
    });
    const ratio = devicePixelRatio || 1, cell = 15, margin = 104;
    const width = margin + columns.length * cell + 4, height = margin + rows.length * cell + 4;
    heat.width = width * ratio;
    heat.height = height * ratio;
    heat.style.width = `${width}px`;
    heat.style.maxWidth = "none";
    const pen = heat.getContext("2d");
    pen.scale(ratio, ratio);
    pen.font = "11px system-ui, sans-serif";
    pen.fillStyle = colour("--ink");
    rows.forEach((token, i) => {
      pen.textAlign = "right";
      pen.fillText((token || "<EOS>").slice(0, 16), margin - 5, margin + i * cell + 11);
    });
    columns.forEach((token, j) => {
      pen.save();
      pen.translate(margin + j * cell + 11, margin - 5);
      pen.rotate(-Math.PI / 2);
      pen.textAlign = "left";
      pen.fillText(token.slice(0, 16), 0, 0);
      pen.restore();
    });
    pen.fillStyle = colour("--s0");
    for (let i = 0; i < rows.length; i++) {
      for (let j = 0; j < columns.length; j++) {
        pen.globalAlpha = Math.min(1, 0.03 + Math.sqrt(values[i * columns.length + j] / 255));
        pen.fillRect(margin + j * cell, margin + i * cell, cell - 1, cell - 1);
      }
    }
    pen.globalAlpha = 1;
    pen.strokeStyle = colour("--s1");
    pen.lineWidth = 1.5;
    pen.strokeRect(margin - 0.5, margin + row * cell - 0.5, columns.length * cell, cell);
    heat.onclick = (event) => {
      const place = Math.floor((event.offsetY - margin) / cell);
      if (place >= 0 && place < rows.length) { row = place; draw(); }
    };
  }

  [example, kind].forEach((select) => select.addEventListener("change", refill));
  [layer, head].forEach((select) => select.addEventListener("change", draw));
  dark.addEventListener("change", draw);
  refill();
}

embeddings();
attention();
