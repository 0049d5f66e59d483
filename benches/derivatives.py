#!/usr/bin/env python3
"""Prints what derivatives cost: beside the programs themselves, JAX's (`jax.jit`) and derivatives by hand in C (derivatives/adjoints.c).

  benches/derivatives.py [--remora PATH] [--only NAME,NAME] [--threads N] [--rounds N] [--scale X]

Each program of the folder `derivatives` has the entry points `primal` and `derivative`, of which the second returns the result, too. What has been
installed takes turns, round after round; a time is the median over the rounds. Only peers whose results agree (1e-6 of the largest magnitude) are in
the table. `ratio` is the derivative over the program itself, `memory` the same of the most memory at a time; `/ JAX` and `/ C` are the times of these
peers over remora's. `--scale 0.01` makes everything smaller, for a look at whether it works.
"""

import argparse
import ctypes
import importlib.util
import json
import math
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
SEED = 1


class Row:
    """A program, how many times its own time its derivative may take, and its arguments."""

    def __init__(self, name, most, inputs):
        self.name, self.most, self.inputs = name, most, inputs


# ---- Arguments ----


def vectors(count, low, high, size=10_000_000):
    return lambda rng, scale: [rng.uniform(low, high, int(size * scale)) for _ in range(count)]


def options(rng, scale):
    n = int(2_000_000 * scale)
    draw = lambda low, high: rng.uniform(low, high, n)  # noqa: E731
    return [draw(5, 30), draw(1, 100), draw(0.25, 10), np.float64(0.02), np.float64(0.3), draw(-1, 1), draw(-1, 1)]


def labelled(rng, scale):
    n, m = int(200_000 * scale), 64
    x = rng.normal(size=(n, m))
    return [x, (rng.uniform(size=n) < 0.5).astype(float), rng.normal(size=m) / 8]


def clusters(rng, scale):
    return [rng.normal(size=(int(200_000 * scale), 16)), rng.normal(size=(64, 16))]


def matrices(rng, scale):
    n = int(1000 * math.sqrt(scale))
    return [rng.uniform(-1, 1, (n, n)) for _ in range(3)]


def mixture(rng, scale):
    n, d, k = int(10_000 * scale), 10, 25
    return [rng.normal(size=(n, d)), rng.normal(size=k), rng.normal(size=(k, d)), 0.3 * rng.normal(size=(k, d)), 0.3 * rng.normal(size=(k, d * (d - 1) // 2))]


def sequence(rng, scale):
    t, d, h = int(1000 * scale) + 2, 32, 64
    draw = lambda *shape: 0.3 * rng.normal(size=shape)  # noqa: E731
    return [draw(t, d), draw(4, h, d), draw(4, h, h), draw(4, h), draw(d, h), draw(d)]


def sequences(rng, scale):
    t, s, d, h = 20, int(256 * scale) + 1, 64, 128
    draw = lambda *shape: 0.2 * rng.normal(size=shape)  # noqa: E731
    return [draw(t, s, d), draw(4, d, h), draw(4, h, h), draw(4, h), draw(h, d)]


def observations(rng, scale):
    c, n, p = 50, 8000, int(200_000 * scale)
    cameras = np.column_stack([
        rng.uniform(-0.5, 0.5, (c, 6)), rng.uniform(0.8, 1.2, c), rng.uniform(-0.1, 0.1, (c, 4)),
    ])  # fmt: skip
    points = np.column_stack([rng.uniform(-1, 1, (n, 2)), rng.uniform(3, 5, n)])
    return [cameras, points, rng.uniform(0.5, 1, p), rng.integers(0, c, p), rng.integers(0, n, p), rng.uniform(-0.3, 0.3, (p, 2))]


def skeleton(rng, scale):
    b, v = 22, int(100_000 * scale) + 1
    affine = lambda: np.concatenate([rng.uniform(-1, 1, (b, 3, 4)), np.tile([[[0, 0, 0, 1.0]]], (b, 1, 1))], axis=1)  # noqa: E731
    parents = np.array([-1] + [int(rng.integers(0, i)) for i in range(1, b)])
    positions = np.column_stack([rng.uniform(-1, 1, (v, 3)), np.ones(v)])
    return [parents, affine(), affine(), positions, rng.uniform(size=(v, b)) / b, rng.uniform(-0.5, 0.5, 26), rng.integers(0, v, v), rng.normal(size=(v, 3))]


def neutrons(rng, scale):
    k, g, n = 16, 1000, int(100_000 * scale)
    grids = np.sort(rng.uniform(size=(k, g)), axis=1)
    grids[:, 0], grids[:, -1] = 0, 1
    return [grids, rng.uniform(0.5, 2, (k, g, 5)), rng.uniform(0.1, 1, k), rng.uniform(size=n)]


def ground(rng, scale):
    n, m = int(128 * math.sqrt(scale)) + 1, 128
    return [np.int64(50), 0.1 * rng.uniform(size=(n, m)), np.zeros((n, m, 2))]


# ---- JAX ----


def with_jax():
    """The derivatives in JAX by name, each a function of the arguments of the entry point; nothing without JAX."""
    if not importlib.util.find_spec("jax"):
        return {}
    sys.path.insert(0, str(HERE / "peers"))
    import jax_peer  # which sets JAX up
    import jax
    import jax.numpy as jnp
    from jax import lax

    found = {}

    def gradient(*by):
        """Registers the value and the gradient by these arguments."""

        def register(f):
            both = jax.value_and_grad(f, argnums=by)
            found[f.__name__] = jax.jit(lambda *arguments: both(*arguments))
            return f

        return register

    def seeded(count):
        """Registers the results and what is handed back for seeds: `count` arguments, then the seeds."""

        def register(f):
            def both(*arguments):
                value, back = jax.vjp(f, *arguments[:count])
                seeds = arguments[count:]
                return value, back(seeds if len(seeds) > 1 else seeds[0])

            found[f.__name__] = jax.jit(both)
            return f

        return register

    @seeded(1)
    def map(x):
        return jnp.sin(x) * jnp.exp(-0.5 * x * x)

    @gradient(0)
    def sum(x):
        return (x * x * x).sum()

    @gradient(0)
    def product(x):
        return x.prod()

    @gradient(0)
    def minimum(x):
        return x.min()

    # What the other benchmarks have, too.
    seeded(5)(jax_peer.blackscholes)
    gradient(2)(jax_peer.logistic)
    seeded(2)(jax_peer.matmul)

    @gradient(1)
    def kmeans(points, centres):
        # As a product of matrices.
        squares = (points**2).sum(1)[:, None] + (centres**2).sum(1)[None, :] - 2 * (points @ centres.T)
        return squares.min(1).sum()

    @gradient(1, 2, 3, 4)
    def gmm(points, weights, means, diagonals, belows):
        d = points.shape[1]
        rows, columns = np.tril_indices(d, -1)
        lower = jnp.zeros((len(weights), d, d)).at[:, rows, columns].set(belows)
        scale = jnp.exp(diagonals)
        apart = points[:, None, :] - means[None]
        turned = scale * apart + jnp.einsum("kij,nkj->nki", lower, apart)
        terms = weights + diagonals.sum(1) - 0.5 * (turned**2).sum(2)
        prior = 0.5 * ((scale**2).sum() + (belows**2).sum())
        return jax.nn.logsumexp(terms, axis=1).sum() - len(points) * jax.nn.logsumexp(weights) + prior

    @gradient(1, 2, 3, 4, 5)
    def lstm(xs, inputs, back, offset, out, bias):
        def step(state, pair):
            hidden, memory = state
            x, following = pair
            z = inputs @ x + back @ hidden + offset
            memory = jax.nn.sigmoid(z[0]) * memory + jax.nn.sigmoid(z[1]) * jnp.tanh(z[3])
            hidden = jax.nn.sigmoid(z[2]) * jnp.tanh(memory)
            return (hidden, memory), ((out @ hidden + bias - following) ** 2).sum()

        none = jnp.zeros(offset.shape[1])
        _, errors = lax.scan(step, (none, none), (xs[:-1], xs[1:]))
        return errors.mean() / xs.shape[1]

    @gradient(1, 2, 3, 4)
    def batch(xs, inputs, back, offset, out):
        def step(state, pair):
            hidden, memory = state
            x, following = pair
            z = x @ inputs + hidden @ back + offset[:, None, :]
            memory = jax.nn.sigmoid(z[0]) * memory + jax.nn.sigmoid(z[1]) * jnp.tanh(z[3])
            hidden = jax.nn.sigmoid(z[2]) * jnp.tanh(memory)
            return (hidden, memory), ((hidden @ out - following) ** 2).sum()

        none = jnp.zeros((xs.shape[1], offset.shape[1]))
        _, errors = lax.scan(step, (none, none), (xs[:-1], xs[1:]))
        return errors.mean() / (xs.shape[1] * xs.shape[2])

    def turned(axis, x):
        square = axis @ axis
        angle = jnp.sqrt(square)
        unit = axis / angle
        c, s = jnp.cos(angle), jnp.sin(angle)
        return c * x + s * jnp.cross(unit, x) + (1 - c) * (unit @ x) * unit

    def error(camera, x, weight, found):
        y = turned(camera[:3], x - camera[3:6])
        flat = y[:2] / y[2]
        square = flat @ flat
        bent = (1 + camera[9] * square + camera[10] * square**2) * flat
        return weight * (camera[6] * bent + camera[7:9] - found)

    def bundle(cameras, points, weights, which, what, where):
        def one(camera, x, weight, found):
            return error(camera, x, weight, found), jax.jacrev(error, argnums=(0, 1, 2))(camera, x, weight, found)

        errors, rows = jax.vmap(one)(cameras[which], points[what], weights, where)
        return errors, rows, 1 - weights**2, -2 * weights

    found["bundle"] = jax.jit(bundle)

    def rate(energies, densities, tables, grids):
        def nuclide(grid, table, density):
            i = jnp.clip(jnp.searchsorted(grid, energies, side="right") - 1, 0, len(grid) - 2)
            part = (energies - grid[i]) / (grid[i + 1] - grid[i])
            return density * (table[i] + part[:, None] * (table[i + 1] - table[i]))

        xs = jax.vmap(nuclide)(grids, tables, densities).sum(0)
        return (xs[:, 0] * xs[:, 1] / (xs[:, 2] + xs[:, 3] + xs[:, 4])).mean()

    rates = jax.value_and_grad(rate, argnums=(0, 1, 2))
    found["lookup"] = jax.jit(lambda grids, tables, densities, energies: rates(energies, densities, tables, grids))

    velocities = np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, -1], [1, -1], [-1, 1]])
    opposite = np.array([0, 2, 1, 4, 3, 6, 5, 8, 7])
    shares = np.array([4 / 9] + 4 * [1 / 9] + 4 * [1 / 36])

    def flow(steps, solid, wanted):
        def step(f, _):
            rho = f.sum(2, keepdims=True)
            u = f @ velocities / rho
            along = u @ velocities.T
            equilibrium = rho * shares * (1 + 3 * along + 4.5 * along**2 - 1.5 * (u**2).sum(2, keepdims=True))
            pushed = f + 1.2 * (equilibrium - f) + 3 * 0.0001 * shares * velocities[:, 0]
            f = pushed + solid[:, :, None] * (f[:, :, opposite] - pushed)
            return jnp.stack([jnp.roll(f[:, :, q], velocities[q], (0, 1)) for q in range(9)], axis=2), None

        f, _ = lax.scan(step, jnp.broadcast_to(shares, (*solid.shape, 9)), None, length=steps)
        return ((f @ velocities / f.sum(2, keepdims=True) - wanted) ** 2).sum() / 2

    flows = jax.jit(jax.value_and_grad(flow, argnums=1), static_argnums=0)
    found["lattice"] = lambda steps, solid, wanted: flows(int(steps), solid, wanted)

    def ready(f):
        def prepared(*arguments):
            placed = [a if np.ndim(a) == 0 and np.asarray(a).dtype.kind == "i" else jax.device_put(jnp.asarray(a)) for a in arguments]
            return lambda: jax.block_until_ready(f(*placed))

        return prepared

    return {name: (ready(f), jax.tree_util.tree_leaves) for name, f in found.items()}


# ---- C ----


def with_c():
    """The library of derivatives by hand, or nothing without a C compiler."""
    sys.path.insert(0, str(HERE))
    from contenders import BUILD, FLAGS, compiler

    library = BUILD / "c" / "adjoints.so"
    library.parent.mkdir(parents=True, exist_ok=True)
    flags = [flag for flag in FLAGS if flag != "-mprefer-vector-width=512" or os.uname().machine == "x86_64"]
    try:
        subprocess.run([*compiler(), *flags, "-fPIC", "-shared", str(HERE / "derivatives" / "adjoints.c"), "-o", str(library), "-lm"], check=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        return None
    return ctypes.CDLL(str(library))


def like(*arrays):
    return [np.empty_like(a, dtype=float) for a in arrays]


# How each function in C is called: with sizes and arguments, and what it writes.
C = {
    "map": lambda x, seed: ([len(x), x, seed], like(x, x)),
    "sum": lambda x: ([len(x), x], [np.empty(()), *like(x)]),
    "blackscholes": lambda s, k, t, rate, vol, a, b: ([len(s), s, k, t, rate, vol, a, b], [*like(s, s, s, s, s), np.empty(2)]),
    "logistic": lambda x, y, w: ([*x.shape, x, y, w], [np.empty(()), *like(w)]),
    "kmeans": lambda points, centres: ([len(points), *centres.shape, points, centres], [np.empty(()), *like(centres)]),
    "gmm": lambda p, w, m, d, b: ([*p.shape, len(w), p, w, m, d, b], [np.empty(()), *like(w, m, d, b)]),
}


def call_of(library, name, arguments):
    given, outputs = C[name](*arguments)
    kinds = {"i": ctypes.c_int64, "f": ctypes.c_double}
    passed = [ctypes.c_void_p(a.ctypes.data) if np.ndim(a) else kinds[np.asarray(a).dtype.kind](a.item() if hasattr(a, "item") else a) for a in given]
    passed += [ctypes.c_void_p(o.ctypes.data) for o in outputs]
    function = getattr(library, name)
    function.restype = None

    def call():
        function(*passed)
        return outputs

    return call


# ---- Measuring ----


def median_of_calls(call, seconds):
    times = []
    while len(times) < 3 or sum(times) < seconds:
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def remora(options, name, entry, paths, *more, command="bench"):
    program = str(HERE / "derivatives" / f"{name}.rem")
    call = [*shlex.split(options.remora), command, program, "-e", entry, *paths, "--backend", "cpu", "--threads", str(options.threads), *more]
    run = subprocess.run(call, capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(f"{name}: {run.stderr}")
    return run.stdout


def flat(values):
    return np.concatenate([np.ravel(np.asarray(v, dtype=float)) for v in values])


def agree(name, peer, ours, theirs):
    ours, theirs = flat(ours), flat(theirs)
    same = ours.shape == theirs.shape and np.abs(ours - theirs).max() <= 1e-6 * np.abs(ours).max()
    if not same:
        print(f"{name}: {peer} has other results and is left out", file=sys.stderr)
    return same


ROWS = [
    Row("map", 3, vectors(2, -2, 2)),
    Row("sum", 3, vectors(1, -1, 1, 20_000_000)),
    Row("product", 3, vectors(1, 1 - 1e-8, 1 + 1e-8, 20_000_000)),
    Row("minimum", 3, vectors(1, -1, 1, 20_000_000)),
    Row("blackscholes", 3, options),
    Row("logistic", 3, labelled),
    Row("kmeans", 3, clusters),
    Row("matmul", 3, matrices),
    Row("gmm", 5, mixture),
    Row("lstm", 3.2, sequence),
    Row("batch", 4, sequences),
    Row("bundle", 10, observations),
    Row("hand", 20, skeleton),
    Row("lookup", 3.9, neutrons),
    Row("lattice", 3.4, ground),
    Row("lattice_stripmined", "", ground),
]


def number(x):
    return f"{x:.2f}" if x < 10 else f"{x:.1f}"


def measure(row, options, jax, library, folder):
    arguments = row.inputs(np.random.default_rng(SEED), options.scale)
    paths = []
    for position, argument in enumerate(arguments):
        paths.append(str(folder / f"{row.name}{position}.npy"))
        np.save(paths[-1], argument)
    remora(options, row.name, "derivative", paths, "-o", str(folder / f"{row.name}.out.npy"), command="run")
    written = sorted(folder.glob(f"{row.name}.out*.npy"), key=lambda path: (len(path.name), path.name))
    results = [np.load(path) for path in written]
    peers = {}
    if row.name in jax:
        prepared, leaves = jax[row.name]
        call = prepared(*arguments)
        if agree(row.name, "JAX", results, leaves(call())):
            peers["JAX"] = call
    if library is not None and row.name in C:
        call = call_of(library, row.name, arguments)
        if agree(row.name, "C", results, call()):
            peers["C"] = call
    times, memory = {}, {}
    for _ in range(options.rounds):
        for entry in "primal", "derivative":
            found = json.loads(remora(options, row.name, entry, paths, "--json", "--seconds", str(options.seconds), "--runs", "3"))
            times.setdefault(entry, []).append(found["median_seconds"])
            memory[entry] = found["peak_bytes"]
        for peer, call in peers.items():
            times.setdefault(peer, []).append(median_of_calls(call, options.seconds))
    for path in [*paths, *written]:
        Path(path).unlink()
    middle = {name: statistics.median(list) for name, list in times.items()}
    ours = middle["derivative"]
    beside = [number(middle[peer] / ours) if peer in middle else "" for peer in ("JAX", "C")]
    used = sum(np.asarray(a).nbytes for a in arguments)
    more = (memory["derivative"] + used) / (memory["primal"] + used)
    cells = [row.name.replace("_", ", "), f"{middle['primal'] * 1e3:.3g} ms", f"{ours * 1e3:.3g} ms", number(ours / middle["primal"]), row.most, *beside, number(more)]
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)
    return middle


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--remora", default="target/release/remora")
    parser.add_argument("--only", default="", metavar="NAMES")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.0, help="how long each measures in a round, at least")
    parser.add_argument("--scale", type=float, default=1.0)
    options = parser.parse_args()
    # Before anything begins threads: all have the same processors, and none waits by spinning while another one runs.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.threads])
    os.environ.update({"OMP_NUM_THREADS": str(options.threads), "OMP_WAIT_POLICY": "passive"})
    jax, library = with_jax(), with_c()
    only = [name for name in options.only.split(",") if name]
    print("| program | itself | derivative | ratio | at most | / JAX | / C | memory |\n| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    beside = {"JAX": [], "C": []}
    with tempfile.TemporaryDirectory() as folder:
        for row in ROWS:
            if not only or row.name in only:
                middle = measure(row, options, jax, library, Path(folder))
                for peer, list in beside.items():
                    if peer in middle:
                        list.append(middle[peer] / middle["derivative"])
    for peer, list in beside.items():
        if list:
            print(f"\nBeside {peer}: {number(math.exp(statistics.fmean(map(math.log, list))))} in the geometric mean of {len(list)}, {number(min(list))} at least.")


if __name__ == "__main__":
    main()
