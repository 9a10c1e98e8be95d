# SPDX-License-Identifier: Apache-2.0
"""Times against a size, both by their logarithms: as measured, and as a model of the smaller sizes says."""

import math
from typing import NamedTuple

from picture import Picture

WIDTH, HEIGHT = 380, 270
LEFT, RIGHT, TOP, BOTTOM = 62, 366, 52, 218
STYLE = """  .grid { stroke: #8c959f; stroke-width: 0.5; opacity: 0.5; }
  .band { fill: currentColor; opacity: 0.2; } .curve { fill: none; stroke: currentColor; stroke-width: 1.5; }
  .dot { fill: currentColor; } .held { fill: none; stroke: currentColor; }
  .ranks1 { color: #0969da; } .ranks2 { color: #bc4c00; }
  @media (prefers-color-scheme: dark) { .ranks1 { color: #58a6ff; } .ranks2 { color: #f0883e; } }
"""


class Run(NamedTuple):
    ranks: int
    size: float
    measured: float  # s
    low: float       # the 95 % interval of the model, s
    predicted: float
    high: float
    held_out: bool   # from the fit


def ticks(low, high):
    """Round numbers: powers of ten, or 1, 2 and 5 of each where these are few."""
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in ((1,), (1, 2, 5)):
        found = [d * 10.0**e for e in exponents for d in digits if low <= d * 10.0**e <= high]
        if len(found) > 2:
            break
    return found


def time_text(seconds):
    factor, unit = next(((f, u) for f, u in ((1, "s"), (1e3, "ms")) if seconds * f > 0.999), (1e6, "us"))
    return f"{seconds * factor:g} {unit}"


def size_text(size):
    if size < 10000:
        return f"{size:g}"
    exponent = math.floor(math.log10(size) + 1e-9)
    power = "10" + "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(exponent))
    digit = round(size / 10**exponent)
    return power if digit == 1 else f"{digit}·{power}"


class Scale:
    """From the logarithm of a value to pixels; what lies beyond an end is drawn there."""

    def __init__(self, low, high, begin, end):
        self.low, self.high, self.begin, self.end = low, high, begin, end

    def __call__(self, value):
        part = math.log(value / self.low) / math.log(self.high / self.low)
        return round(self.begin + (self.end - self.begin) * min(max(part, 0), 1), 1)


def axes(p, x, y, axis):
    for value in ticks(x.low, x.high):
        p.parts.append(f'<path class="grid" d="M{x(value)},{TOP}V{BOTTOM}"/>')
        p.text(x(value), BOTTOM + 15, size_text(value), "middle", small=True)
    for value in ticks(y.low, y.high):
        p.parts.append(f'<path class="grid" d="M{LEFT},{y(value)}H{RIGHT}"/>')
        p.text(LEFT - 6, y(value) + 4, time_text(value), "end", small=True)
    p.text((LEFT + RIGHT) / 2, BOTTOM + 30, axis, "middle", small=True)


def curve(p, x, y, runs):
    """The model's, over all sizes that were run on so many ranks."""
    at = sorted({run.size: run for run in runs}.items())
    kind = f"ranks{runs[0].ranks}"

    def points(name, of):
        return " ".join(f"{x(size)},{y(getattr(run, name))}" for size, run in of)

    p.parts.append(f'<polygon class="{kind} band" points="{points("low", at)} {points("high", at[::-1])}"/>')
    p.parts.append(f'<polyline class="{kind} curve" points="{points("predicted", at)}"/>')


def chart(title, axis, runs, verdict):
    """The runs of a program on one and more ranks, and what its model says of them.

    `axis` names the size, `verdict` is a line about the model.
    """
    p = Picture(WIDTH, HEIGHT, f"{title}: time against {axis} on 1 and 2 ranks, measured and predicted", STYLE)
    p.box(0.5, 0.5, WIDTH - 1, HEIGHT - 1, kind="e")
    p.text(12, 22, title, bold=True)
    times = [time for run in runs for time in (run.measured, run.predicted)]
    x = Scale(min(run.size for run in runs) / 1.2, max(run.size for run in runs) * 1.2, LEFT, RIGHT)
    y = Scale(min(times) / 2, max(times) * 2, BOTTOM, TOP)
    axes(p, x, y, axis)
    last_fitted = x(max(run.size for run in runs if not run.held_out))
    p.line((last_fitted, TOP - 6), (last_fitted, BOTTOM), arrow=False, dashed=True)
    p.text(last_fitted - 4, TOP - 4, "fitted", "end", small=True)
    p.text(last_fitted + 4, TOP - 4, "predicted", small=True)
    for ranks, left in ((1, 236), (2, 308)):
        of_ranks = [run for run in runs if run.ranks == ranks]
        curve(p, x, y, of_ranks)
        for run in of_ranks:
            p.dot(x(run.size), y(run.measured), f"ranks{ranks} {'held' if run.held_out else 'dot'}")
        p.dot(left, 18, f"ranks{ranks} dot")
        p.text(left + 8, 22, "1 rank" if ranks == 1 else f"{ranks} ranks", small=True)
    p.text(12, HEIGHT - 8, verdict, small=True)
    return p
