"use strict";
// Draws the entities that the server named around one: what is new finds a place of its own, what stays keeps its.

const SHAPES = { person: "ellipse", project: "round-rectangle", organization: "hexagon", place: "triangle",
  concept: "diamond", tool: "octagon" };
const SERIES = { person: 1, project: 2, organization: 3, place: 4, concept: 5, tool: 6 };
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));
const STEP = 78;

const places = new Map();
let stretch = 1;
// Where much is drawn in little room, words and nodes grow, so that they can be read.
let size = 1;
let drawing = null;

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// The seeds of a sunflower: evenly spread, and another one moves none.
function placeOf(node) {
  if (node.center) return { x: 0, y: 0 };
  if (!places.has(node.id)) places.set(node.id, places.size + 1);
  const number = places.get(node.id);
  const radius = STEP * Math.sqrt(number + 1);
  return { x: radius * Math.cos(number * GOLDEN_ANGLE) * stretch, y: radius * Math.sin(number * GOLDEN_ANGLE) };
}

function look() {
  const ofType = Object.keys(SHAPES).map((type) => ({
    selector: `node[type="${type}"]`,
    style: { shape: SHAPES[type], "background-color": colour(`--series-${SERIES[type]}`) },
  }));
  return [
    { selector: "node", style: {
      width: 26 * size, height: 26 * size, label: "data(name)", color: colour("--ink"), "font-size": 13 * size, "text-valign": "bottom",
      "text-margin-y": 5, "text-wrap": "ellipsis", "text-max-width": 170 * size, "text-background-color": colour("--card"),
      "text-background-opacity": .85, "text-background-padding": 2, "font-family": "system-ui, sans-serif" } },
    ...ofType,
    { selector: "node[?center]", style: {
      width: 44 * size, height: 44 * size, "font-weight": 700, "border-width": 3, "border-color": colour("--ink") } },
    { selector: "edge", style: {
      width: 1.6, "line-color": colour("--edge"), "curve-style": "bezier", "target-arrow-shape": "triangle",
      "target-arrow-color": colour("--edge"), "arrow-scale": .9, label: "data(says)", color: colour("--quiet"),
      "font-size": 11 * size, "text-background-color": colour("--card"), "text-background-opacity": .9,
      "text-background-padding": 2, "font-family": "system-ui, sans-serif" } },
    { selector: "edge[?together]", style: {
      width: 1, "line-style": "dashed", "line-opacity": .55, "target-arrow-shape": "none" } },
  ];
}

function draw() {
  const held = document.getElementById("around");
  const box = document.querySelector("[data-graph]");
  if (!held || !box) return;
  const told = JSON.parse(held.dataset.around);
  if (!drawing) {
    stretch = Math.min(2, Math.max(.8, box.clientWidth / box.clientHeight));
    drawing = cytoscape({ container: box, style: look(), layout: { name: "preset" }, minZoom: .25, maxZoom: 2,
      userZoomingEnabled: false, autoungrabify: false, boxSelectionEnabled: false });
    drawing.on("tap", "node[!center]", (event) => { location.href = event.target.data("url") + location.search; });
    drawing.on("mouseover", "node[!center]", () => { box.classList.add("points"); });
    drawing.on("mouseout", "node", () => { box.classList.remove("points"); });
  }
  const elements = [
    ...told.nodes.map((node) => ({ group: "nodes", data: node, position: placeOf(node) })),
    ...told.ties.map((tie, place) => ({ group: "edges", data: { id: `tie-${place}`, source: tie.start, target: tie.end, ...tie } })),
  ];
  drawing.elements().remove();
  drawing.add(elements);
  drawing.fit(undefined, 36);
  size = Math.min(1.7, Math.max(1, 1 / drawing.zoom()));
  drawing.style(look());
  box.dataset.drawn = String(told.nodes.length);
}

// The slider says where it goes before it is let go.
function nameMonth(slider) {
  const [year, month] = slider.dataset.present.split("-").map(Number);
  const back = Number(slider.value);
  const day = new Date(Date.UTC(year, month - 1 - back, 1));
  const name = day.toLocaleDateString("en", { month: "long", year: "numeric", timeZone: "UTC" });
  slider.form.querySelector("output").value = back ? name : "now";
  slider.setAttribute("aria-valuetext", back ? name : "now");
}

document.addEventListener("input", (event) => {
  if (event.target.matches("[data-present]")) nameMonth(event.target);
});
document.addEventListener("htmx:afterSettle", draw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawing?.style(look()));
document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll("[data-present]").forEach(nameMonth);
  draw();
});
