# SPDX-License-Identifier: Apache-2.0
"""What becomes of predictions: the figures that all referees tell of them."""

import statistics


def summary_of(rows):
    """Of rows with `relative_error` and `interval_holds`."""
    errors = [abs(row["relative_error"]) for row in rows]
    return {
        "predictions": len(rows),
        "median_abs_relative_error": statistics.median(errors),
        "mean_abs_relative_error": statistics.mean(errors),
        "worst_abs_relative_error": max(errors),
        "intervals_that_hold": sum(row["interval_holds"] for row in rows),
    }
