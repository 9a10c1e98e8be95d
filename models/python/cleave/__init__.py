# SPDX-License-Identifier: Apache-2.0
"""Cleave's files as pandas DataFrames, and models, predictions and plans by the program `cleave`.

Times are integer nanoseconds in columns that end in _ns and seconds in all others. What holds of a whole
file or answer is in `frame.attrs`.
"""

import importlib
import os
import pathlib
import sys

__all__ = ["CleaveError", "Model", "command", "fit", "plan", "predict", "read_machine", "read_model", "read_runs",
           "read_trace", "read_traces"]
__version__ = "0.3.0"


def command():
    """The program `cleave`: that of the wheel, else the one in PATH."""
    of_wheel = pathlib.Path(__file__).with_name("bin") / "cleave"
    return str(of_wheel) if of_wheel.exists() else "cleave"


def main():
    os.execvp(command(), [command(), *sys.argv[1:]])


def __getattr__(name):
    """All but `cleave.convert` and the command needs pandas, which is imported at the first use."""
    for module in ("ask", "files") if name in __all__ else ():
        found = getattr(importlib.import_module(f".{module}", __name__), name, None)
        if found is not None:
            return found
    raise AttributeError(f"module 'cleave' has no attribute {name!r}")
