# SPDX-License-Identifier: Apache-2.0
"""`cleave fit`, `predict` and `plan`, whose answers are pandas DataFrames.

`options` are further ones of the command, such as ["--machine", "ethernet-10g"]. `program` is the command
where it is not in PATH.
"""

import json
import numbers
import pathlib
import subprocess
import tempfile

from .files import CleaveError, frame_of, read_model

_TIMES = ["seconds", "low", "high", "run_low", "run_high", "state"]


def fit(traces, out=None, *, machine=None, options=(), program="cleave"):
    """Fits a model to traces, and returns its coefficients as `read_model` does.

    `traces` is a study's folder, a trace or a list of these, or a DataFrame of run times: a column `seconds`, `ranks`
    where they vary, and one a size. `out` is the *.model.json to write, and may be left out of a study's folder, which
    has one. `machine` is a *.machine.json.
    """
    if hasattr(traces, "to_csv"):
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder, "runs.csv")
            traces.to_csv(table, index=False)
            return fit(table, out, machine=machine, options=options, program=program)
    traces = [traces] if isinstance(traces, (str, pathlib.Path)) else list(traces)
    command = ["fit", *map(str, traces)]
    command += ["--out", str(out)] if out is not None else []
    command += ["--machine", str(machine)] if machine is not None else []
    return read_model(_answer_of(program, command, options)["written"])


def predict(model, ranks, sizes, *, options=(), program="cleave"):
    """How long runs take: one row a number of ranks and size.

    `model` is a *.model.json or a study's folder; `ranks` a number or several; `sizes` a dict of sizes such
    as {"N": 1 << 30}, or several. Columns: ranks, threads, ranks_per_host, the quiet time in seconds with low and
    high of its 95 % interval, run_low and run_high of 95 % of runs on a host as it was, state (checked, not
    checked or failed), and one a size. `attrs` has the verdict on the model, and remarks: what the predictions
    rest on besides the laws.
    """
    sizes = [sizes] if isinstance(sizes, dict) else list(sizes)
    command = ["predict", str(model), *_ranks(ranks)]
    for size in sizes:
        command += _size(size)
    answer = _answer_of(program, command, options)
    found = answer["predictions"]
    rows = [{"ranks": p["ranks"], "threads": p["threads"], "ranks_per_host": p["ranks_per_host"], **p["sizes"],
             **_times_of(p)} for p in found]
    return frame_of(rows, ["ranks", "threads", "ranks_per_host", *_TIMES], verdict=answer["verdict"],
                    remarks=_remarks_of(found))


def plan(model, sizes, *, deadline=None, efficiency=None, ranks=None, options=(), program="cleave"):
    """How many ranks keep a deadline, such as "60s", or are used with an efficiency: one row a number of ranks.

    `model` and `sizes` (one dict) as for predict. Without `ranks` those of `cleave plan` are tried. Columns: ranks,
    the times as of predict, speedup, efficiency, core_hours, fits (whether it does), and one a size. `attrs` has the
    verdict, the remarks, and ranks: the choice, or None where nothing fits.
    """
    command = ["plan", str(model), *_size(sizes)]
    command += ["--deadline", str(deadline)] if deadline is not None else []
    command += ["--efficiency", str(efficiency)] if efficiency is not None else []
    command += _ranks(ranks) if ranks is not None else []
    answer = _answer_of(program, command, options)
    found = answer["choices"]
    rows = [{"ranks": p["ranks"], **p["sizes"], **_times_of(p),
             **{name: p[name] for name in ("speedup", "efficiency", "core_hours", "fits")}} for p in found]
    return frame_of(rows, ["ranks", *_TIMES, "speedup", "efficiency", "core_hours", "fits"],
                    verdict=answer["verdict"], ranks=answer["ranks"], remarks=_remarks_of(found))


def _ranks(ranks):
    ranks = [ranks] if isinstance(ranks, numbers.Integral) else ranks
    return ["--ranks", ",".join(map(str, ranks))]


def _size(size):
    return ["--size", ",".join(f"{name}={count}" for name, count in size.items())]


def _times_of(p):
    return dict(zip(_TIMES, (p["seconds"], *p["interval"], *p["as_the_host_was"], p["state"])))


def _remarks_of(found):
    return list(dict.fromkeys(remark for p in found for remark in p["remarks"]))


def _answer_of(program, command, options):
    try:
        done = subprocess.run([program, *command, *options, "--json"], capture_output=True, text=True)
    except OSError as error:
        raise CleaveError(f"{program} cannot be started: {error.strerror}; name it by program=") from None
    # A plan that nothing fits is an answer, with status 1.
    if not done.stdout:
        raise CleaveError(done.stderr.strip())
    return json.loads(done.stdout)
