"""Calls the library made from library.rem with ctypes alone."""
import ctypes, sys
from ctypes import POINTER, Structure, byref, c_bool, c_char_p, c_double, c_int, c_int64, c_void_p

lib = ctypes.CDLL(sys.argv[1])


class F64x2(Structure):
    _fields_ = [("data", POINTER(c_double)), ("shape", c_int64 * 2), ("owner", c_void_p)]


lib.t_new.restype, lib.t_new.argtypes = c_void_p, [c_int]
lib.t_free.argtypes = [c_void_p]
lib.t_error.restype, lib.t_error.argtypes = c_char_p, [c_void_p]
lib.t_release.argtypes = [c_void_p, c_void_p]
lib.t_norm.argtypes = [c_void_p, c_int64, POINTER(c_double), POINTER(c_double)]
lib.t_scale.argtypes = [c_void_p, c_int64, c_int64, POINTER(c_double), c_double, POINTER(F64x2), POINTER(c_int64)]
lib.t_pick.argtypes = [c_void_p, c_int64, POINTER(c_int64), c_int64, POINTER(c_int64)]

context = lib.t_new(2)
assert context
norm = c_double()
assert lib.t_norm(context, 2, (c_double * 2)(3, 4), byref(norm)) == 0 and norm.value == 5
matrix, count = F64x2(), c_int64()
for _ in range(1000):
    assert lib.t_scale(context, 2, 3, (c_double * 6)(1, 2, 3, 4, 5, 6), 10, byref(matrix), byref(count)) == 0
    assert list(matrix.shape) == [3, 2] and matrix.data[:6] == [10, 40, 20, 50, 30, 60] and count.value == 6
    lib.t_release(context, matrix.owner)
x = c_int64()
assert lib.t_pick(context, 2, (c_int64 * 2)(1, 2), 9, byref(x)) == 501
assert b"index 9 is out of bounds for an array of size 2" in lib.t_error(context)
lib.t_free(context)
print("good")
