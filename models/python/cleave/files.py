# SPDX-License-Identifier: Apache-2.0
"""Traces, models and machines as pandas DataFrames. Formats: docs/reference/formats.md."""

import json
import math
import pathlib

import pandas as pd

VERSIONS = {"cleave-trace": 3, "cleave-machine": 2, "cleave-model": 15}


class CleaveError(Exception):
    """A file does not hold what it should, or a command refuses what it is asked: one line."""


def read_trace(path):
    """The spans of a trace, one a row.

    Columns: repetition, warm_up, rank, worker, level, group, block, begin_ns and end_ns on rank 0's clock,
    seconds, bytes, and one a size, <NA> where the span has no such size. In a search the worker is the
    thread of the rank. `attrs["run"]` is the header of the file, `attrs["file"]` its name.
    """
    run, lines = _read_lines(path)
    offsets = run.get("clock_offset_ns", [])
    warm_ups = {line["repetition"] for line in lines if "elapsed_ns" in line and line["warm_up"]}
    is_search = run["type"] == "work_stealing"
    rows = []
    for line in lines:
        if "block" not in line or "dropped" in line:
            continue
        rank = line["rank"]
        offset = offsets[rank] if rank < len(offsets) else 0
        rows.append({"repetition": line["repetition"], "warm_up": line["repetition"] in warm_ups,
                     "rank": rank, "worker": line["level"] if is_search else 0, "level": line["level"],
                     "group": line["group"], "block": line["block"], "begin_ns": line["begin_ns"] - offset,
                     "end_ns": line["end_ns"] - offset, "seconds": (line["end_ns"] - line["begin_ns"]) * 1e-9,
                     "bytes": line["bytes"], **line["sizes"]})
    return frame_of(rows, ["repetition", "warm_up", "rank", "worker", "level", "group", "block", "begin_ns",
                           "end_ns", "seconds", "bytes"], file=str(path), run=run)


def read_traces(paths):
    """The spans of several traces, with the columns file, app, ranks and threads before those of read_trace.

    `paths` is a trace, a study's folder, or a list of these. `attrs["runs"]` has the header of each file.
    """
    frames = []
    for path in traces_of(paths):
        frame = read_trace(path)
        run = frame.attrs["run"]
        frame.insert(0, "file", path.name)
        for column, name in enumerate(["app", "ranks", "threads"], 1):
            frame.insert(column, name, run[name])
        frames.append(frame)
    runs = {frame.attrs["file"]: frame.attrs.pop("run") for frame in frames}
    for frame in frames:
        frame.attrs = {}
    spans = pd.concat(frames, ignore_index=True)
    spans.attrs["runs"] = runs
    return spans


def read_runs(paths):
    """The repetitions of traces, one a row: file, app, type, ranks, threads, repetition, warm_up, seconds, sizes.

    `paths` as for read_traces.
    """
    rows = []
    for path in traces_of(paths):
        run, lines = _read_lines(path)
        rows += [{"file": path.name, "app": run["app"], "type": run["type"], "ranks": run["ranks"],
                  "threads": run["threads"], "repetition": line["repetition"], "warm_up": line["warm_up"],
                  "seconds": line["elapsed_ns"] * 1e-9, **line["sizes"]}
                 for line in lines if "elapsed_ns" in line]
    return frame_of(rows, ["file", "app", "type", "ranks", "threads", "repetition", "warm_up", "seconds"])


def read_model(path):
    """The coefficients of a model, one a row; `path` is a *.model.json or a study's folder.

    Columns: part (a block; of a search "search", what the visits of a worker take, and "inverse_efficiency"; of
    a table "run", where a law answers), ranks_per_host that it holds for,
    term, coefficient, and of the law r_squared (NaN where it explains nothing) and the weight of this form, which
    is the likeliest. A coefficient is in seconds a unit of its term; of "memory" and "exchange.bytes" in bytes,
    of "inverse_efficiency" it has no unit. `attrs` has app, type, placement, threads, verdict,
    refused and notes.
    """
    path = _only(path, "*.model.json")
    model = _read_json(path, "cleave-model")
    rows = []
    for part, law in _laws_of(model):
        form = law["forms"][0]
        for ranks_per_host, factor in form["ranks_per_host_factors"].items():
            rows += [{"part": part, "ranks_per_host": int(ranks_per_host), "term": term,
                      "coefficient": factor * coefficient, "weight": form["weight"],
                      "r_squared": law["r_squared"] if law["r_squared"] >= 0 else math.nan}
                     for term, coefficient in zip(map(_term_of, form["terms"]), form["coefficients"])]
    return frame_of(rows, ["part", "ranks_per_host", "term", "coefficient", "r_squared", "weight"],
                    file=str(path), **{name: model[name] for name in
                                       ("app", "type", "placement", "threads", "verdict", "refused", "notes")})


def read_machine(path):
    """The entries of a machine file, one a row; `path` is a *.machine.json or a study's folder.

    Columns: ranks, level, between_hosts, oversubscribed, latency_s and gap_s_per_byte with their standard
    errors, r_squared. `attrs` has the name and the provenance.
    """
    path = _only(path, "*.machine.json")
    machine = _read_json(path, "cleave-machine")
    columns = ["ranks", "level", "between_hosts", "oversubscribed", "latency_s", "latency_error_s",
               "gap_s_per_byte", "gap_error_s_per_byte", "r_squared"]
    rows = [{name: entry[name] for name in columns if name in entry} for entry in machine.get("exchange", [])]
    return frame_of(rows, columns, file=str(path), name=machine.get("name", ""),
                    provenance=machine.get("provenance", {}))


def traces_of(paths):
    """The files of traces among `paths`; of a folder those in its traces/, or in itself where it has none."""
    files = []
    for path in [paths] if isinstance(paths, (str, pathlib.Path)) else paths:
        path = pathlib.Path(path)
        if path.is_dir():
            found = sorted((path / "traces").glob("*.trace.jsonl")) or sorted(path.glob("*.trace.jsonl"))
            if not found:
                raise CleaveError(f"{path}: has no *.trace.jsonl")
            files += found
        else:
            files.append(path)
    if not files:
        raise CleaveError("no traces are given")
    return files


def _term_of(factors):
    """A product of powers, "1" or "N*log2(N)^2"."""
    return "*".join((f"log2({f['size']})" if f["is_log"] else f["size"]) + (f"^{f['power']:g}" if f["power"] != 1 else "")
                    for f in factors) or "1"


def _laws_of(model):
    hypercube = model.get("hypercube", {})
    for block in hypercube.get("blocks", []):
        yield block["block"], block["law"]
    if "exchange" in hypercube:
        yield "exchange.bytes", hypercube["exchange"]["bytes"]
    for part, name in (("search", "visits"), ("inverse_efficiency",) * 2):
        if name in model.get("search", {}):
            yield part, model["search"][name]
    if "law" in model.get("table", {}):
        yield "run", model["table"]["law"]
    if model.get("memory"):
        yield "memory", model["memory"]


def frame_of(rows, columns, **attrs):
    """`columns` come first, then sizes, which not every row has: they are counts or <NA>."""
    sizes = list(dict.fromkeys(name for row in rows for name in row if name not in columns))
    frame = pd.DataFrame(rows, columns=columns + sizes).astype({name: "Int64" for name in sizes})
    frame.attrs.update(attrs)
    return frame


def _only(path, pattern):
    path = pathlib.Path(path)
    if not path.is_dir():
        return path
    found = sorted(path.glob(pattern))
    if len(found) != 1:
        raise CleaveError(f"{path}: has {len(found)} files {pattern}, not one")
    return found[0]


def _text_of(path):
    try:
        return pathlib.Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise CleaveError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise CleaveError(f"{path}: is no text") from None


def _checked(path, head, file_format):
    if not isinstance(head, dict) or head.get("format") != file_format:
        raise CleaveError(f"{path}: is no {file_format}")
    if head.get("version") != VERSIONS[file_format]:
        raise CleaveError(f"{path}: field 'version' is {head.get('version')}, this module reads version "
                          f"{VERSIONS[file_format]}")
    return head


def _read_json(path, file_format):
    try:
        return _checked(path, json.loads(_text_of(path)), file_format)
    except json.JSONDecodeError as error:
        raise CleaveError(f"{path}: is no JSON: {error}") from None


def _read_lines(path):
    """The header of a trace, and its other lines but the last."""
    lines = []
    for number, text in enumerate(_text_of(path).removesuffix("\n").split("\n"), 1):
        try:
            lines.append(json.loads(text))
        except json.JSONDecodeError as error:
            raise CleaveError(f"{path}: line {number} is no JSON: {error}") from None
    head = _checked(path, lines[0] if lines else None, "cleave-trace")
    if lines[-1] != {"end": "cleave-trace", "lines": len(lines)}:
        raise CleaveError(f"{path}: was cut short")
    return head, lines[1:-1]
