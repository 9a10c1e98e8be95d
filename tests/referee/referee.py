# SPDX-License-Identifier: Apache-2.0
"""The referees' common part: commands that they run, rows of predictions that they judge, and tables of docs/results."""

import json
import os
import pathlib
import runpy
import signal
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DRAW = runpy.run_path(str(ROOT / "docs/results/draw"))
signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends a referee at once, and leaves what it runs to end itself


def output_of(command):
    """What a command prints; where it fails, so does the referee."""
    words = list(map(str, command))
    print("running", " ".join(words)[:300], file=sys.stderr, flush=True)
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: this ended with {done.returncode}: {' '.join(words)}")
    return done.stdout


def once(file, command):
    """The JSON that a command prints. It is kept in a file, and the command is not run again."""
    if not file.exists():
        file.write_text(output_of(command))
    return json.loads(file.read_text())


def percent(error, sign=""):
    return f"{100 * error:{sign}.1f} %"


def judged_row(measured_s, predicted_s, low, high, **more):
    """A prediction beside a measurement."""
    return {
        "measured_s": measured_s,
        "predicted_s": predicted_s,
        "relative_error": (predicted_s - measured_s) / measured_s,
        "interval_s": [low, high],
        "interval_holds": low <= measured_s <= high,
        **more,
    }


def cells_of(rows):
    """Errors (median and worst), intervals that hold, their median half width, and single runs inside if these were counted."""
    held = f"{sum(row['interval_holds'] for row in rows)} of {len(rows)}"
    if not rows:
        return ["", held, "", ""]
    errors = [abs(row["relative_error"]) for row in rows]
    half_width = statistics.median((row["interval_s"][1] - row["interval_s"][0]) / 2 / row["predicted_s"] for row in rows)
    runs = sum(row.get("single_runs", 0) for row in rows)
    inside = f"{100 * sum(row['single_runs_inside'] for row in rows) / runs:.0f} %" if runs else ""
    return [f"{percent(statistics.median(errors))} / {percent(max(errors))}", held, f"{100 * half_width:.0f} %", inside]


def table_of(rows_by_name):
    """Columns and rows of a table: a line for each name, and one for all."""
    lines = [[name, *cells_of(rows)] for name, rows in rows_by_name.items()]
    lines.append(["all", *cells_of([row for rows in rows_by_name.values() for row in rows])])
    heads = ["rows", "error", "intervals that hold", "half width", "single runs inside"]
    used = 5 if any(line[4] for line in lines) else 4
    return heads[:used], [line[:used] for line in lines]


def add_write_option(parser):
    parser.add_argument("--write", action="store_true", help="put the tables into docs/results, too")


def publish(is_written, name, made_by, tables, machine=None):
    """Prints tables as Markdown, and puts them into docs/results/NAME.json."""
    for title, (columns, rows) in tables.items():
        print(f"{title}\n", *DRAW["lines_of"](columns, rows), "", sep="\n")
    if is_written:
        DRAW["add_tables"](name, made_by, machine or processor(), tables)


def processor():
    """The name of this machine's processor, and how many cores there are."""
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    name = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown processor")
    return f"{name}, {len(os.sched_getaffinity(0))} cores"
