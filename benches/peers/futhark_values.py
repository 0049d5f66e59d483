"""Values in Futhark's binary format, version 2: `b`, the version, the rank, four letters of the type, the shape, the elements."""

import numpy as np

TYPES = {"float32": b" f32", "float64": b" f64", "int32": b" i32", "int64": b" i64"}
ELEMENTS = {name: np.dtype(dtype).newbyteorder("<") for dtype, name in TYPES.items()}


def encode(value):
    """The bytes of an array or a number."""
    value = np.asarray(value)
    shape = np.array(value.shape, "<u8").tobytes()
    return b"b" + bytes([2, value.ndim]) + TYPES[value.dtype.name] + shape + value.astype(ELEMENTS[TYPES[value.dtype.name]]).tobytes()


def decode(data):
    """All values that stand one after the other in the bytes."""
    values, at = [], 0
    while True:
        while data[at : at + 1].isspace():
            at += 1
        if at == len(data):
            return values
        if data[at : at + 2] != b"b\x02" or len(data) < at + 7:
            raise ValueError(f"no value in Futhark's binary format at byte {at}")
        rank, element = data[at + 2], ELEMENTS[data[at + 3 : at + 7]]
        shape = np.frombuffer(data, "<u8", rank, at + 7).astype(np.int64)
        at += 7 + 8 * rank
        count = int(shape.prod())
        values.append(np.frombuffer(data, element, count, at).reshape(shape))
        at += count * element.itemsize
