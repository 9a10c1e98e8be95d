# SPDX-License-Identifier: Apache-2.0
"""What becomes of predictions: the figures that all referees tell of them."""

import os
import pathlib
import statistics


def answered(rows):
    """Those that have a prediction: a model whose runs are too noisy gives none."""
    return [row for row in rows if row["predicted_s"] is not None]


def summary_of(rows):
    """Of rows with `predicted_s`, `relative_error` and `interval_holds`; errors are null if none has a prediction."""
    predicted = answered(rows)
    errors = [abs(row["relative_error"]) for row in predicted]
    return {
        "predictions": len(predicted),
        "without_an_answer": len(rows) - len(predicted),
        "median_abs_relative_error": statistics.median(errors) if errors else None,
        "mean_abs_relative_error": statistics.mean(errors) if errors else None,
        "worst_abs_relative_error": max(errors, default=None),
        "intervals_that_hold": sum(row["interval_holds"] for row in predicted),
    }


def number(cell):
    """Of a table; None where a run has no prediction."""
    return float(cell) if cell else None


def percent(error, sign="", none=""):
    return none if error is None else f"{100 * error:{sign}.1f} %"


def half_width(rows):
    """Of the intervals, relative to the prediction; the median."""
    return statistics.median((row["interval_s"][1] - row["interval_s"][0]) / 2 / row["predicted_s"] for row in rows)


HEADS = ["error", "intervals that hold", "half width", "single runs inside"]


def cells(rows):
    """Of HEADS; the last is empty where nobody counted single runs."""
    if not rows:
        return [""] * len(HEADS)
    summary = summary_of(rows)
    unanswered = summary["without_an_answer"]
    held = f"{summary['intervals_that_hold']} of {summary['predictions']}"
    if unanswered:
        held += f", {unanswered} without an answer"
    if not summary["predictions"]:
        return ["", held, "", ""]
    errors = " / ".join(percent(summary[f"{which}_abs_relative_error"]) for which in ("median", "worst"))
    runs = sum(row.get("single_runs", 0) for row in rows)
    inside = f"{100 * sum(row['single_runs_inside'] for row in rows) / runs:.0f} %" if runs else ""
    return [errors, held, f"{100 * half_width(answered(rows)):.0f} %", inside]


def table_of(sides):
    """Markdown: of rows by name, a line for each name and one for all. Of several builds the rows stand side by side."""
    names = list(sides[0])
    all_cells = [
        [cell for side in sides for cell in cells([row for name in some for row in side.get(name, [])])]
        for some in [*([name] for name in names), names]
    ]
    heads = HEADS * len(sides)
    used = [column for column in range(len(heads)) if any(line[column] for line in all_cells)]
    lines = ["| rows | " + " | ".join(heads[c] for c in used) + " |", "| --- |" + " ---: |" * len(used)]
    for name, line in zip([*names, "all"], all_cells):
        lines.append(f"| {name} | " + " | ".join(line[c] for c in used) + " |")
    return lines


def processor():
    """The name of this machine's processor, and how many cores there are."""
    text = pathlib.Path("/proc/cpuinfo").read_text()
    name = next((line.split(":")[1].strip() for line in text.split("\n") if line.startswith("model name")), "unknown processor")
    return f"{name}, {len(os.sched_getaffinity(0))} cores"
