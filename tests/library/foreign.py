"""Shared libraries made by `remora build --lib`, called as their header says."""

import ctypes
import re
from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_int64, c_void_p
from pathlib import Path

import numpy as np

C_TYPES = {
    "remora_c64": np.complex64, "remora_c128": np.complex128,
    "double": np.float64, "float": np.float32, "bool": np.bool_,
    "int8_t": np.int8, "int16_t": np.int16, "int32_t": np.int32, "int64_t": np.int64,
    "uint8_t": np.uint8, "uint16_t": np.uint16, "uint32_t": np.uint32, "uint64_t": np.uint64,
}  # fmt: skip


class Complex64(Structure):
    """One number of type c64."""

    _fields_ = [("re", ctypes.c_float), ("im", ctypes.c_float)]


class Complex128(Structure):
    """One number of type c128."""

    _fields_ = [("re", ctypes.c_double), ("im", ctypes.c_double)]


NUMBERS = {"remora_c64": Complex64, "remora_c128": Complex128}


class Failure(Exception):
    """A call that returned an error: the number of its code and its message."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Parameter:
    """One parameter of a function in the header: its C type, its name, and its shape as sizes or constants."""

    def __init__(self, text):
        match = re.fullmatch(r"(const )?(\w+) (\*)?(\w+)(?: /\* ((?:\[[^\]]*\])*) \*/)?", text.strip())
        if not match:
            raise ValueError(f"cannot read the parameter `{text}`")
        self.type, self.name, self.pointer = match[2], match[4], bool(match[3])
        self.shape = re.findall(r"\[([^\]]*)\]", match[5] or "")


class Function:
    """A function of a library: takes NumPy arrays and numbers, returns the tuple of its results."""

    def __init__(self, library, name, parameters):
        self.library, self.name = library, name
        self.inputs = [p for p in parameters if not re.fullmatch(r"out\d+", p.name)]
        self.outputs = [p for p in parameters if re.fullmatch(r"out\d+", p.name)]
        self.call = getattr(library.dll, f"{library.name}_{name}")
        self.call.restype = c_int

    def __call__(self, *arguments):
        """The results in order; sizes that only arrays among them have are left out. Raises `Failure`."""
        values = list(self.split(arguments))
        sizes, parameters = self.inputs[: len(self.inputs) - len(values)], self.inputs[len(self.inputs) - len(values) :]
        known, passed, kept = {}, [], []
        for parameter, value in zip(parameters, values):
            if parameter.pointer:
                value = np.ascontiguousarray(value, C_TYPES[parameter.type])
                if value.ndim != len(parameter.shape):
                    raise ValueError(f"{self.name}: `{parameter.name}` has {len(parameter.shape)} dimensions, not {value.ndim}")
                known.update(zip(parameter.shape, value.shape))
                kept.append(value)
                passed.append(c_void_p(value.ctypes.data))
            else:
                number = NUMBERS.get(parameter.type)
                passed.append(number(value.real, value.imag) if number else np.ctypeslib.as_ctypes_type(C_TYPES[parameter.type])(value))
        missing = [size.name for size in sizes if size.name not in known]
        if missing:
            raise ValueError(f"{self.name}: no argument has the size {', '.join(missing)}")
        outputs = [self.library.output(output.type) for output in self.outputs]
        code = self.call(self.library.context, *(c_int64(known[s.name]) for s in sizes), *passed, *map(byref, outputs))
        if code:
            raise Failure(code, self.library.error())
        found = [self.library.take(output) for output in outputs]
        return tuple(value for output, value in zip(self.outputs, found) if output in self.results())

    def results(self):
        """The outputs that are results: the others are sizes that only shapes of arrays among them have."""
        inner = {name for output in self.outputs for size in output.shape for name in re.findall(r"\*(out\d+)", size)}
        return [output for output in self.outputs if output.name not in inner]

    def split(self, arguments):
        """Complex arguments as their parts where the library takes parts."""
        for argument in arguments:
            if np.iscomplexobj(argument) and not any(parameter.type in NUMBERS for parameter in self.inputs):
                yield np.real(argument)
                yield np.imag(argument)
            else:
                yield argument


class Library:
    """A shared library with the header beside it."""

    def __init__(self, path, threads):
        path = Path(path)
        self.name = path.stem.removeprefix("lib")
        self.dll = ctypes.CDLL(str(path))
        text = path.with_name(f"{self.name}.h").read_text()
        self.structures = {}
        for element, rank, name in re.findall(r"typedef struct \{\s*(\w+) \*data;\s*int64_t shape\[(\d+)\];\s*void \*owner;\s*\} (\w+);", text):
            fields = [("data", c_void_p), ("shape", c_int64 * int(rank)), ("owner", c_void_p)]
            self.structures[name] = (type(name, (Structure,), {"_fields_": fields}), C_TYPES[element])
        self.function("new").restype, self.function("new").argtypes = c_void_p, [c_int]
        self.function("error").restype, self.function("error").argtypes = c_char_p, [c_void_p]
        self.function("release").argtypes = [c_void_p, c_void_p]
        self.context = c_void_p(self.function("new")(threads))
        self.functions = {}
        for name, parameters in re.findall(rf"^int {self.name}_(\w+)\({self.name}_context \*context,?(.*)\);$", text, re.M):
            listed = [Parameter(p) for p in parameters.split(", ") if p.strip()]
            self.functions[name] = Function(self, name, listed)

    def function(self, name):
        return getattr(self.dll, f"{self.name}_{name}")

    def error(self):
        return self.function("error")(self.context).decode()

    def output(self, type_name):
        """Room for a result of a C type."""
        if type_name in self.structures:
            return self.structures[type_name][0]()
        return NUMBERS[type_name]() if type_name in NUMBERS else np.ctypeslib.as_ctypes_type(C_TYPES[type_name])()

    def take(self, output):
        """The value of a result, copied, after which its memory is given back."""
        if isinstance(output, tuple(NUMBERS.values())):
            return complex(output.re, output.im)
        if not isinstance(output, Structure):
            return output.value
        dtype = np.dtype(self.structures[type(output).__name__][1])
        shape = tuple(output.shape)
        count = int(np.prod(shape))
        data = ctypes.string_at(output.data, count * dtype.itemsize) if count else b""
        array = np.frombuffer(data, dtype, count).reshape(shape).copy()
        self.function("release")(self.context, c_void_p(output.owner))
        return array
