#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`python -m cleave.convert` on files as other tools write them, and programs of Cleave on what it made of them.

usage: convert_test.py PROGRAMS MPIEXEC SOURCE_FOLDER
"""

import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAMS, MPIEXEC, SOURCE = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], pathlib.Path(sys.argv[3])

# The example of METIS's manual, figure 3, plain and with weights of vertices and edges.
METIS = "% a graph of 7 vertices\n7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n"
METIS_OF_WEIGHTS = "3 2 011 2\n1 2 2 5\n3 4 1 5 3 6\n7 8 2 6\n"
METIS_EDGES = [(2, 1), (3, 2), (3, 1), (4, 2), (4, 3), (5, 1), (5, 3), (6, 5), (6, 4), (7, 6), (7, 4)]


def matrix(vertices, edges):
    lines = "".join(f"{u} {v}\n" for u, v in edges)
    return f"%%MatrixMarket matrix coordinate pattern symmetric\n{vertices} {vertices} {len(edges)}\n{lines}"


EXTRA_P = """# a comment
PARAMETER p n
POINTS (1 10) (2 10)
POINTS (4 10)
METRIC time
REGION main->solve
DATA 8 8.5
DATA 4

DATA 2
"""
EXTRA_P_LINES = ('{"params":{"p":4},"callpath":"main","metric":"time","value":[2,3]}\n'
                 '{"params":{"p":8},"callpath":"main","metric":"time","value":1.5}\n')
# Output of libbenchmark 1.7, shortened to one run of each kind.
GOOGLE = json.dumps({"context": {"num_cpus": 2, "library_build_type": "release"}, "benchmarks": [
    {"name": "BM_Sort/1024", "family_index": 0, "run_name": "BM_Sort/1024", "run_type": "iteration", "repetitions": 3,
     "iterations": 99, "real_time": 2e3, "cpu_time": 1e3, "time_unit": "ns"},
    {"name": "BM_Sort/2048/real_time", "run_name": "BM_Sort/2048/real_time", "run_type": "iteration", "real_time": 4.5,
     "time_unit": "us"},
    {"name": "BM_Sort/1024_mean", "run_name": "BM_Sort/1024", "run_type": "aggregate", "aggregate_name": "mean",
     "real_time": 9, "time_unit": "ns"},
    {"name": "BM_Sort_BigO", "run_name": "BM_Sort", "run_type": "aggregate", "cpu_coefficient": 1, "big_o": "N"},
    {"name": "BM_Sort/1", "run_type": "iteration", "error_occurred": True}, {"name": "BM_Sort/4", "skipped": True}]}, indent=2)
LATENCY = "# OSU MPI Latency Test v7.3\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n1    2.0004\n1000     2.4\n10000    6.0\n"
BANDWIDTH = "# OSU MPI Bandwidth Test v7.3\n# Size      Bandwidth (MB/s)\n10000    2000.0\n1000000     2500.0\n"

# Form, file, further arguments, what is written.
CASES = {
    "metis": (METIS, [], matrix(7, METIS_EDGES)),
    "metis with weights": (METIS_OF_WEIGHTS, [], matrix(3, [(2, 1), (3, 2)])),
    "metis as edges": (METIS, ["--to", "edges"], "".join(f"{u - 1} {v - 1}\n" for u, v in METIS_EDGES)),
    "a circle of metis": ("3 3\n2 3\n1 3\n1 2\n", ["--from", "metis"], matrix(3, [(2, 1), (3, 1), (3, 2)])),
    "konect": ("% sym unweighted\n% 2 3 3\n1 2\n3 1 1 1082040961\n", [], matrix(3, [(2, 1), (3, 1)])),
    "konect of two sides": ("% bip unweighted\n1 1\n2 1\n", [], matrix(3, [(3, 1), (3, 2)])),
    "csv of names": ("source,target,weight\nb,a,1\n\"c\",a,2\n", [], matrix(3, [(2, 1), (3, 1)])),
    "csv of numbers": ("0;2\n1;2\n", [], matrix(3, [(3, 1), (3, 2)])),
    "edges with ids of 64 bits": ("# SNAP\n9000000000\t7\n7 8\n", ["--to", "edges"], "2 0\n0 1\n"),
    "edges with gaps": ("10 30\n30 20\n", ["--renumber"], matrix(3, [(3, 1), (3, 2)])),
    "extra-p": (EXTRA_P, [], "p,n,seconds\n1,10,8\n1,10,8.5\n2,10,4\n4,10,2\n"),
    "extra-p-lines": (EXTRA_P_LINES, [], "p,seconds\n4,2\n4,3\n8,1.5\n"),
    "extra-p-lines again": (EXTRA_P_LINES, ["--to", "extra-p"], None),
    "google-benchmark": (GOOGLE, [], "N,seconds\n1024,2e-06\n2048,4.5e-06\n"),
    "csv of a spreadsheet": ("\ufeffname;seconds;N\r\nx;2;8\r\ny;3;8\r\n", [], "name,N,seconds\nx,8,2\ny,8,3\n"),
    "one series": ("name;seconds;N\nx;2;8\ny;3;8\n", ["--only", "y"], "N,seconds\n8,3\n"),
    "osu": (LATENCY, [], {"ranks": 2, "between_hosts": True, "latency_s": 1e-6, "gap_s_per_byte": 2e-10}),
}

# File, arguments, the message.
REFUSED = [
    ("3 3\n2 3\n1 3\n1 2\n", [], "may be METIS, or a list of edges: say which by --from metis or --from edges"),
    ("3 2\n2\n1\n", [], "is neither METIS nor a list of edges: line 2: 1 words, where an edge has two ids"),
    ("3 2\n2\n1\n", ["--from", "metis"], "has 2 lines of vertices, where its header has 3"),
    ("3 9\n2\n1 3\n2\n", ["--from", "metis"], "has 2 edges and 4 ends of edges, where its header has 9 edges"),
    ("2 1\n3\n1\n", ["--from", "metis"], "line 2: 3 is no vertex: 1 to 2 are allowed"),
    ("1 -2\n", ["--from", "edges"], "line 1: '-2' is no whole number"),
    ("% sym\n0 1\n", [], "has the id 0, where KONECT counts from 1"),
    ("%%MatrixMarket matrix\n", [], "is Matrix Market, which Cleave reads as it is"),
    ("hello\n", [], "is of no form that is known"),
    ("PARAMETER p\nPOINTS 1 2\nREGION a\nDATA 1\nREGION b\n", [], "line 5: region 'a' has 1 lines of DATA for 2 points"),
    ("PARAMETER p q\nPOINTS (1 2) (3)\n", [], "line 2: POINTS has 3 numbers for 2 parameters"),
    ("PARAMETER p\nPOINT (1)\n", [], "line 2: 'POINT' is none of"),
    ('{"params":{"p":4}}\n', [], "line 1: has no params and value"),
    ("N;seconds\n1.5;2\n", [], "N is 1.5: a size is a whole number"),
    ("N;seconds\n1;0\n", [], "a time of 0.0 is not above 0"),
    ("N M;seconds\n1;2\n", [], "'N M' cannot name a size"),
    ("name;N;seconds\na;1;2\n", ["--only", "b"], "holds no run time"),
    (BANDWIDTH, [], "the output of osu_latency is needed once"),
    ("# OSU MPI Multiple Bandwidth / Message Rate Test\n1 1\n", [], "osu_latency or osu_bw alone is read"),
    (METIS, ["--to", "csv"], "of metis can be made matrix-market or edges, not csv"),
    (METIS, ["-o", "file.txt"], "file.txt is read: give another name by -o"),
    ("\0\xff", [], "is no text"),
]


class Convert(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="cleave_test_")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def run_it(self, *words, program=(sys.executable, "-m", "cleave.convert")):
        environment = {**os.environ, "PYTHONPATH": str(SOURCE / "models/python"), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run([*map(str, program), *map(str, words)], cwd=self.folder, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def converted(self, text, arguments=()):
        data = text if isinstance(text, bytes) else text.encode()
        (self.folder / "file.txt").write_bytes(data)
        done = self.run_it("file.txt", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / done.stdout.removeprefix("written: ").split(",")[0].strip()

    def test_each_form_gives_what_is_expected(self):
        for name, (text, arguments, expected) in CASES.items():
            with self.subTest(name):
                path = self.converted(text, arguments)
                if isinstance(expected, dict):
                    entry, = json.loads(path.read_text())["exchange"]
                    for key, value in expected.items():
                        self.assertAlmostEqual(entry[key] / value, 1, delta=0.01)
                elif expected is None:
                    self.assertEqual(self.converted(path.read_text()).read_text(), CASES["extra-p-lines"][2])
                else:
                    self.assertEqual(path.read_text(), expected)

    def test_ids_that_are_numbered_anew_and_packed_files(self):
        path = self.converted(gzip.compress(b"10 30\n30 9000000000\n"))
        self.assertEqual(path.read_text(), matrix(3, [(2, 1), (3, 2)]))
        self.assertEqual(path.with_name(path.name + ".ids").read_text(), "10\n30\n9000000000\n")

    def test_two_files_of_osu_are_one_machine(self):
        for name, text in (("latency", LATENCY), ("bandwidth", BANDWIDTH)):
            (self.folder / name).write_text(text)
        done = self.run_it("latency", "bandwidth", "--inside-host", "-o", "m.machine.json")
        self.assertEqual(done.stdout, "written: m.machine.json\n", done.stderr)
        entry, = json.loads((self.folder / "m.machine.json").read_text())["exchange"]
        self.assertFalse(entry["between_hosts"])
        self.assertAlmostEqual(entry["gap_s_per_byte"] / 2e-10, 1, delta=0.05)

    def test_what_is_wrong_is_one_line_and_nothing_is_written(self):
        for text, arguments, message in REFUSED:
            with self.subTest(message):
                (self.folder / "file.txt").write_bytes(text.encode("latin-1"))
                done = self.run_it("file.txt", *arguments)
                self.assertEqual(done.returncode, 1)
                self.assertIn(message, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertEqual([path.name for path in self.folder.iterdir()], ["file.txt"])

    def test_cleave_reads_what_was_made(self):
        rows = "".join(f'{{"params":{{"n":{n},"p":{p}}},"value":{n / p * 1e-6}}}\n' for n in (1000, 2000, 4000, 8000)
                       for p in (1, 2, 4))
        fit = self.run_it("fit", self.converted(rows), "--out", "x.model.json", program=[PROGRAMS / "cleave"])
        self.assertEqual(fit.returncode, 0, fit.stderr)
        refused = self.run_it("fit", "file.txt", "--out", "y.model.json", program=[PROGRAMS / "cleave"])
        self.assertIn("python -m cleave.convert file.txt", refused.stderr)
        for arguments in ([], ["--to", "edges"]):
            graph = self.converted(METIS, arguments)
            labels = self.run_it("-n", 2, PROGRAMS / "cleave-components", "--graph", graph, "--verify", program=[MPIEXEC])
            self.assertEqual(labels.returncode, 0, labels.stderr)
        trace = self.folder / "t.trace.jsonl"
        self.run_it("-n", 2, PROGRAMS / "cleave-quicksort", "--size", "N=64K", "--trace", trace, program=[MPIEXEC])
        done = self.run_it(trace, "-o", "t.jsonl")
        self.assertEqual(done.returncode, 0, done.stderr)
        paths = {json.loads(line)["callpath"] for line in (self.folder / "t.jsonl").read_text().splitlines()}
        self.assertLessEqual({"DC_Call", "DC_Call->sequential", "DC_Call->partition"}, paths)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
