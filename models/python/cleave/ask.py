# SPDX-License-Identifier: Apache-2.0
"""`cleave fit`, `predict`, `plan` and `report`, whose answers are pandas DataFrames.

`options` are further ones of the command, such as ["--machine", "ethernet-10g"]. `program` is the command
where it is neither the wheel's nor in PATH.
"""

import json
import pathlib
import shutil
import subprocess
import tempfile
import weakref

import pandas as pd

from . import command
from .files import CleaveError, frame_of, read_model, read_runs

_TIMES = ["seconds", "low", "high", "run_low", "run_high", "state"]


class Model(pd.DataFrame):
    """The coefficients of a model, as `read_model` has them, and what it answers, as by the functions of these names."""

    _metadata = ["runs", "program"]

    def predict(self, ranks, sizes, **more):
        return predict(self.attrs["file"], ranks, sizes, program=self.program, **more)

    def plan(self, sizes, **more):
        return plan(self.attrs["file"], sizes, program=self.program, **more)

    def report(self, out):
        """Writes the page of predictions beside what was measured into the folder `out`, and returns its path."""
        return _answer_of(self.program, ["report", self.attrs["file"], *self.runs, *_given(out=out)], [])["page"]

    def plot(self, over=None, axes=None):
        """Draws predictions with their intervals, on to four times what was fitted, and measured times as points.

        `over` is "ranks" or a size; without it ranks, where these vary, else the first size. Returns Matplotlib's axes.
        """
        try:
            from matplotlib import pyplot
        except ImportError:
            raise CleaveError("plot needs Matplotlib: pip install matplotlib") from None
        model = json.loads(pathlib.Path(self.attrs["file"]).read_text())
        fitted = pd.DataFrame([{"ranks": run["ranks"], **run["sizes"]} for run in model["fitted"]]).drop_duplicates()
        over = over or (fitted.columns[0] if fitted["ranks"].nunique() > 1 else fitted.columns[1])
        last = fitted[fitted[over] == fitted[over].max()]
        asked = pd.concat([fitted, *(last.assign(**{over: i * last[over]}) for i in (2, 4))])
        found = pd.concat([self.predict(ranks, size.drop(columns="ranks").to_dict("records"))
                           for ranks, size in asked.groupby("ranks")])
        axes = axes or pyplot.subplots()[1]
        others = asked.columns.drop(over)
        for name, line in found.groupby(found[others].astype(str).agg(", ".join, axis=1), sort=False):
            line = line.sort_values(over).astype({over: float})
            color = axes.plot(line[over], line.seconds, label=name)[0].get_color()
            axes.fill_between(line[over], line.low, line.high, color=color, alpha=0.2)
        measured = [{"ranks": 1, **p["sizes"], "seconds": p["seconds"]} for p in model.get("table", {}).get("points", [])]
        measured = pd.DataFrame(measured) if measured else read_runs(self.runs).query("~warm_up")
        axes.scatter(measured[over], measured.seconds, color="black", s=9)
        axes.set(xlabel=over, ylabel="seconds", xscale="log", yscale="log")
        axes.legend(title=", ".join(others))
        return axes


def fit(traces, out=None, *, machine=None, options=(), program=None):
    """Fits a model to traces, and returns it as a Model.

    `traces` is a study's folder, a trace or a list of these, or a DataFrame of run times: a column `seconds`, `ranks`
    where they vary, and one a size. `out` is the *.model.json to write. It may be left out of a study's folder, which has
    one, and of a DataFrame: such a model lasts as long as what is returned. `machine` is a *.machine.json.
    """
    if hasattr(traces, "to_csv"):
        table = pathlib.Path(tempfile.mkdtemp(prefix="cleave-"), "runs.csv")
        traces.to_csv(table, index=False)
        model = fit(table, out or table.with_name("runs.model.json"), machine=machine, options=options, program=program)
        weakref.finalize(model, shutil.rmtree, table.parent)
        return model
    traces = [str(trace) for trace in ([traces] if isinstance(traces, (str, pathlib.Path)) else traces)]
    frame = read_model(_answer_of(program, ["fit", *traces, *_given(out=out, machine=machine)], options)["written"])
    model = Model(frame)
    model.attrs, model.runs, model.program = frame.attrs, traces, program
    return model


def predict(model, ranks, sizes, *, options=(), program=None):
    """How long runs take: one row a number of ranks and size.

    `model` is a *.model.json or a study's folder; `ranks` a number or several; `sizes` a dict of sizes such
    as {"N": 1 << 30}, or several. Columns: ranks, threads, ranks_per_host, the quiet time in seconds with low and
    high of its 95 % interval, run_low and run_high of 95 % of runs on a host as it was, state (checked, not
    checked or failed), and one a size. `attrs` has the verdict on the model, and remarks: what the predictions
    rest on besides the laws.
    """
    sizes = [sizes] if isinstance(sizes, dict) else list(sizes)
    answer = _answer_of(program, ["predict", str(model), *_given(ranks=ranks), *map(_size, sizes)], options)
    found = answer["predictions"]
    rows = [{"ranks": p["ranks"], "threads": p["threads"], "ranks_per_host": p["ranks_per_host"], **p["sizes"],
             **_times_of(p)} for p in found]
    return frame_of(rows, ["ranks", "threads", "ranks_per_host", *_TIMES], verdict=answer["verdict"],
                    remarks=_remarks_of(found))


def plan(model, sizes, *, deadline=None, efficiency=None, ranks=None, options=(), program=None):
    """How many ranks keep a deadline, such as "60s", or are used with an efficiency: one row a number of ranks.

    `model` and `sizes` (one dict) as for predict. Without `ranks` those of `cleave plan` are tried. Columns: ranks,
    the times as of predict, speedup, efficiency, core_hours, fits (whether it does), and one a size. `attrs` has the
    verdict, the remarks, and ranks: the choice, or None where nothing fits.
    """
    wanted = _given(deadline=deadline, efficiency=efficiency, ranks=ranks)
    answer = _answer_of(program, ["plan", str(model), _size(sizes), *wanted], options)
    found = answer["choices"]
    rows = [{"ranks": p["ranks"], **p["sizes"], **_times_of(p),
             **{name: p[name] for name in ("speedup", "efficiency", "core_hours", "fits")}} for p in found]
    return frame_of(rows, ["ranks", *_TIMES, "speedup", "efficiency", "core_hours", "fits"],
                    verdict=answer["verdict"], ranks=answer["ranks"], remarks=_remarks_of(found))


def _given(**options):
    return [f"--{name}={','.join(map(str, value)) if hasattr(value, '__iter__') and not isinstance(value, str) else value}"
            for name, value in options.items() if value is not None]


def _size(size):
    return "--size=" + ",".join(f"{name}={count}" for name, count in size.items())


def _times_of(p):
    return dict(zip(_TIMES, (p["seconds"], *p["interval"], *p["as_the_host_was"], p["state"])))


def _remarks_of(found):
    return list(dict.fromkeys(remark for p in found for remark in p["remarks"]))


def _answer_of(program, words, options):
    program = program or command()
    try:
        done = subprocess.run([program, *words, *options, "--json"], capture_output=True, text=True)
    except OSError as error:
        raise CleaveError(f"{program} cannot be started: {error.strerror}; name it by program=") from None
    # A plan that nothing fits is an answer, with status 1.
    if not done.stdout:
        raise CleaveError(done.stderr.strip())
    return json.loads(done.stdout)
