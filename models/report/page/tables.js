// SPDX-License-Identifier: Apache-2.0
// Tables that sort by a column, and what can be copied.
"use strict";

// An element with attributes and children.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

// Copies on a page from a file or by HTTPS; others have no clipboard.
function makeCopyButton(text, label) {
  const button = element("button", { type: "button", class: "copy", "aria-label": label }, "Copy");
  button.addEventListener("click", async () => {
    const copied = navigator.clipboard?.writeText(text()).then(() => "Copied") ?? Promise.reject();
    button.textContent = await copied.catch(() => "Select and copy by hand");
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  return button;
}

function cellValue(row, column) {
  const exact = row.cells[column].dataset.exact ?? row.cells[column].textContent;
  const number = Number(exact);
  return exact === "" || Number.isNaN(number) ? exact : number;
}

// Numbers before words, empty cells last.
function compareValues(a, b) {
  if (typeof a === typeof b) {
    return typeof a === "number" ? a - b : a === "" ? 1 : b === "" ? -1 : a.localeCompare(b);
  }
  return typeof a === "number" ? -1 : 1;
}

function sortBy(table, column) {
  const heads = [...table.tHead.rows[0].cells];
  const ascending = heads[column].getAttribute("aria-sort") !== "ascending";
  heads.forEach((head) => head.removeAttribute("aria-sort"));
  heads[column].setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const rows = [...table.tBodies[0].rows].map((row) => [cellValue(row, column), row]);
  rows.sort(([a], [b]) => (ascending ? 1 : -1) * compareValues(a, b));
  table.tBodies[0].append(...rows.map(([, row]) => row));
}

// Lines for a spreadsheet: numbers in full.
function textOf(table) {
  const lines = [[...table.tHead.rows[0].cells].map((cell) => cell.textContent)];
  for (const row of table.tBodies[0].rows) {
    lines.push([...row.cells].map((cell) => cell.dataset.exact ?? cell.textContent));
  }
  return lines.map((line) => line.join("\t")).join("\n");
}

// `place` holds one table and can be scrolled. A column that is the same in all rows is said above it.
function enhanceTable(place, name) {
  const table = place.querySelector("table");
  const rows = [...table.tBodies[0].rows];
  const same = [];
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const [first, ...others] = rows.map(({ cells }) => cells[column].textContent);
    if (others.length > 0 && others.every((text) => text === first)) {
      same.push(...(first === "" ? [] : [`${head.textContent} ${first}`]));
      [head, ...rows.map(({ cells }) => cells[column])].forEach((cell) => { cell.hidden = true; });
    }
    const button = element("button", { type: "button", class: "sort" }, ...head.childNodes);
    button.addEventListener("click", () => sortBy(table, column));
    head.replaceChildren(button);
  });
  place.before(element("div", { class: "tools" }, makeCopyButton(() => textOf(table), `Copy the table ${name}`),
                       same.length === 0 ? "" : `In every row: ${same.join(", ")}.`));
}
