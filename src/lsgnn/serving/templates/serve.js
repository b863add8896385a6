"use strict";
const at = (id) => document.getElementById(id);

function cell(row, text) {
  const made = row.insertCell();
  made.textContent = text;
  return made;
}

async function ask(path, body) {
  const headers = { "Content-Type": "application/json" };
  if (at("token").value) headers.Authorization = "Bearer " + at("token").value;
  const answer = await fetch(path, body === undefined ? { headers } : { method: "POST", headers, body });
  const document = await answer.json();
  if (!answer.ok) throw new Error(document.error);
  return document;
}

function show(answer) {
  const table = at("answers");
  table.tBodies[0].replaceChildren();
  for (const found of answer.predictions) {
    const row = table.tBodies[0].insertRow();
    cell(row, found.id);
    cell(row, found.prediction);
    cell(row, (100 * found.confidence).toFixed(1) + " %");
    const best = Object.entries(found.probabilities).sort((a, b) => b[1] - a[1]).slice(0, 5);
    const bars = cell(row, "");
    for (const [name, p] of best) {
      const line = document.createElement("div");
      const bar = document.createElement("span");
      bar.className = "bar";
      bar.style.width = 8 * p + "rem";
      line.append(bar, ` ${name} ${(100 * p).toFixed(1)} %`);
      bars.append(line);
    }
  }
  at("notes").textContent = answer.notes.join(" · ");
  table.hidden = false;
}

function fail(error) {
  at("problem").textContent = error.message;
  at("problem").hidden = false;
}

async function run(work) {
  at("problem").hidden = true;
  try {
    await work();
  } catch (error) {
    fail(error);
  }
}

async function about() {
  const model = await ask("model");
  at("about").textContent =
    `${model.model} on ${model.graph}: ${model.nodes} nodes, ${model.kept} kept since, ` +
    `${model.classes.length} classes, ${model.features.count} features`;
  if (!at("request").value) at("request").value = JSON.stringify(model.example, null, 2);
}

if (at("request")) {
  at("send").addEventListener("click", () => run(async () => show(await ask("predict/new", at("request").value))));
  at("load").addEventListener("click", () => run(about));
  run(about);
}
