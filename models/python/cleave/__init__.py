# SPDX-License-Identifier: Apache-2.0
"""Cleave's files as pandas DataFrames, and models, predictions and plans by the program `cleave`.

Times are integer nanoseconds in columns that end in _ns and seconds in all others. What holds of a whole
file or answer is in `frame.attrs`.
"""

from .ask import fit, plan, predict
from .files import CleaveError, read_machine, read_model, read_runs, read_trace, read_traces

__all__ = ["CleaveError", "fit", "plan", "predict", "read_machine", "read_model", "read_runs", "read_trace",
           "read_traces"]
__version__ = "0.3.0"
