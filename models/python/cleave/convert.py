# SPDX-License-Identifier: Apache-2.0
"""Files of other tools as Cleave reads them.

Graphs (METIS, KONECT, CSV, or lists of edges with ids of any size) become Matrix Market or a list of edges; tables of run
times (Extra-P, Google Benchmark, CSV with other separators) become CSV; output of osu_latency and osu_bw becomes a
machine file; traces of Cleave become JSON Lines of Extra-P. Files may be packed by gzip. Needs the standard library only.
"""

import argparse
import collections
import csv
import gzip
import io
import json
import os
import pathlib
import re
import sys

MAX_VERTICES = 2**32 - 1
COMMENTS = ("#", "%")
Row = collections.namedtuple("Row", "series sizes seconds")
Graph = collections.namedtuple("Graph", "edges vertices names")


class Refusal(Exception):
    """A file that cannot be converted: one line."""


def text_of(path):
    try:
        data = pathlib.Path(path).read_bytes()
        return (gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data).decode("utf-8-sig")
    except (OSError, EOFError) as error:
        raise Refusal(f"cannot be read: {error}") from None
    except UnicodeDecodeError:
        raise Refusal("is no text") from None


def lines_of(text, comments=COMMENTS):
    """The number and the words of each line that is neither blank nor a comment."""
    return [(number, line.split()) for number, line in enumerate(text.splitlines(), 1)
            if line.strip() and not line.lstrip().startswith(comments)]


def whole(word, what):
    if not re.fullmatch(r"\d+", word):
        raise Refusal(f"{what}: '{word[:40]}' is no whole number")
    return int(word)


def number(word, what):
    try:
        return float(word)
    except ValueError:
        raise Refusal(f"{what}: '{word[:40]}' is no number") from None


def json_of(text, what=""):
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise Refusal(f"{what}is no JSON: {error}") from None


# Graphs

def metis(text):
    """A header `n m [format [weights of a vertex]]`, then a line a vertex with its neighbours, counted from 1."""
    lines = [(i, line.split()) for i, line in enumerate(text.splitlines(), 1) if not line.startswith("%")]
    (_, header), *lines = lines or [(1, [])]
    if not 2 <= len(header) <= 4:
        raise Refusal("the header of METIS has 2 to 4 numbers: vertices, edges, format, weights of a vertex")
    vertices, expected = (whole(word, "the header") for word in header[:2])
    sizes, vertex_weights, edge_weights = (digit == "1" for digit in (header[2] if len(header) > 2 else "0").zfill(3))
    skipped = sizes + (int(header[3]) if len(header) > 3 else 1) * vertex_weights
    while len(lines) > vertices and not lines[-1][1]:
        lines.pop()
    if len(lines) != vertices:
        raise Refusal(f"has {len(lines)} lines of vertices, where its header has {vertices}")
    edges, ends = [], 0
    for vertex, (line, words) in enumerate(lines):
        for word in words[skipped::2 if edge_weights else 1]:
            other = whole(word, f"line {line}") - 1
            if not 0 <= other < vertices:
                raise Refusal(f"line {line}: {word} is no vertex: 1 to {vertices} are allowed")
            ends += 1 + (other == vertex)
            if other <= vertex:
                edges.append((vertex, other))
    if ends != 2 * expected or len(edges) != expected:
        raise Refusal(f"has {len(edges)} edges and {ends} ends of edges, where its header has {expected} edges")
    return Graph(edges, vertices, None)


def konect(text):
    """`% sym|asym|bip weights`, then lines of two ids from 1 on, and perhaps weight and time."""
    kind = text.split(maxsplit=2)[1]
    lines = [(f"line {i}", words) for i, words in lines_of(text)]
    pairs = [tuple(whole(word, line) - 1 for word in (words + ["-"])[:2]) for line, words in lines]
    if any(id < 0 for pair in pairs for id in pair):
        raise Refusal("has the id 0, where KONECT counts from 1")
    if kind == "bip":
        left = 1 + max((u for u, _ in pairs), default=-1)
        pairs = [(u, left + v) for u, v in pairs]
    return Graph(pairs, 1 + max((max(pair) for pair in pairs), default=-1), None)


def csv_graph(text):
    """Two columns of names, and perhaps others; a header is one where a number is expected in no line below."""
    rows = csv_rows(text)
    if any(len(row) < 2 for row in rows):
        raise Refusal("a line has fewer than two fields")
    are_numbers = all(word.isdigit() for row in rows[1:] for word in row[:2])
    has_header = are_numbers and not all(word.isdigit() for word in rows[0][:2])
    known = [name.lower() for name in rows[0][:2]]
    has_header |= bool({"source", "target", "from", "to", "src", "dst"}.intersection(known))
    return named([tuple(row[:2]) for row in rows[has_header:]])


def edges(text, renumber=False):
    """Two whole numbers a line, of any size; a weight behind them is left out."""
    pairs = []
    for line, words in lines_of(text):
        if not 2 <= len(words) <= 3:
            raise Refusal(f"line {line}: {len(words)} words, where an edge has two ids and perhaps a weight")
        pairs.append(tuple(whole(word, f"line {line}") for word in words[:2]))
    return named(pairs, renumber)


def named(pairs, renumber=False):
    """A graph of vertices with names: numbers below 2^32 - 1 stay, all others are numbered in their order."""
    names = set(name for pair in pairs for name in pair)
    if all(isinstance(name, int) or name.isdigit() for name in names):
        pairs = [(int(u), int(v)) for u, v in pairs]
        names = set(map(int, names))
        if not renumber and max(names, default=0) < MAX_VERTICES:
            return Graph(pairs, 1 + max(names, default=-1), None)
    names = sorted(names)
    place = {name: i for i, name in enumerate(names)}
    return Graph([(place[u], place[v]) for u, v in pairs], len(names), names)


def matrix_market(graph):
    yield f"%%MatrixMarket matrix coordinate pattern symmetric\n{graph.vertices} {graph.vertices} {len(graph.edges)}\n"
    for u, v in graph.edges:
        yield f"{max(u, v) + 1} {min(u, v) + 1}\n"


def edge_list(graph):
    return (f"{u} {v}\n" for u, v in graph.edges)


# Tables of run times

def csv_rows(text):
    head = next((line for line in text.splitlines() if line.strip() and not line.startswith(COMMENTS)), "")
    separator = max(",;\t", key=head.count)
    lines = (line for line in text.splitlines() if line.strip() and not line.startswith(COMMENTS))
    return [[field.strip() for field in row] for row in csv.reader(lines, delimiter=separator)]


def csv_table(text):
    names, *lines = csv_rows(text)
    rows = []
    for i, line in enumerate(lines, 1):
        if len(line) != len(names):
            raise Refusal(f"row {i}: {len(line)} fields, where the header has {len(names)}")
        fields = dict(zip(names, line))
        rows.append(Row(fields.pop("name", ""), fields, number(fields.pop("seconds"), f"row {i}")))
    return rows


def series_of(callpath, metric):
    return callpath if metric in ("", "time", "runtime") else f"{callpath}, {metric}" if callpath else metric


def extra_p(text):
    """PARAMETER, POINTS, METRIC, REGION and DATA, as in the documentation of its text format."""
    parameters, points, region, metric, rows, data = [], [], "", "", [], 0

    def end_region(where):
        if data not in (0, len(points)):
            raise Refusal(f"{where}region '{region}' has {data} lines of DATA for {len(points)} points")

    for i, (section, *words) in lines_of(text):
        where = f"line {i}: "
        if section == "PARAMETER":
            parameters += words
        elif section == "POINTS":
            values = re.sub(r"[()]", " ", " ".join(words)).split()
            if not parameters or not values or len(values) % len(parameters):
                raise Refusal(f"{where}POINTS has {len(values)} numbers for {len(parameters)} parameters")
            points += [dict(zip(parameters, values[j:j + len(parameters)]))
                       for j in range(0, len(values), len(parameters))]
        elif section in ("METRIC", "REGION"):
            end_region(where)
            data = 0
            metric, region = (" ".join(words), region) if section == "METRIC" else (metric, " ".join(words))
        elif section == "DATA":
            if data == len(points):
                raise Refusal(f"{where}region '{region}' has more DATA than the {len(points)} points")
            rows += [Row(series_of(region, metric), points[data], number(word, where)) for word in words]
            data += 1
        else:
            raise Refusal(f"{where}'{section[:40]}' is none of PARAMETER, POINTS, METRIC, REGION and DATA")
    end_region("")
    return rows


def extra_p_lines(text):
    """A JSON object a line: `params`, `value` (one or a list), perhaps `callpath` and `metric`."""
    rows = []
    for i, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        entry = json_of(line, f"line {i}: ")
        try:
            values = entry["value"] if isinstance(entry["value"], list) else [entry["value"]]
            sizes = {name: str(value) for name, value in entry["params"].items()}
            series = series_of(entry.get("callpath", ""), entry.get("metric", ""))
            rows += [Row(series, sizes, float(value)) for value in values]
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise Refusal(f"line {i}: has no params and value as Extra-P writes them ({error})") from None
    return rows


def google_benchmark(text):
    """The real time of an iteration, of each repetition; aggregates, failed and skipped runs are left out."""
    unit_s = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
    rows = []
    for run in json_of(text).get("benchmarks", []):
        left_out = run.get("error_occurred") or run.get("skipped") or run.get("run_type", "iteration") != "iteration"
        if left_out or {"aggregate_name", "cpu_coefficient", "rms"} & run.keys():
            continue
        series, *arguments = run.get("run_name", run["name"]).split("/")
        sizes, unnamed = {}, []
        for argument in arguments:
            name, _, value = argument.rpartition(":")
            if name in ("repeats", "iterations", "min_time", "min_warmup_time") or argument.endswith("_time"):
                continue
            if not value.isdigit():
                series += f"/{argument}"
            elif name:
                sizes[name] = value
            else:
                unnamed.append(value)
        alone = len(unnamed) == 1 and "N" not in sizes
        sizes.update({"N" if alone else f"N{i}": value for i, value in enumerate(unnamed, 1)})
        rows.append(Row(series, sizes, run["real_time"] * unit_s[run.get("time_unit", "ns")]))
    return rows


def table(rows):
    """CSV with a header; the column `name` where there are several series."""
    names = list(rows[0].sizes) if rows else []
    series = sorted({row.series for row in rows})
    for row in rows:
        if set(row.sizes) != set(names):
            raise Refusal(f"rows differ in their sizes; choose one series by --only: {'; '.join(series)}")
        for name, value in row.sizes.items():
            if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
                raise Refusal(f"'{name}' cannot name a size: letters, digits and _ can, a letter first")
            if not float(number(value, name)).is_integer() or float(value) < 1:
                raise Refusal(f"{name} is {value}: a size is a whole number of at least 1, in a smaller unit if need be")
        if not 0 < row.seconds < float("inf"):
            raise Refusal(f"{row.series}: a time of {row.seconds} is not above 0")
    if not rows:
        raise Refusal("holds no run time")
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*(["name"] if len(series) > 1 else []), *names, "seconds"])
    for row in rows:
        sizes = [int(float(row.sizes[name])) for name in names]
        writer.writerow([*([row.series] if len(series) > 1 else []), *sizes, f"{row.seconds:.12g}"])
    return [out.getvalue()]


# Machines

def osu(text):
    """The output of osu_latency or osu_bw: by bytes the seconds of a message, or bytes a second."""
    tests = re.findall(r"^# OSU MPI (.*?) Test", text, flags=re.M)
    if tests not in (["Latency"], ["Bandwidth"]):
        raise Refusal(f"is the output of {' and '.join(tests)}: osu_latency or osu_bw alone is read")
    scale = {"Latency": 1e-6, "Bandwidth": 1e6}[tests[0]]
    values = [(whole(words[0], f"line {i}"), scale * number((words + [""])[1], f"line {i}")) for i, words in lines_of(text)]
    return tests[0], [(size, value) for size, value in values if size > 0]


def machine(tables, name, inside_host):
    """l and g of an exchange of two ranks: half of a message's, by the line with the least squares of relative errors.
    osu_bw tells of messages that are longer than those of osu_latency."""
    times = dict(tables).get("Latency")
    if not times or len(tables) != len(dict(tables)):
        raise Refusal("the output of osu_latency is needed once, and that of osu_bw may be given")
    longest, start = times[-1][0], times[0][1]
    times = times + [(size, start + size / rate) for size, rate in dict(tables).get("Bandwidth", []) if size > longest]
    sums = [sum(size**power / seconds**2 for size, seconds in times) for power in range(3)]
    first, second = (sum(size**power / seconds for size, seconds in times) for power in range(2))
    determinant = sums[0] * sums[2] - sums[1]**2
    if len(times) < 2 or determinant <= 0:
        raise Refusal("times of two sizes of messages at least are needed")
    latency, gap = (first * sums[2] - second * sums[1]) / determinant, (second * sums[0] - first * sums[1]) / determinant
    if latency < 0 or gap < 0:
        raise Refusal("the times do not grow with the size of a message")
    entry = {"ranks": 2, "between_hosts": not inside_host, "latency_s": latency / 2, "gap_s_per_byte": gap / 2}
    return [json.dumps({"format": "cleave-machine", "version": 2, "name": name, "exchange": [entry]}, indent=1) + "\n"]


# Traces

def trace_rows(text):
    """The whole call of each counted repetition, and of each block the sum over levels of the longest over ranks."""
    run, *lines = (json_of(line) for line in text.splitlines())
    totals = collections.Counter()
    for line in lines:
        if "block" in line and "dropped" not in line:
            totals[line["repetition"], line["block"], line["level"], line["rank"]] += line["end_ns"] - line["begin_ns"]
    longest = collections.defaultdict(int)
    for (repetition, block, level, _), total in totals.items():
        longest[repetition, block, level] = max(longest[repetition, block, level], total)
    rows = []
    for line in lines:
        if "elapsed_ns" in line and not line["warm_up"]:
            sizes, blocks = {"p": run["ranks"], **line["sizes"]}, collections.Counter()
            for (repetition, block, _), total in longest.items():
                blocks[f"DC_Call->{block}"] += total if repetition == line["repetition"] else 0
            rows += [Row(path, sizes, 1e-9 * ns) for path, ns in {"DC_Call": line["elapsed_ns"], **blocks}.items() if ns]
    return rows


def to_extra_p(rows):
    for row in rows:
        yield json.dumps({"params": row.sizes, "callpath": row.series, "metric": "time", "value": row.seconds}) + "\n"


# By form: the reader, and what it may become, the usual form first.
GRAPHS, TABLES = ("matrix-market", "edges"), ("csv", "extra-p")
FORMS = {"metis": (metis, GRAPHS), "konect": (konect, GRAPHS), "csv-graph": (csv_graph, GRAPHS), "edges": (edges, GRAPHS),
         "csv": (csv_table, TABLES), "extra-p": (extra_p, TABLES), "extra-p-lines": (extra_p_lines, TABLES),
         "google-benchmark": (google_benchmark, TABLES), "trace": (trace_rows, ("extra-p",)), "osu": (osu, ("machine",))}
WRITERS = {"matrix-market": (matrix_market, ".mtx"), "edges": (edge_list, ".edges"), "csv": (table, ".csv"),
           "extra-p": (to_extra_p, ".jsonl"), "machine": (None, ".machine.json")}


def form_of(text):
    """The form by how the text begins; of whole numbers alone, by which of two readers takes it."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    if first.startswith("%%MatrixMarket"):
        raise Refusal("is Matrix Market, which Cleave reads as it is")
    if re.match(r"%\s*(sym|asym|bip)\b", first):
        return "konect"
    if re.search(r"^# OSU MPI ", text, flags=re.M):
        return "osu"
    if first.startswith("{"):
        return ("trace" if '"cleave-trace"' in first else "extra-p-lines" if '"params"' in first else "google-benchmark")
    _, words = next(iter(lines_of(text)), (0, []))
    if words[:1] == ["PARAMETER"]:
        return "extra-p"
    if not words or not all(word.isdigit() for word in words):
        head = csv_rows(text)[:1]
        if not head or len(head[0]) < 2:
            raise Refusal("is of no form that is known; name it by --from: " + ", ".join(FORMS))
        return "csv" if "seconds" in head[0] else "csv-graph"
    taken = []
    for form in (metis, edges):
        try:
            form(text)
            taken.append(form.__name__)
        except Refusal as refusal:
            last = refusal
    if len(taken) == 2:
        raise Refusal("may be METIS, or a list of edges: say which by --from metis or --from edges")
    if not taken:
        raise Refusal(f"is neither METIS nor a list of edges: {last}")
    return taken[0]


def convert(files, form=None, to=None, out=None, only=None, renumber=False, inside_host=False):
    """Writes `files`, which are of one form, as `to`, and returns the names of what it wrote."""
    found = []
    for file in files:
        try:
            text = text_of(file)
            this = form or form_of(text)
            reader, targets = FORMS[this]
            found.append((this, reader(text, renumber) if reader is edges else reader(text)))
        except Refusal as refusal:
            raise Refusal(f"{file}: {refusal}") from None
    if len({this for this, _ in found}) != 1 or (len(files) > 1 and targets is GRAPHS):
        raise Refusal("one graph, or files of one form: these are " + ", ".join(this for this, _ in found))
    to = to or targets[0]
    if to not in targets:
        raise Refusal(f"{files[0]}: of {found[0][0]} can be made {' or '.join(targets)}, not {to}")
    write, suffix = WRITERS[to]
    out = pathlib.Path(out or re.sub(r"(\.gz)?$", "", re.sub(r"\.[^.]*(\.gz)?$", "", files[0])) + suffix)
    if any(out.exists() and out.samefile(file) for file in files):
        raise Refusal(f"{out} is read: give another name by -o")
    written = {out: None}
    if to == "machine":
        written[out] = machine([read for _, read in found], ", ".join(pathlib.Path(f).name for f in files), inside_host)
    elif targets is GRAPHS:
        graph = found[0][1]
        written[out] = write(graph)
        if graph.names is not None:
            written[out.with_name(out.name + ".ids")] = (f"{name}\n" for name in graph.names)
    else:
        rows = [row for _, read in found for row in read]
        written[out] = write([row for row in rows if only in (None, row.series)])
    for path, parts in written.items():
        partial = path.with_name(path.name + ".partial")
        try:
            with open(partial, "w", encoding="utf-8", newline="") as file:
                file.writelines(parts)
            os.replace(partial, path)
        finally:
            partial.unlink(missing_ok=True)
    return list(map(str, written))


def main():
    parser = argparse.ArgumentParser(prog="python3 -m cleave.convert", description=__doc__.split("\n\n")[0],
                                     epilog=__doc__.split("\n\n")[1])
    parser.add_argument("files", nargs="+", metavar="FILE", help="of one form; several tables, or OSU's two files")
    parser.add_argument("--from", dest="form", choices=FORMS, help="the form; without it how the file begins tells")
    parser.add_argument("--to", choices=WRITERS, help="the usual one is the first that the form can become")
    parser.add_argument("-o", dest="out", metavar="OUT", help="without it beside FILE, with another ending")
    parser.add_argument("--only", metavar="SERIES", help="the benchmark or call path of a table")
    parser.add_argument("--renumber", action="store_true",
                        help="number the ids of a list of edges from 0 on, without gaps; OUT.ids has the old ones, a line each")
    parser.add_argument("--inside-host", action="store_true", help="OSU's two ranks ran on one host")
    given = vars(parser.parse_args())
    try:
        print("written: " + ", ".join(convert(**given)))
    except (Refusal, OSError) as error:
        sys.exit(f"cleave.convert: {error}")


if __name__ == "__main__":
    main()
