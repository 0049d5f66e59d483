"""Tables and the plot of bench.py's figures. Ratios are of speed: 2.0 says that the first needs half the time of the second."""

import math

import startup

ORDER = ["remora", "C", "NumPy", "Numba", "JAX", "Futhark"]
COLOURS = {"remora": "#c0392b", "C": "#2c3e50", "NumPy": "#2980b9", "Numba": "#27ae60", "JAX": "#8e44ad", "Futhark": "#e67e22"}

# The least speed against each contender: what holds for every program, what holds for some, and the geometric mean.
TWICE = ["chain", "blackscholes", "meanvar", "jacobi", "nbody", "mandelbrot"]
JAX_RUNS_WELL = (
    "chain blackscholes meanvar softmax matmul atax jacobi floyd nbody mriq prefix histogram".split()
)
BARS = {
    "C": {"each": 0.9},
    "NumPy": {"each": 1.0, **dict.fromkeys(TWICE, 2.0), "matmul": 0.7, "atax": 0.7, "mean": 5.0, "without": ["matmul"]},
    "Futhark": {"each": 1.0, "mean": 1.5, "without": ["matmul"]},
    "JAX": {"mean": 1.0, "with": JAX_RUNS_WELL},
    "Numba": {"mean": 1.0},
}

# The least part of the streaming bandwidth, counting inputs read once and outputs written once. None: shown without a bar.
STREAMED = {"chain": 0.5, "histogram": 0.5, "prefix": 0.5, "meanvar": 0.4, "atax": None}

# Why a bar is not met on the machines seen so far, and what it would take: for a program that misses any.
WHY = {
    "conv2d": "narrowly: called in turns with the C in one process it is level (1.0 to 1.13), in processes of their own it is not; why is not known",
    "floyd": "minima that mind NaN and the signs of zeros are six operations, by hand one (with -ffast-math): 9.0 and 5.1 ms; row k is copied before each step",
    "kmeans": "narrowly, in some runs; not looked into",
    "mandelbrot": "on AVX2 only; 16 lanes gave 1.13 there by hand",
    "spmv": "on AVX2 only; each index is compared with both ends, one unsigned comparison would do",
    "histogram": "on AVX2 only; not looked into",
}

# Peak memory against that of the C program, which holds inputs, outputs and what the algorithm needs.
MEMORY = 1.2


def time(seconds):
    """A time with a unit and three digits."""
    for unit, factor in [("s", 1), ("ms", 1e3), ("µs", 1e6)]:
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}" if seconds * factor < 999.5 else f"{seconds * factor:.0f} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def mean(ratios):
    """The geometric mean."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None


def table(head, rows):
    """A Markdown table whose columns are also aligned as text; the first is text, the others numbers."""
    widths = [max(len(str(row[i])) for row in [head, *rows]) for i in range(len(head))]

    def line(cells):
        return "| " + " | ".join(str(c).ljust(w) if i == 0 else str(c).rjust(w) for i, (c, w) in enumerate(zip(cells, widths))) + " |"

    rule = "| " + " | ".join("-" * w if i == 0 else "-" * (w - 1) + ":" for i, w in enumerate(widths)) + " |"
    return "\n".join([line(head), rule, *map(line, rows)])


def ratios(figures, first, second):
    """The speed of one contender against another on every program that both ran."""
    found = {}
    for name, program in figures["programs"].items():
        times = program["contenders"]
        if first in times and second in times:
            found[name] = times[second]["seconds"] / times[first]["seconds"]
    return found


def present(figures):
    """The contenders with at least one figure, in a fixed order."""
    return [title for title in ORDER if any(title in p["contenders"] for p in figures["programs"].values())]


def times_table(figures):
    titles = present(figures)
    rows = []
    for name, program in figures["programs"].items():
        times = program["contenders"]
        rows.append([name, *(time(times[title]["seconds"]) if title in times else "-" for title in titles)])
    return table([{"min": "shortest time"}.get(figures["by"], "median time"), *titles], rows)


def ratio_table(figures, first):
    """The speed of one contender against the others, with geometric means over all and without `matmul`."""
    others = [title for title in present(figures) if title != first]
    columns = {other: ratios(figures, first, other) for other in others}

    def cell(value):
        return f"{value:.2f}" if value is not None else "-"

    rows = [[name, *(cell(columns[other].get(name)) for other in others)] for name in figures["programs"]]
    rows.append(["geometric mean", *(cell(mean(list(columns[o].values()))) for o in others)])
    rest = [mean([r for name, r in columns[o].items() if name != "matmul"]) for o in others]
    rows.append(["without matmul", *map(cell, rest)])
    return table([f"speed of {first} against", *others], rows)


def fraction(figures, name, title):
    """The part of the streaming bandwidth that a contender reaches on a program, or None."""
    program = figures["programs"].get(name, {"contenders": {}})
    if not figures["stream"] or title not in program["contenders"]:
        return None
    best = max(figures["stream"].values())
    return program["bytes"] / program["contenders"][title]["seconds"] / best


def stream_table(figures):
    if figures["size"] != "large":
        return "Parts of the streaming bandwidth are only shown for size large: smaller inputs stay in the caches."
    titles = present(figures)
    rows = []
    for name, bar in STREAMED.items():
        if name in figures["programs"]:
            parts = [fraction(figures, name, title) for title in titles]
            cells = [f"{part:.0%}" if part is not None else "-" for part in parts]
            rows.append([name, *cells, f"{bar:.0%}" if bar else "-"])
    return table(["part of the bandwidth", *titles, "bar"], rows) if rows else ""


def memory_table(figures):
    rows = []
    for name, program in figures["programs"].items():
        peaks = {title: f["peak_bytes"] for title, f in program["contenders"].items() if f["peak_bytes"]}
        if peaks:
            ratio = peaks["remora"] / peaks["C"] if "remora" in peaks and "C" in peaks else None
            cells = [f"{peaks[title] / 1e6:.2f}" if title in peaks else "-" for title in ("remora", "C")]
            rows.append([name, f"{program['bytes'] / 1e6:.2f}", *cells, f"{ratio:.2f}" if ratio else "-"])
    return table(["peak memory, MB", "in and out", "remora", "C", "remora / C"], rows) if rows else ""


def bars(figures):
    """Every bar for remora as (what, bar, measured, met), for those that can be judged by these figures. Where remora has no figure
    and the other has, `measured` is None and the bar is not met."""
    judged = []
    if "remora" not in present(figures):
        return judged

    def judge(what, bar, value, at_most=False):
        judged.append((what, bar, value, value is not None and (value <= bar if at_most else value >= bar)))

    for other, rules in BARS.items():
        found = ratios(figures, "remora", other)
        for name, program in figures["programs"].items():
            least = rules.get(name, rules.get("each"))
            if least is not None and other in program["contenders"]:
                judge(f"{name}: speed against {other}", least, found.get(name))
        if "mean" in rules and found:
            chosen = [r for n, r in found.items() if n in rules.get("with", found) and n not in rules.get("without", [])]
            if chosen:
                judge(f"geometric mean of {len(chosen)}: speed against {other}", rules["mean"], mean(chosen))
    for name, bar in STREAMED.items():
        part = fraction(figures, name, "remora")
        if bar and part is not None and figures["size"] == "large":  # smaller inputs stay in the caches
            judge(f"{name}: part of the streaming bandwidth", bar, part)
    for name, program in figures["programs"].items():
        peaks = [program["contenders"].get(title, {}).get("peak_bytes") for title in ("remora", "C")]
        if all(peaks):
            judge(f"{name}: peak memory against C, at most", MEMORY, peaks[0] / peaks[1], at_most=True)
    for what, taken in figures["starts"].items():
        judge(f"{what}: seconds, at most", startup.BARS[what], None if isinstance(taken, str) else taken, at_most=True)
    return judged


def starts_table(figures):
    """Starting times; what does not work is said."""
    rows = []
    for what, taken in figures["starts"].items():
        rows.append([what, taken if isinstance(taken, str) else time(taken), time(startup.BARS[what])])
    return table(["starting", "time", "bar"], rows) if rows else ""


def bars_table(figures):
    judged = bars(figures)
    if not judged:
        return ""
    met = sum(ok for *_, ok in judged)
    missed = [row for row in judged if not row[3]]
    means = [row for row in judged if row[3] and (row[0].startswith("geometric") or "seconds" in row[0])]
    rows = []
    for what, bar, value, ok in means + missed:
        why = "" if ok else WHY.get(what.split(":")[0], "not known")
        rows.append([what, f"{bar:.2f}", "-" if value is None else f"{value:.2f}", "pass" if ok else "FAIL", why])
    text = f"{met} of {len(judged)} bars are met" + ("; means, starting times, and those that are not:" if rows else ".")
    return text + ("\n\n" + table(["bar", "wanted", "measured", "", "why, and what it would take"], rows) if rows else "")


def markdown(figures):
    """The whole report."""
    m = figures["machine"]
    lines = [
        f"# Benchmarks, size {figures['size']}",
        f"{m['processor']}, {m['cores']} cores, {m['threads']} threads; {m['system']}; {m['compiler']}; NumPy {m['numpy']}.",
        f"C: `{m['flags']}`. " + ("Its results are in fresh pages every time." if figures["fresh"] else "It keeps freed memory."),
    ]
    if m["load"] > 0.25 * m["cores"]:
        lines.append(f"**The machine was not idle (load {m['load']:.1f} at the start): these figures say little.**")
    if figures["stream"]:
        speeds = ", ".join(f"{key} {value / 1e9:.1f} GB/s" for key, value in figures["stream"].items())
        lines.append(f"Streaming bandwidth: {speeds}; the higher one is what parts are counted against.")
    lines.append(times_table(figures))
    first = next((title for title in ("remora", "C") if title in present(figures)), None)
    if first:
        lines.append(ratio_table(figures, first))
    lines += [text for text in (stream_table(figures), memory_table(figures), starts_table(figures), bars_table(figures)) if text]
    lines += [f"- {note}" for note in figures["notes"]]
    return "\n\n".join(lines) + "\n"


def svg(figures):
    """A plot: for every program a row, for every contender a dot at its speed against the C program (or NumPy), logarithmic."""
    base = next((title for title in ("C", "NumPy") if title in present(figures)), None)
    titles = present(figures)
    points = {title: ratios(figures, title, base) for title in titles} if base else {}
    every = [ratio for column in points.values() for ratio in column.values()] or [1]
    low, high = math.floor(math.log10(min(every))), math.ceil(math.log10(max(every)))
    high = max(high, low + 1)
    left, width, step, top = 110, 640, 24, 56
    rows = list(figures["programs"])
    height = top + step * len(rows) + 40

    def x(ratio):
        return left + width * (math.log10(ratio) - low) / (high - low)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 30}" height="{height}"',
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{left}" y="18" font-size="14">Speed against {base}, size {figures["size"]} (right is faster)</text>',
    ]
    for i, title in enumerate(titles):
        out.append(f'<circle cx="{left + 6 + 90 * i}" cy="34" r="5" fill="{COLOURS[title]}"/>')
        out.append(f'<text x="{left + 16 + 90 * i}" y="38">{title}</text>')
    bottom = top + step * len(rows)
    for power in range(low, high + 1):
        for digit in [1, 2, 5] if power < high else [1]:
            tick = digit * 10.0**power
            colour = "#555" if tick == 1 else "#ddd"
            out.append(f'<line x1="{x(tick):.1f}" y1="{top}" x2="{x(tick):.1f}" y2="{bottom}" stroke="{colour}"/>')
            if digit == 1 or high - low <= 3:
                out.append(f'<text x="{x(tick):.1f}" y="{bottom + 16}" text-anchor="middle">{tick:g}</text>')
    for row, name in enumerate(rows):
        y = top + step * (row + 0.5)
        out.append(f'<text x="{left - 8}" y="{y + 4}" text-anchor="end">{name}</text>')
        for title in reversed(titles):
            if name in points.get(title, {}):
                ratio = points[title][name]
                label = f"<title>{title}: {ratio:.2f}</title>"
                out.append(f'<circle cx="{x(ratio):.1f}" cy="{y}" r="5" fill="{COLOURS[title]}">{label}</circle>')
    return "\n".join([*out, "</svg>"]) + "\n"
