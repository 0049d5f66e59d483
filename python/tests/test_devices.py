"""Arrays on a CUDA device, with the driver that the compiler's own tests play (`tests/support/shim/fake.cpp`)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

SHIM = Path(__file__).parents[2] / "tests" / "support" / "shim"
Run = Callable[..., str]


@pytest.fixture(scope="session")
def device(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What has to be in the environment so that there is a device: a library that plays CUDA's driver and NVRTC."""
    if not SHIM.is_dir():
        pytest.skip("the stand-in device is in the repository of the compiler")
    folder = tmp_path_factory.mktemp("device")
    table = SHIM.parents[2] / "src" / "back" / "cuda" / "table.h"
    options = ["-std=gnu++17", "-fno-strict-aliasing", "-ffp-contract=off", "-fno-gnu-unique", "-shared", "-fPIC", f'-DTABLE="{table}"', f"-I{SHIM}"]

    def make(name: str, text: str, *more: str) -> Path:
        source = folder / f"{name}.cpp"
        source.write_text(text)
        made = folder / f"{name}.so"
        subprocess.run([os.environ.get("CXX", "c++"), *options, "-o", str(made), str(source), *more], check=True)
        return made

    library = make("shim", (SHIM / "shim.cpp").read_text(), "-O2", "-ldl")
    fake = make("fake", f'#include "{SHIM}/fake.cpp"\n', "-O1", str(library))
    found = folder / "found"
    found.mkdir()
    for name in ("libcuda.so", "libcuda.so.1", "libnvrtc.so"):
        (found / name).symlink_to(fake)
    kept = folder / "kept"
    kept.mkdir()
    return {"LD_LIBRARY_PATH": str(found), "REMORA_SHIM_HEADER": str(SHIM / "shim.h"), "REMORA_SHIM_LIBRARY": str(library), "REMORA_SHIM_FOLDER": str(kept)}


# What the scripts share. `Interface` and `Tensor` are arrays of somebody else's.
START = '''
import ctypes, os, re
import numpy as np
import remora as rm

TEXT = """
entry double [n] (v: [n]f64) = 2 * v
entry sums (a: f64) (v: []f64) = (f64.sum v, a * v)
entry dot [n] (a: [n]f64) (b: [n]f64) = f64.sum (a * b)
entry at [n] (v: [n]f64) (i: i64) = v[i]
entry half [n] (v: [n]f32) = v / 2
entry swap (p: {a: []f64, b: []i32}) = {x = p.b, y = p.a}
entry not [n] (v: [n]bool) = !v
entry times [n] (v: [n]c64) = v * v
entry greet (s: #some f64 | #none) (v: []f64) = match s case #some x -> x * v case #none -> v
"""
p = rm.compile(TEXT, backend="cuda")
x = np.arange(10.0)

def fails(what, error, call, *arguments, **named):
    try:
        call(*arguments, **named)
    except error as raised:
        assert re.search(what, str(raised)), str(raised)
    else:
        raise AssertionError("nothing is raised")

class Interface:
    """An array of another library, by `__cuda_array_interface__`."""
    def __init__(self, array, **changes):
        self.array = array
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, **changes}
        for name in [name for name, value in changes.items() if value is Ellipsis]:
            del self.__cuda_array_interface__[name]

class Tensor:
    """The same by DLPack, of a library that knows of versions or not."""
    def __init__(self, array, versions=True):
        self.array, self.versions, self.streams = array, versions, []
    def __dlpack_device__(self):
        return self.array.__dlpack_device__()
    def __dlpack__(self, stream=None, **options):
        if options and not self.versions:
            raise TypeError("no such options")
        self.streams.append(stream)
        return self.array.__dlpack__(stream=stream, **options)

def log():
    with open(os.environ["FAKE_CUDA_LOG"]) as file:
        return file.read().splitlines()
'''


def test_arrays_go_there_and_come_back(python: Run, device: dict[str, str], tmp_path: Path):
    text = python(
        START
        + """
assert type(p.double(x)) is np.ndarray and (p.double(x) == 2 * x).all()
there = p.double(x, device=True)
assert type(there) is rm.DeviceArray
assert (there.shape, there.dtype, there.ndim, there.size, there.nbytes, len(there)) == ((10,), np.dtype("float64"), 1, 10, 80, 10)
assert repr(there) == "<remora array float64[10] on device 0>", repr(there)
assert (there.get() == 2 * x).all() and (np.asarray(there) == 2 * x).all() and np.asarray(there, "f4").dtype == "f4"
fails("without a copy", ValueError, np.array, there, copy=False)

# Nothing is copied from where it is to where it was.
before = log()
again = p.double(there)
moved = [line for line in log()[len(before):] if line.startswith(("put", "get"))]
assert type(again) is rm.DeviceArray and max(int(line.split()[1]) for line in moved) <= 128, moved
assert (again.get() == 4 * x).all()
assert type(p.double(there, device=False)) is np.ndarray

# Both kinds of arguments, several results, numbers.
total, scaled = p.sums(3.0, there)
assert total == 2 * x.sum() and (scaled.get() == 6 * x).all()
assert p.dot(there, x) == 2 * (x * x).sum() == p.dot(x, there)
assert p.at(there, 3) == 6
swapped = p.swap({"a": there, "b": np.arange(3, dtype="i4")})
assert (swapped.x.get() == [0, 1, 2]).all() and (swapped.y.get() == 2 * x).all()
assert p.swap({"a": x, "b": np.arange(3, dtype="i4")}, device=False).x.tolist() == [0, 1, 2]
host = p.swap({"a": there, "b": np.arange(3, dtype="i4")}, device=False)
assert type(host.x) is type(host.y) is np.ndarray
out = np.empty(10)
assert p.double(there, out=out) is out and (out == 4 * x).all()

# Ranks are inferred as for arrays of NumPy's.
rows = p.double(np.ones((2, 3)), device=True)
assert rows.shape == (2, 3) and p.double(rows).get().tolist() == [[4, 4, 4], [4, 4, 4]]
assert p.dot(rows, rows).get().tolist() == [12, 12]

# All types, nothing at all, and many elements.
assert p["not"](p["not"](np.array([True, False]), device=True)).get().tolist() == [True, False]
z = np.array([1 + 2j, 3j], "c8")
assert (p.times(p.times(z, device=True)).get() == z ** 4).all()
empty = p.double(np.zeros(0), device=True)
assert empty.shape == (0,) and p.double(empty).get().shape == (0,) and np.asarray(empty).size == 0
many = np.random.rand(300_001)
assert (p.double(p.double(many, device=True)).get() == 4 * many).all()

# What does not fit.
fails("dimension 0: the size is 3, but 10 is needed, the size of `a`", rm.ArgumentError, p.dot, there, np.ones(3))
fails("expected float32, given an array of float64 on the device", rm.ArgumentError, p.half, there)
fails("index 10 is out of bounds|out of range|outside", rm.RunTimeError, p.at, there, 10)
assert p.at(there, 9) == 18
fails("no argument `device`|`device` is for programs", TypeError, rm.compile(TEXT).double, x, device=True)
fails("in the memory of a device", rm.ArgumentError, rm.compile(TEXT).double, there)
fails("copied, none on a device", rm.ArgumentError, p.greet, p.variants.some(2.0), there)
assert (p.greet(p.variants.some(2.0), x) == 2 * x).all()
print("all is well")
""",
        env={**device, "FAKE_CUDA_LOG": str(tmp_path / "log")},
    )
    assert "all is well" in text and "not released" not in text


def test_arrays_of_other_libraries(python: Run, device: dict[str, str], tmp_path: Path):
    text = python(
        START
        + """
there = p.double(x, device=True)

# By the interface: streams are waited for as it says.
def waits(value):
    before = len(log())
    assert (p.double(value).get() == 4 * x).all()
    return log()[before:].count("wait")
assert waits(there) == 0 and waits(Interface(there)) == 0 and waits(Interface(there, stream=1)) == 1
assert waits(Interface(there, version=2, stream=...)) == 1 and waits(Interface(there, stream=..., strides=(8,))) == 0
fails("not in row-major order", rm.ArgumentError, p.double, Interface(there, strides=(16,), shape=(5,)))
assert p.double(Interface(there, strides=(800, 8), shape=(1, 10))).shape == (1, 10)
fails("has a mask", rm.ArgumentError, p.double, Interface(there, mask=there))
fails("expected float64, given an array of int64", rm.ArgumentError, p.double, Interface(there, typestr="<i8"))
fails("another order of bytes", rm.ArgumentError, p.double, Interface(there, typestr=">f8"))
fails("not in memory that the device reaches", rm.RunTimeError, p.double, Interface(there, data=(8, False)))
given = there.__cuda_array_interface__
assert given["typestr"] == "<f8" and given["version"] == 3 and given["shape"] == (10,) and given["stream"] is None

# By DLPack, with versions and without.
for versions in (True, False):
    tensor = Tensor(there, versions)
    assert waits(tensor) == 1 and tensor.streams == [1]
    capsule = there.__dlpack__(max_version=(1, 0)) if versions else there.__dlpack__()
    assert ("dltensor_versioned" if versions else "dltensor") in repr(capsule)
    del capsule
assert there.__dlpack_device__() == (2, 0)
fails("another device", BufferError, there.__dlpack__, dl_device=(2, 1))
fails("not copied", BufferError, there.__dlpack__, copy=True)
assert "dltensor" in repr(there.__dlpack__(dl_device=(1, 0)))
if np.lib.NumpyVersion(np.__version__) >= "2.1.0":
    assert (np.from_dlpack(there, device="cpu") == 2 * x).all()
fails(".", (BufferError, RuntimeError), np.from_dlpack, there)

class Other(Tensor):
    def __dlpack__(self, **options):
        return self.made
nothing = Other(there)
nothing.made = 3
fails("there is no tensor", rm.ArgumentError, p.double, nothing)
class Broken(Tensor):
    def __dlpack__(self, **options):
        raise BufferError("it needs a gradient")
fails("cannot be had by DLPack: BufferError: it needs a gradient", rm.ArgumentError, p.double, Broken(there))

# Whoever takes a tensor gives it back by its deleter, from any thread, after the array is forgotten here.
class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]
class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", Device), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]
class Managed(ctypes.Structure):
    pass
Managed._fields_ = [("tensor", DLTensor), ("manager", ctypes.c_void_p), ("deleter", ctypes.CFUNCTYPE(None, ctypes.POINTER(Managed)))]
api = ctypes.pythonapi
api.PyCapsule_GetPointer.restype, api.PyCapsule_GetPointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
USED = b"used_dltensor"
matrix = p.double(np.ones((2, 3)), device=True)
capsule = matrix.__dlpack__()
managed = Managed.from_address(api.PyCapsule_GetPointer(capsule, b"dltensor"))
api.PyCapsule_SetName(capsule, USED)
tensor = managed.tensor
assert (tensor.shape[0], tensor.shape[1], tensor.strides[0], tensor.strides[1]) == (2, 3, 3, 1) and (tensor.code, tensor.bits, tensor.lanes) == (2, 64, 1)
assert (tensor.device.type, tensor.device.id, tensor.ndim, tensor.offset) == (2, 0, 2, 0) and tensor.data == matrix.__cuda_array_interface__["data"][0]
del matrix, capsule
before = len(log())
import threading
thread = threading.Thread(target=lambda: managed.deleter(ctypes.byref(managed)))
thread.start()
thread.join()
# What others may still read is not given back before they are done.
assert "finish" in log()[before:]
fails("", rm.ArgumentError, p.double, Interface(there, shape=(10, 0), strides=(8, 8), typestr="<i4"))
print("all is well")
""",
        env={**device, "FAKE_CUDA_LOG": str(tmp_path / "log")},
    )
    assert "all is well" in text and "not released" not in text


def test_threads_forks_and_the_end(python: Run, device: dict[str, str], tmp_path: Path):
    text = python(
        START
        + """
import pickle, threading
there = p.double(x, device=True)
wrong = []
def work(k):
    mine = np.full(1000, float(k))
    for _ in range(20):
        kept = p.double(mine, device=True)
        if not (p.double(kept).get() == 4 * k).all():
            wrong.append(k)
threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert not wrong, wrong
other = pickle.loads(pickle.dumps(p))
assert other.settings == p.settings and type(other.double(there)) is rm.DeviceArray
grad = rm.grad(rm.compile("entry f (v: []f64) = f64.sum (v * v)", backend="cuda").f)
assert (grad(there).get() == 4 * x).all()
# A process that was forked off has the arrays of the other one no more.
child = os.fork()
if not child:
    try:
        there.get()
    except rm.RunTimeError as error:
        os._exit(0 if "forked" in str(error) else 3)
    os._exit(4)
assert os.waitpid(child, 0)[1] == 0
del there
print("all is well")
""",
        env={**device, "FAKE_CUDA_LOG": str(tmp_path / "log")},
    )
    assert "all is well" in text and "not released" not in text


def test_the_library_of_the_environment(python: Run, device: dict[str, str], tmp_path: Path):
    """`REMORA_DEVICE` names a device that has no streams."""
    library = str(Path(device["LD_LIBRARY_PATH"]) / "libcuda.so.1")
    text = python(
        START + "there = p.double(x, device=True)\nassert (p.double(Tensor(there)).get() == 4 * x).all()\nprint('all is well')\n",
        env={**device, "LD_LIBRARY_PATH": "", "REMORA_DEVICE": library},
    )
    assert "all is well" in text


@pytest.mark.parametrize(
    ("fault", "error", "match"),
    [
        ("none", "CompileError", "E0805"),
        ("elsewhere", "RunTimeError", "in the memory of device 1, the program runs on device 0"),
        ("launch", "RunTimeError", "E0810"),
        ("refuse", "CompileError", "E0807"),
        ("", "", ""),
    ],
)
def test_what_may_be_wrong_with_a_device(python: Run, device: dict[str, str], tmp_path: Path, fault: str, error: str, match: str):
    script = START + "there = p.double(x, device=True)\np.double(Interface(there))\n"
    own = {"REMORA_CACHE": str(tmp_path / "cache")} if fault == "refuse" else {}
    text = python(script, env={**device, **own, "FAKE_CUDA": fault, "FAKE_CUDA_LOG": str(tmp_path / "log")}, code=1 if error else 0)
    assert error in text and match in text, text


def test_what_machines_with_a_device_run(python: Run, device: dict[str, str]):
    script = (SHIM.parents[1] / "gpu_python.py").read_text()
    text = python(script, "1000", env=device)
    assert "arrays of NumPy and of programs: good" in text and "a call with arrays that stay on the device" in text


def test_without_a_driver(python: Run):
    text = python(START + "p.double(x)\n", code=1, env={"LD_LIBRARY_PATH": ""})
    assert "E0803" in text and 'backend="cpu"' in text, text
