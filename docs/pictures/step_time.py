#!/usr/bin/env python3
"""Draws the picture of README: where the time of a step goes on a target, a bar for each program.

    step_time.py TESSERA TARGET slow.hlo mended.hlo > docs/pictures/step_time.svg

The figures are those of `tessera cost --json`: matrix units, memory and the rest of the device, and what it waits for its links. regenerate.sh
runs it.
"""

import json
import pathlib
import subprocess
import sys
from xml.sax.saxutils import escape

WIDTH, LEFT, ROW, TOP = 720, 110, 44, 34
COLORS = {"links": "#d1495b", "matrix units": "#30638e", "memory": "#7aa6c2", "rest": "#c9c9c9"}
LABELS = {"links": "waiting for links", "matrix units": "matrix units", "memory": "memory", "rest": "rest"}


def parts_of(tessera, target, path):
    """Milliseconds by what bounds the step."""
    answer = json.loads(subprocess.run([tessera, "cost", path, f"--target={target}", "--json"], capture_output=True, check=True, text=True).stdout)
    parts = dict.fromkeys(COLORS, 0.0)
    for one in answer["by_bound"]:
        parts[one["name"] if one["name"] in parts else "rest"] += one["seconds"] * 1e3
    return parts


def text(x, y, words, anchor="start", fill="#444"):
    return f'<text x="{x:.0f}" y="{y}" text-anchor="{anchor}" fill="{fill}">{escape(words)}</text>'


def bar(name, parts, y, scale):
    shapes, x = [text(LEFT - 10, y + 19, name, "end")], LEFT
    for part, value in parts.items():
        if value * scale >= 0.5:
            shapes.append(f'<rect x="{x:.1f}" y="{y}" width="{value * scale:.1f}" height="28" fill="{COLORS[part]}"/>')
        x += value * scale
    return [*shapes, text(x + 8, y + 19, f"{sum(parts.values()):.3g} ms")]


def legend():
    shapes, x = [], LEFT
    for part, color in COLORS.items():
        shapes += [f'<rect x="{x}" y="8" width="12" height="12" fill="{color}"/>', text(x + 18, 19, LABELS[part])]
        x += 40 + 7 * len(LABELS[part])
    return shapes


def main(tessera, target, *paths):
    steps = {pathlib.Path(path).name: parts_of(tessera, target, path) for path in paths}
    scale = (WIDTH - LEFT - 80) / max(sum(parts.values()) for parts in steps.values())
    shapes = legend()
    for k, (name, parts) in enumerate(steps.items()):
        shapes += bar(name, parts, TOP + ROW * k, scale)
    height = TOP + ROW * len(steps)
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" font-family="sans-serif" '
          f'font-size="14" role="img" aria-label="time of a step on {target}">')
    print(f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>')
    print("\n".join(shapes))
    print("</svg>")


if __name__ == "__main__":
    main(*sys.argv[1:])
