#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package `cleave` on files of real runs; the page and the notebook that tell of it are run as they stand.

usage: python_test.py PROGRAMS MPIEXEC SOURCE_FOLDER   status 77 where pandas is missing
"""

import contextlib
import importlib.util
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

PROGRAMS, MPIEXEC, SOURCE = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
PACKAGE = SOURCE / "models/python"

sys.path.insert(0, str(PACKAGE))
sys.dont_write_bytecode = True
try:
    import pandas
    import cleave
except ImportError as error:
    print(f"skipped: {error}; apt-get install python3-pandas")
    sys.exit(77)

missing = {name for name in ("otf2", "nbclient", "nbformat", "ipykernel") if importlib.util.find_spec(name) is None}


def run(*command):
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def setUpModule():
    """A folder with a study of a sort and a search, as `cleave study` leaves one."""
    global FOLDER, STUDY, SEARCH, holder
    holder = tempfile.TemporaryDirectory(prefix="cleave_test_")
    FOLDER = pathlib.Path(holder.name)
    STUDY = FOLDER / "sort-study"
    (STUDY / "traces").mkdir(parents=True)
    for size in ("16K", "32K", "64K", "128K"):
        for ranks in (1, 2):
            run(MPIEXEC, "-n", ranks, PROGRAMS / "cleave-quicksort", "--size", f"N={size}", "--repetitions", 3,
                "--trace", STUDY / "traces" / f"{size}.{ranks}.trace.jsonl")
    machine = {"format": "cleave-machine", "version": 2, "name": "made up",
               "exchange": [{"ranks": 2, "between_hosts": True, "latency_s": 1e-6, "gap_s_per_byte": 1e-10}]}
    (STUDY / "here.machine.json").write_text(json.dumps(machine))
    run(PROGRAMS / "cleave", "fit", *sorted((STUDY / "traces").iterdir()), "--machine", STUDY / "here.machine.json",
        "--out", STUDY / "quicksort.model.json")
    SEARCH = FOLDER / "search.trace.jsonl"
    run(MPIEXEC, "-n", 2, PROGRAMS / "cleave-uts", "--tree", "prins:T1", "--threads", 2, "--repetitions", 2,
        "--trace", SEARCH)
    os.environ["PATH"] = f"{PROGRAMS}:{os.environ['PATH']}"


def tearDownModule():
    holder.cleanup()


def table_of_few():
    """A table of times that say little, and where its model is to be."""
    table = FOLDER / "few.csv"
    table.write_text("N,seconds\n1,1\n2,5\n4,2\n8,40\n")
    return table, FOLDER / "few.model.json"


def lines_of(path):
    return [json.loads(line) for line in path.read_text().split("\n")[:-1]]


class Traces(unittest.TestCase):
    def test_has_a_row_for_each_span(self):
        path = STUDY / "traces/64K.2.trace.jsonl"
        spans, lines = cleave.read_trace(path), lines_of(path)
        expected = [line for line in lines if "block" in line]
        self.assertEqual(len(spans), len(expected))
        offsets = lines[0]["clock_offset_ns"]
        for line, row in zip(expected, spans.to_dict("records")):
            for name in ("repetition", "rank", "level", "group", "block", "bytes"):
                self.assertEqual(row[name], line[name])
            self.assertEqual(row["begin_ns"], line["begin_ns"] - offsets[line["rank"]])
            self.assertEqual(row["end_ns"] - row["begin_ns"], line["end_ns"] - line["begin_ns"])
            self.assertEqual(row["warm_up"], line["repetition"] == 0)
            self.assertEqual({name: row[name] for name in line["sizes"]}, line["sizes"])
        self.assertEqual(spans.attrs["run"], lines[0])
        self.assertEqual(set(spans.worker), {0})
        search = cleave.read_trace(SEARCH)
        self.assertEqual(set(zip(search["rank"], search.worker)), {(0, 0), (0, 1), (1, 0), (1, 1)})

    def test_a_folder_stands_for_its_traces(self):
        spans = cleave.read_traces(STUDY)
        self.assertEqual(spans.file.nunique(), 8)
        self.assertEqual(set(spans.ranks), {1, 2})
        self.assertEqual(len(spans.attrs["runs"]), 8)
        both = cleave.read_traces([STUDY, SEARCH])
        self.assertEqual(len(both), len(spans) + len(cleave.read_trace(SEARCH)))
        self.assertTrue(both[both.app == "uts"].N.isna().all())
        self.assertEqual(str(both.N.dtype), "Int64")

    def test_repetitions_have_the_times_of_whole_calls(self):
        runs = cleave.read_runs(STUDY)
        self.assertEqual(len(runs[~runs.warm_up]), 8 * 3)
        expected = sum(line["elapsed_ns"] for path in (STUDY / "traces").iterdir()
                       for line in lines_of(path) if "elapsed_ns" in line)
        self.assertAlmostEqual(runs.seconds.sum(), expected * 1e-9, places=9)
        self.assertEqual(set(runs.N), {16 << 10, 32 << 10, 64 << 10, 128 << 10})

    def test_what_is_wrong_is_one_sentence(self):
        good = SEARCH.read_text()
        for text, message in ((good[:-1].rsplit("\n", 1)[0] + "\n", "was cut short"),
                              (good.replace('"version":3', '"version":4', 1),
                               "field 'version' is 4, this module reads version 3"),
                              ("{}\n", "is no cleave-trace"), ("", "is no JSON"), ("{\n", "line 1 is no JSON")):
            path = FOLDER / "bad.trace.jsonl"
            path.write_text(text)
            with self.assertRaises(cleave.CleaveError) as raised:
                cleave.read_trace(path)
            self.assertIn(message, str(raised.exception))
            self.assertNotIn("\n", str(raised.exception))
            path.unlink()
        for wrong in (FOLDER / "none", FOLDER / "none.trace.jsonl", []):
            with self.assertRaises(cleave.CleaveError):
                cleave.read_traces(wrong)
        (FOLDER / "empty").mkdir()
        with self.assertRaisesRegex(cleave.CleaveError, "has no \\*.trace.jsonl"):
            cleave.read_traces(FOLDER / "empty")


class Models(unittest.TestCase):
    def test_has_a_row_for_each_coefficient(self):
        model = json.loads((STUDY / "quicksort.model.json").read_text())
        frame = cleave.read_model(STUDY)
        self.assertEqual(frame.attrs["app"], "quicksort")
        for block in model["hypercube"]["blocks"]:
            rows = frame[frame.part == block["block"]]
            terms = block["law"]["forms"][0]["terms"]
            self.assertEqual(len(set(rows.term)), len(terms))
            for term, factors in zip(dict.fromkeys(rows.term), terms):
                self.assertEqual(term.count("log2("), sum(factor["is_log"] for factor in factors))
                self.assertTrue(all(factor["size"] in term for factor in factors) if factors else term == "1")
            self.assertEqual(list(rows.coefficient),
                             [factor * c for form in block["law"]["forms"][:1]
                              for factor in form["ranks_per_host_factors"].values() for c in form["coefficients"]])
        self.assertIn("exchange.bytes", set(frame.part))

    def test_of_a_search_and_of_a_table_has_its_laws(self):
        traces = [FOLDER / f"queens-{n}-{ranks}.trace.jsonl" for n in (8, 9, 10, 11) for ranks in (1, 2)]
        for path in traces:
            _, n, ranks = path.name.split(".")[0].split("-")
            run(MPIEXEC, "-n", ranks, PROGRAMS / "example-queens", "--size", f"N={n}", "--trace", path)
        queens = cleave.fit(traces, FOLDER / "queens.model.json")
        self.assertLessEqual({"search", "inverse_efficiency"}, set(queens.part))
        self.assertFalse((queens.r_squared < 0).any())
        self.assertEqual(len(cleave.fit(*table_of_few())), 0, "its points answer")
        rows = [f"{n},{m},{n * m + n}" for n in (1, 2, 4, 8, 16) for m in (1, 2, 4, 8)]
        table = FOLDER / "laws.csv"
        table.write_text("\n".join(["N,M,seconds", *rows]) + "\n")
        of_file = cleave.fit(table, FOLDER / "laws.model.json")
        self.assertEqual(list(of_file["part"].unique()), ["run"])
        self.assertTrue(of_file.equals(cleave.fit(pandas.read_csv(table), FOLDER / "frame.model.json")))

    def test_machine_has_a_row_for_each_entry(self):
        machine = cleave.read_machine(STUDY)
        self.assertEqual(len(machine), 1)
        self.assertEqual(machine.latency_s[0], 1e-6)
        self.assertEqual(machine.attrs["name"], "made up")
        with self.assertRaises(cleave.CleaveError):
            cleave.read_machine(STUDY / "quicksort.model.json")


class Commands(unittest.TestCase):
    def test_a_model_of_a_frame_answers_and_is_drawn(self):
        rows = [(ranks, n, 1e-3 * n / ranks) for ranks in (1, 2, 4, 8) for n in (100, 200, 400)]
        model = cleave.fit(pandas.DataFrame(rows, columns=["ranks", "N", "seconds"]))
        self.assertEqual(model.plan({"N": 200}, deadline="1d").attrs["ranks"], 1)
        self.assertTrue(pathlib.Path(model.report(FOLDER / "page")).read_text().startswith("<!doctype html>"))
        axes = mock.Mock(**{"plot.return_value": [mock.Mock()]})
        with mock.patch.dict(sys.modules, {"matplotlib": mock.Mock()}):
            by_ranks, by_size = (model.plot(over, axes).plot.call_args_list[i:] for over, i in ((None, 0), ("N", 3)))
        self.assertEqual([call.kwargs["label"] for call in by_ranks + by_size], ["100", "200", "400", "1", "2", "4", "8"])
        self.assertEqual([list(by_ranks[0].args[0]), list(by_size[0].args[0])], [[1, 2, 4, 8, 16, 32], [100, 200, 400, 800, 1600]])
        for n, seconds in zip(*by_size[1].args):
            self.assertAlmostEqual(seconds / n, 0.5e-3, delta=0.05e-3)
        with mock.patch.dict(sys.modules, {"matplotlib": None}), self.assertRaisesRegex(cleave.CleaveError, "pip install"):
            model.plot()
        file = model.attrs["file"]
        del model
        self.assertFalse(os.path.exists(file))

    def test_predictions_are_those_of_cleave(self):
        frame = cleave.predict(STUDY, [1, 2], [{"N": 1 << 20}, {"N": 1 << 21}])
        self.assertEqual(len(frame), 4)
        printed = subprocess.run(["cleave", "predict", STUDY, "--ranks", "1,2", "--size", "N=1M", "--size", "N=2M",
                                  "--json"], capture_output=True, text=True, check=True).stdout
        for row, p in zip(frame.to_dict("records"), json.loads(printed)["predictions"]):
            self.assertEqual([row["ranks"], {"N": row["N"]}], [p["ranks"], p["sizes"]])
            self.assertEqual([row["seconds"], row["low"], row["high"]], [p["seconds"], *p["interval"]])
        self.assertEqual(len(cleave.predict(STUDY, 2, {"N": 1 << 20})), 1)

    def test_what_is_hardly_known_has_a_wide_interval(self):
        model = cleave.fit(*table_of_few()).attrs["file"]
        far = cleave.predict(model, 1, {"N": 1 << 30}).iloc[0]
        self.assertLess(4 * far["low"], far["high"])
        self.assertTrue(far["low"] < far["seconds"] < far["high"])

    def test_a_fit_is_the_model_that_cleave_writes(self):
        path = FOLDER / "by_python.model.json"
        frame = cleave.fit(STUDY, path, machine=STUDY / "here.machine.json")
        self.assertEqual(frame.attrs["file"], str(path))
        self.assertTrue(frame.equals(cleave.read_model(STUDY)))
        traces = sorted((STUDY / "traces").glob("*.2.trace.jsonl"))
        self.assertEqual(cleave.fit(traces, path).attrs["app"], "quicksort")

    def test_a_plan_has_the_choice(self):
        # A table's times are moved by no other program.
        table, model = FOLDER / "of_a_law.csv", FOLDER / "of_a_law.model.json"
        rows = [f"{n},{ranks},{1e-6 * n / ranks}" for n in (1000, 2000, 4000, 8000) for ranks in (1, 2, 4)]
        table.write_text("\n".join(["N,ranks,seconds", *rows]) + "\n")
        run("cleave", "fit", table, "--out", model)
        frame = cleave.plan(model, {"N": 1 << 16}, efficiency=0, ranks=[1, 2])
        self.assertEqual(list(frame["ranks"]), [1, 2])
        self.assertTrue(frame.fits.all())
        self.assertIn(frame.attrs["ranks"], (1, 2))
        frame = cleave.plan(model, {"N": 1 << 16}, deadline="1e-9")
        self.assertEqual(len(frame), 11)
        self.assertFalse(frame.fits.any())
        self.assertIsNone(frame.attrs["ranks"])

    def test_what_is_refused_says_why(self):
        with self.assertRaisesRegex(cleave.CleaveError, "^cleave: size M is not one of this model's: N"):
            cleave.predict(STUDY, 2, {"M": 5})
        with self.assertRaisesRegex(cleave.CleaveError, "cannot be started"):
            cleave.predict(STUDY, 2, {"N": 5}, program="no-such-cleave")
        with self.assertRaisesRegex(cleave.CleaveError, "^cleave: .*no-such-study"):
            cleave.fit(FOLDER / "no-such-study", FOLDER / "none.model.json")
        self.assertFalse((FOLDER / "none.model.json").exists())


class Documents(unittest.TestCase):
    """The code of the documents runs in a folder that has sort-study, and is as short as they say."""

    def setUp(self):
        self.addCleanup(os.chdir, pathlib.Path.cwd())
        os.chdir(FOLDER)

    def test_the_page_runs(self):
        page = (SOURCE / "docs/how-to/analyse-with-pandas.md").read_text()
        blocks = re.findall(r"^```python\n(.*?)^```", page, flags=re.S | re.M)
        self.assertEqual(len(blocks), 5)
        names = {}
        for block in blocks:
            self.assertLessEqual(len(block.splitlines()), 10)
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(block, "page", "exec"), names)

    @unittest.skipIf("otf2" in missing or not shutil.which("otf2-print"), "apt-get install python3-otf2 otf2-tools")
    def test_the_script_of_otf2_writes_every_span(self):
        page = (SOURCE / "docs/how-to/open-in-vampir.md").read_text()
        pathlib.Path("script.py").write_text(re.search(r"^```python\n(.*?)^```", page, flags=re.S | re.M)[1])
        for trace in (STUDY / "traces/64K.2.trace.jsonl", SEARCH):
            run(sys.executable, "script.py", trace, f"{trace.name}.otf2")
            events = subprocess.run(["otf2-print", f"{trace.name}.otf2/traces.otf2"], capture_output=True, text=True).stdout
            found = re.findall(r'^ENTER +\d+ +(\d+) +Region: "([^"]*)"', events, flags=re.M)
            spans = cleave.read_trace(trace)
            spans.begin_ns -= spans.begin_ns.min()
            self.assertEqual(sorted((int(ns), block) for ns, block in found), sorted(zip(spans.begin_ns, spans.block)))
            self.assertEqual(len(re.findall("^LEAVE ", events, flags=re.M)), len(found))

    @unittest.skipIf(missing - {"otf2"}, "apt-get install python3-nbclient python3-ipykernel")
    def test_the_notebooks_run(self):
        shutil.rmtree("pages", ignore_errors=True)
        for name in ("analysis", "table"):
            self.run_notebook(name)
        self.assertGreater(pathlib.Path("pages/report.html").stat().st_size, 0)

    def run_notebook(self, name):
        import nbclient
        import nbformat

        notebook = nbformat.read(SOURCE / f"docs/how-to/{name}.ipynb", as_version=4)
        nbformat.validate(notebook)
        self.assertFalse(any(cell.outputs for cell in notebook.cells if cell.cell_type == "code"), "kept without output")
        os.environ["PYTHONPATH"] = str(PACKAGE)
        os.environ["PYTHONDONTWRITEBYTECODE"] = os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
        client = nbclient.NotebookClient(notebook, timeout=100, kernel_name="python3",
                                         resources={"metadata": {"path": str(FOLDER)}})
        client.execute()
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        self.assertTrue(any("text/html" in output.get("data", {}) for cell in code for output in cell.outputs))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
