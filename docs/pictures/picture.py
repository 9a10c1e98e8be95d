# SPDX-License-Identifier: Apache-2.0
"""A picture of the documentation as SVG, for light and dark pages."""

from html import escape

STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .small { font-size: 11px; }
  .bold { font-weight: 600; }
  .line { stroke: #57606a; fill: none; stroke-width: 1.5; }
  .dashed { stroke: #57606a; fill: none; stroke-width: 1.5; stroke-dasharray: 4 3; }
  .head { fill: #57606a; }
  .box { fill: #eef2f7; stroke: #57606a; }
  .a { fill: #9ecae1; stroke: #57606a; } .b { fill: #fdd49e; stroke: #57606a; }
  .c { fill: #c7e9c0; stroke: #57606a; } .d { fill: #dadaeb; stroke: #57606a; }
  .e { fill: #ffffff; stroke: #57606a; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .line, .dashed { stroke: #9198a1; } .head { fill: #9198a1; }
    .box { fill: #21262d; stroke: #9198a1; }
    .a { fill: #1f4e79; } .b { fill: #7a4a10; } .c { fill: #2b5e34; } .d { fill: #4b3f72; } .e { fill: #0d1117; }
  }
"""


class Picture:
    """Shapes in pixels from the upper left corner."""

    def __init__(self, width, height, title, style=""):
        self.width, self.height, self.title, self.style, self.parts = width, height, title, style, []

    def box(self, x, y, width, height, text="", kind="box", small=False):
        self.parts.append(f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="4"/>')
        lines = text.split("\n") if text else []
        for i, line in enumerate(lines):
            self.text(x + width / 2, y + height / 2 + 4.5 + 15 * (i - (len(lines) - 1) / 2), line, "middle", small)

    def text(self, x, y, text, anchor="start", small=False, bold=False):
        kind = " ".join(name for name, on in (("small", small), ("bold", bold)) if on)
        self.parts.append(f'<text class="{kind}" x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>')

    def line(self, *points, arrow=True, both=False, dashed=False):
        path = " ".join(f"{x},{y}" for x, y in points)
        marks = ' marker-end="url(#head)"' if arrow else ""
        marks += ' marker-start="url(#head)"' if both else ""
        self.parts.append(f'<polyline class="{"dashed" if dashed else "line"}" points="{path}"{marks}/>')

    def dot(self, x, y, kind):
        self.parts.append(f'<circle class="{kind}" cx="{x}" cy="{y}" r="3"/>')

    def svg(self):
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" role="img" aria-label="{escape(self.title)}">\n'
            f"<title>{escape(self.title)}</title>\n<style>{STYLE}{self.style}</style>\n"
            '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            'orient="auto-start-reverse"><path class="head" d="M0,0 L8,4 L0,8 z"/></marker></defs>\n'
            + "\n".join(self.parts) + "\n</svg>\n")
