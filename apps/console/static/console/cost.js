"use strict";
// The cost page's two charts, out of what the page carries as JSON.

const dollars = (value, small = 1) => value == null ? "–" : `$${value.toFixed(value !== 0 && Math.abs(value) < small ? 4 : 2)}`;
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const drawn = [];

function axes() {
  const look = { stroke: colour("--quiet"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, font: "12px system-ui" };
  return [
    { ...look, grid: { show: false }, space: 30, incrs: [1, 2, 5, 10] },
    { ...look, size: 60, values: (_, sums) => sums.map((sum) => dollars(sum, 0.01)) },
  ];
}

function size(place) {
  return { width: place.clientWidth, height: Number(place.dataset.height) };
}

function draw(place, series, data) {
  const plot = new uPlot({
    ...size(place),
    series: [{ label: "Day", value: (_, day) => day ?? "–" }, ...series],
    axes: axes(),
    scales: { x: { time: false, range: (_, first, last) => [first - 0.6, last + 0.6] }, y: { range: (_, low, high) => [0, high > 0 ? high * 1.08 : 1] } },
    cursor: { y: false, points: { show: false } },
    legend: { live: true },
  }, data, place);
  new ResizeObserver(() => plot.setSize(size(place))).observe(place);
  drawn.push(plot);
}

// Bars upon each other: the tallest sums are drawn first, each with its own value in the legend.
function drawDays(place, days, parts) {
  const sums = [];
  for (const part of parts) {
    const below = sums.at(-1);
    sums.push(part.usd.map((usd, day) => usd + (below ? below[day] : 0)));
  }
  const order = parts.map((_, index) => index).reverse();
  const bars = uPlot.paths.bars({ size: [0.7, 40], radius: 0.12 });
  const series = order.map((index) => ({
    label: parts[index].name, fill: colour(`--series-${index % 6 + 1}`), stroke: colour(`--series-${index % 6 + 1}`), width: 0,
    paths: bars, points: { show: false }, value: (_plot, _sum, _series, day) => dollars(day == null ? null : parts[index].usd[day]),
  }));
  draw(place, series, [days, ...order.map((index) => sums[index])]);
}

function drawPerTurn(place, days, values) {
  const line = { label: "a turn", stroke: colour("--series-2"), width: 2, spanGaps: true, points: { size: 5, fill: colour("--series-2") }, value: (_, usd) => dollars(usd) };
  draw(place, [line], [days, values]);
}

function drawAll() {
  const carried = document.getElementById("chart");
  const places = [document.getElementById("days"), document.getElementById("per-turn")];
  if (!carried || !places[0]) return;
  drawn.splice(0).forEach((plot) => plot.destroy());
  const { days, parts, perTurn } = JSON.parse(carried.textContent);
  drawDays(places[0], days, parts);
  drawPerTurn(places[1], days, perTurn);
}

document.addEventListener("DOMContentLoaded", () => {
  drawAll();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
});
