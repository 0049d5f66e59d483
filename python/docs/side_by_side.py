#!/usr/bin/env python3
"""Writes side-by-side.md and its plot: ten NumPy functions of examples/, their ports, what the compiler inserted, and the times of the last
`make bench PEERS=1 ONLY=..`, which have to be of one run.

  side_by_side.py [--remora PATH]
"""

import argparse
import ast
import json
import math
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PORTS = {
    "logistic": "Logistic regression: the loss",
    "softmax": "Softmax of rows",
    "kmeans": "A step of k-means clustering",
    "blackscholes": "Black-Scholes prices",
    "nbody": "A step of the n-body problem",
    "jacobi": "Jacobi iteration",
    "conv2d": "Convolution of an image",
    "mandelbrot": "The Mandelbrot set",
    "histogram": "A histogram of bytes",
    "mriq": "Non-uniform Fourier transform",
}
CONTENDERS = {"NumPy": "NumPy", "Numba": "Numba", "JAX": "JAX", "remora": "remora"}


def numpy_code(name):
    """The functions of an example, without what makes its inputs."""
    text = (ROOT / "examples" / name / f"{name}.py").read_text()
    kept = []
    for node in ast.parse(text).body:
        is_made = isinstance(node, ast.FunctionDef) and node.name != "generate"
        is_constant = isinstance(node, ast.Assign) and not any(target.id == "SIZES" for target in node.targets)
        if is_made or is_constant:
            kept.append(ast.get_source_segment(text, node))
    return "\n\n".join(kept)


def remora_code(name):
    """A port without its comments at the top."""
    lines = (ROOT / "examples" / name / f"{name}.rem").read_text().strip().splitlines()
    while lines and (lines[0].startswith("-- ") and not lines[0].startswith("-- |") or not lines[0]):
        lines.pop(0)
    return "\n".join(lines)


def infer(remora, name):
    """The definitions with what was inserted in them."""
    file = ROOT / "examples" / name / f"{name}.rem"
    return subprocess.run([remora, "infer", str(file)], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


def measured(bench, name):
    return {who: found["seconds"] for who, found in bench["programs"][name]["contenders"].items() if who in CONTENDERS and found.get("seconds")}


def shown(seconds):
    for unit, factor in [("s", 1), ("ms", 1e3), ("µs", 1e6)]:
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def plot(times):
    """How many times as fast as NumPy each is, on a logarithmic axis: SVG."""
    colours = {"Numba": "#7f9fbf", "JAX": "#bf9f7f", "remora": "#2f7f4f"}
    left, width, row, top = 120, 560, 46, 34
    most = max(found["NumPy"] / seconds for found in times.values() for seconds in found.values())
    decades = max(1.0, math.log10(most) + 0.05)

    def x(ratio):
        return left + width * (math.log10(max(ratio, 0.3)) + 0.5) / (decades + 0.5)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 20}" height="{top + row * len(times) + 30}" font-family="sans-serif" font-size="12">']
    out.append(f'<rect width="100%" height="100%" fill="white"/><text x="{left}" y="16">times as fast as NumPy</text>')
    for ratio in [1, 3, 10, 30, 100]:
        if ratio <= most * 1.2:
            out.append(f'<line x1="{x(ratio):.1f}" x2="{x(ratio):.1f}" y1="{top - 8}" y2="{top + row * len(times)}" stroke="#ddd"/>')
            out.append(f'<text x="{x(ratio):.1f}" y="{top + row * len(times) + 16}" text-anchor="middle">{ratio}</text>')
    for k, (name, found) in enumerate(times.items()):
        y = top + k * row
        out.append(f'<text x="{left - 8}" y="{y + 22}" text-anchor="end">{name}</text>')
        for j, who in enumerate(w for w in ("Numba", "JAX", "remora") if w in found):
            ratio = found["NumPy"] / found[who]
            start, end = sorted((x(1), x(ratio)))
            out.append(f'<rect x="{start:.1f}" y="{y + 12 * j}" width="{max(end - start, 1):.1f}" height="10" fill="{colours[who]}"><title>{CONTENDERS[who]}: {ratio:.2g}</title></rect>')
    for j, (who, colour) in enumerate(colours.items()):
        out.append(f'<rect x="{left + 200 + 90 * j}" y="7" width="10" height="10" fill="{colour}"/><text x="{left + 214 + 90 * j}" y="16">{CONTENDERS[who]}</text>')
    return "\n".join([*out, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--remora", default=str(ROOT / "target" / "release" / "remora"))
    remora = parser.parse_args().remora
    bench = json.loads((ROOT / "build" / "bench" / "large.json").read_text())
    machine = bench["machine"]
    times = {name: measured(bench, name) for name in PORTS}
    text = [
        "# Ten ports side by side",
        "",
        "NumPy functions, the same in remora as a person would write it, and what the compiler inserted. All are in",
        "[examples](../../examples/README.md), where a test compares the results.",
        "",
        f"Times are medians of one run of `make bench PEERS=1` ({machine['processor']}, {machine['threads']} threads, NumPy {machine['numpy']},",
        "size large; compiling is in none of them). Numba and JAX are compiled, too; `-` is where there is no such version.",
        "",
        "![Times as fast as NumPy](side-by-side.svg)",
        "",
        "| | " + " | ".join(CONTENDERS.values()) + " | times as fast as NumPy |",
        "| --- |" + " ---: |" * (len(CONTENDERS) + 1),
    ]
    for name, found in times.items():
        cells = [shown(found[who]) if who in found else "-" for who in CONTENDERS]
        text.append(f"| [{name}](#{PORTS[name].lower().replace(' ', '-').replace(':', '')}) | " + " | ".join(cells) + f" | {found['NumPy'] / found['remora']:.3g} |")
    text += ["", "```python", "import numpy as np", "```", ""]
    for name, title in PORTS.items():
        text += [f"## {title}", "NumPy:", "", "```python", numpy_code(name), "```", "", "remora:", "", "```", remora_code(name), "```", ""]
        text += ["What was inserted (`remora infer`):", "", "```", infer(remora, name), "```", ""]
    (HERE / "side-by-side.md").write_text("\n".join(text))
    (HERE / "side-by-side.svg").write_text(plot(times))


if __name__ == "__main__":
    main()
