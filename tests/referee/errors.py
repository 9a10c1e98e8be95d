# SPDX-License-Identifier: Apache-2.0
"""What becomes of predictions: the figures that all referees tell of them."""

import statistics


def answered(rows):
    """Those that have a prediction: a model whose runs are too noisy gives none."""
    return [row for row in rows if row["predicted_s"] is not None]


def summary_of(rows):
    """Of rows with `predicted_s`, `relative_error` and `interval_holds`; errors are null if none has a prediction."""
    predicted = answered(rows)
    errors = [abs(row["relative_error"]) for row in predicted]
    return {
        "predictions": len(predicted),
        "without_an_answer": len(rows) - len(predicted),
        "median_abs_relative_error": statistics.median(errors) if errors else None,
        "mean_abs_relative_error": statistics.mean(errors) if errors else None,
        "worst_abs_relative_error": max(errors, default=None),
        "intervals_that_hold": sum(row["interval_holds"] for row in predicted),
    }


def number(cell):
    """Of a table; None where a run has no prediction."""
    return float(cell) if cell else None


def percent(error, sign="", none=""):
    return none if error is None else f"{100 * error:{sign}.1f} %"
