// SPDX-License-Identifier: Apache-2.0
// Figures over the number of ranks, for the sizes that the controls hold: time, efficiency, shares of the blocks.
"use strict";

// What was measured of the same sizes and threads, by ranks.
function measuredOf(runs, prediction) {
  const same = (run) => run.threads === prediction.threads &&
    Object.entries(prediction.sizes).every(([name, value]) => run.sizes[name] === value);
  return runs.filter(same).map((run) => ({ ...run, name: formatSizes(run.sizes) }));
}

function timeOptions(curve, runs, maxRanks) {
  const ranks = curve.map((p) => p.ranks);
  const measured = measuredOf(runs, curve[0]);
  const times = [...curve.flatMap((p) => p.interval), ...measured.map((run) => run.measured)];
  return {
    grid: grid(), legend: legend(), xAxis: ranksAxis(ranks), yAxis: logAxis("", times, (s) => formatSeconds(s, 3)),
    tooltip: tooltip(({ seriesName, data }) => `${seriesName}, ${formatRanks(data[0])}: ${formatSeconds(data[1])}`),
    series: [
      band(curve.map((p) => [p.ranks, ...p.interval]), colourOf(0)),
      { type: "line", name: "predicted", data: curve.map((p) => [p.ranks, p.seconds]), symbol: "circle", symbolSize: 7,
        lineStyle: { width: 2 }, color: colourOf(0), z: 3, ...beyondArea(maxRanks, ranks.at(-1)) },
      { type: "scatter", name: "measured", data: measured.map((run) => [run.ranks, run.measured]), symbol: "diamond",
        symbolSize: 13, color: colourOf(3), z: 4 },
    ],
  };
}

function efficiencyOptions(curve, maxRanks) {
  const aloneSeconds = curve[0].seconds;
  const ranks = curve.map((p) => p.ranks);
  const efficiency = (p, seconds) => (100 * aloneSeconds) / seconds / p.ranks;
  const most = Math.max(...curve.map((p) => efficiency(p, p.interval[0])));
  const yAxis = axis("", { type: "value", min: 0, max: 10 * Math.ceil(most / 10) });
  yAxis.axisLabel = { ...yAxis.axisLabel, formatter: "{value} %" };
  return {
    grid: grid(), legend: legend(), xAxis: ranksAxis(ranks), yAxis,
    tooltip: tooltip(({ data }) => `${formatRanks(data[0])}: efficiency ${formatNumber(data[1], 3)} %, ` +
                                   `speed-up ${formatNumber((data[1] * data[0]) / 100, 3)} ×`),
    series: [
      band(curve.map((p) => [p.ranks, efficiency(p, p.interval[1]), efficiency(p, p.interval[0])]), colourOf(2)),
      { type: "line", name: "efficiency", data: curve.map((p) => [p.ranks, efficiency(p, p.seconds)]), symbol: "rect",
        symbolSize: 7, lineStyle: { width: 2 }, color: colourOf(2), z: 3, ...beyondArea(maxRanks, ranks.at(-1)) },
    ],
  };
}

function sharesOptions(curve) {
  const names = [...new Set(curve.flatMap((p) => [...secondsByBlock(p).keys()]))];
  const byRanks = curve.map(secondsByBlock);
  const part = (i, name) => (100 * (byRanks[i].get(name) ?? 0)) / curve[i].seconds;
  const seen = names.filter((name) => curve.some((p, i) => part(i, name) >= 0.05));
  const yAxis = axis("", { type: "value", min: 0, max: 100 });
  yAxis.axisLabel = { ...yAxis.axisLabel, formatter: "{value} %" };
  return {
    grid: grid(), legend: legend(), yAxis,
    xAxis: axis("ranks", { type: "category", data: curve.map((p) => `${p.ranks}`) }),
    tooltip: tooltip(({ seriesName, name, value, dataIndex }) => `${formatRanks(Number(name))}, ${seriesName}: ` +
      `${formatNumber(value, 3)} %, ${formatSeconds(byRanks[dataIndex].get(seriesName) ?? 0)}`),
    series: seen.map((name) => ({ type: "bar", stack: "time", name, color: blockColour(name), barWidth: "70%",
                                  data: curve.map((p, i) => part(i, name)) })),
  };
}

// A table of run times knows no blocks.
function hasBlocks(curve) {
  return curve.some((p) => p.shares.length > 0);
}

// The numbers behind the figures, and which ranks keep the deadline.
function planTable(curve, deadline) {
  const isOfBlocks = hasBlocks(curve);
  const heads = ["ranks", "time", "95 % from", "to", "speed-up", "efficiency", "core hours",
                 ...(isOfBlocks ? ["held back by"] : [])];
  const first = curve.find((p) => deadline.seconds !== null && p.as_the_host_was[1] <= deadline.seconds);
  const rows = curve.map((p) => {
    const uses = usesOf(p, curve[0].seconds);
    const cells = [[p.ranks, `${p.ranks}`], [p.seconds, formatSeconds(p.seconds)],
                   [p.interval[0], formatSeconds(p.interval[0])], [p.interval[1], formatSeconds(p.interval[1])],
                   [uses.speedup, `${formatNumber(uses.speedup, 3)} ×`], [uses.efficiency, formatPercent(uses.efficiency)],
                   [uses.coreHours, formatCoreHours(uses.coreHours)]];
    if (isOfBlocks) {
      const held = heldBackBy(p);
      cells.push([held.part, `${held.block}, ${formatPercent(held.part, 2)}`]);
    }
    const isFirst = p === first;
    return element("tr", isFirst ? { class: "chosen" } : {}, ...cells.map(([exact, text], i) =>
      element("td", { class: i < 7 ? "number" : "", "data-exact": exact, title: `${exact}` },
              isFirst && i === 0 ? `fewest: ${text}` : text)));
  });
  const table = element("table", {}, element("thead", {}, element("tr", {}, ...heads.map((head, i) =>
    element("th", { scope: "col", class: i < 7 ? "number" : "" }, head)))), element("tbody", {}, ...rows));
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Plan over ranks" }, table);
}

// Figures of `curve`, predictions ascending in ranks from one rank on.
function makeOverRanks(place, runs, maxRanks) {
  let curve = [];
  const figures = [];
  const add = (id, title, note, options, more = {}) =>
    figures.push(addFigure(place, { id, title, note, options, ...more }));
  const plan = element("section", { id: "plan", "aria-label": "Plan" });
  return (predictions, deadline) => {
    if (predictions.length === 0) {
      plan.replaceChildren(element("p", {}, "Nothing is known of any number of ranks."));
      return;
    }
    curve = predictions;
    if (figures.length === 0) {
      add("time", "Time against ranks", "Predicted with its 95 % interval, and what was measured of these sizes.",
          () => timeOptions(curve, runs, maxRanks));
      add("efficiency", "Efficiency against ranks", "Speed-up over one rank, divided by ranks; with its 95 % interval.",
          () => efficiencyOptions(curve, maxRanks));
      if (hasBlocks(curve)) {
        add("shares", "Where the time goes", "Shares of the blocks on the rank that ends last.",
            () => sharesOptions(curve), { isWide: true });
      }
      place.after(plan);
    } else {
      figures.forEach(draw);
    }
    const table = planTable(curve, deadline);
    const note = `${formatSizes(curve[0].sizes)}. Speed-up and efficiency are against one rank.`;
    plan.replaceChildren(element("h2", {}, "Plan"), element("p", {}, note), table);
    enhanceTable(table, "plan");
  };
}
