# SPDX-License-Identifier: Apache-2.0
"""Cleave's files as pandas DataFrames, and models, predictions and plans by the program `cleave`.

Times are integer nanoseconds in columns that end in _ns and seconds in all others. What holds of a whole
file or answer is in `frame.attrs`.
"""

import importlib

__all__ = ["CleaveError", "fit", "plan", "predict", "read_machine", "read_model", "read_runs", "read_trace",
           "read_traces"]
__version__ = "0.3.0"


def __getattr__(name):
    """All but `cleave.convert` needs pandas, which is imported at the first use."""
    for module in ("ask", "files") if name in __all__ else ():
        found = getattr(importlib.import_module(f".{module}", __name__), name, None)
        if found is not None:
            return found
    raise AttributeError(f"module 'cleave' has no attribute {name!r}")
