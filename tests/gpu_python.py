"""Arrays on a CUDA device by way of the Python package: `tests/gpu.sh python` runs this where there is one. Prints what was done; libraries
that are not installed are named. Needs NumPy, and `remora` on the path of Python. The argument is how many elements arrays have."""

import sys
import time

import numpy as np
import remora as rm

TEXT = """
entry double [n] (v: [n]f64) = 2 * v
entry sums (v: []f64) = f64.sum v
entry halves [n] (v: [n]f32) = v / 2
"""
program = rm.compile(TEXT, backend="cuda")
count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
x = np.arange(float(count))

there = program.double(x, device=True)
assert type(there) is rm.DeviceArray and (there.get() == 2 * x).all()
assert program.sums(there) == 2 * x.sum() and (program.double(there).get() == 4 * x).all()
rows = program.double(np.ones((3, 4)), device=True)
assert program.sums(rows).get().tolist() == [8, 8, 8]
try:
    program.halves(there)
except rm.ArgumentError as error:
    assert "on the device" in str(error)
else:
    raise AssertionError("an array of another type was taken")
print("arrays of NumPy and of programs: good")


def takes(name, made):
    """An array of another library (by both protocols if it has both), and what a program makes of it."""
    want = 2 * np.asarray(made.get() if hasattr(made, "get") else made.cpu().numpy() if hasattr(made, "cpu") else made)
    assert (program.double(made).get() == want).all(), name


def peer(name):
    try:
        return __import__(name)
    except ImportError:
        print(f"{name}: not installed")
        return None


if cupy := peer("cupy"):
    takes("cupy", cupy.arange(1000, dtype="float64"))
    with cupy.cuda.Stream(non_blocking=True):
        # What is still under way in a stream is waited for.
        takes("cupy", cupy.sort(cupy.random.rand(4_000_000))[::-1].copy())
    assert (cupy.asarray(there) == 2 * cupy.arange(float(count))).all() and (cupy.from_dlpack(there) == cupy.asarray(there)).all()
    print("cupy: good")
if torch := peer("torch"):
    if torch.cuda.is_available():
        takes("torch", torch.arange(1000, dtype=torch.float64, device="cuda"))
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            takes("torch", torch.rand(4_000_000, dtype=torch.float64, device="cuda").sort().values)
        assert (torch.from_dlpack(there).cpu().numpy() == 2 * x).all()
        print("torch: good")
    else:
        print("torch: without CUDA")
if jax := peer("jax"):
    jax.config.update("jax_enable_x64", True)
    if jax.default_backend() == "gpu":
        takes("jax", jax.numpy.arange(1000.0))
        assert (np.asarray(jax.dlpack.from_dlpack(there)) == 2 * x).all()
        print("jax: good")
    else:
        print("jax: without CUDA")

# What is given back is taken again.
for _ in range(20):
    kept = program.double(there)
start = time.perf_counter()
for _ in range(50):
    program.double(there)
print(f"a call with arrays that stay on the device: {(time.perf_counter() - start) / 50 * 1e6:.0f} us")
