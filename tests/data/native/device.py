"""Calls the library made from library.rem for CUDA with ctypes alone: results of one call, on the device, are arguments of the next."""
import ctypes, sys
from ctypes import POINTER, Structure, byref, c_char_p, c_double, c_int, c_int64, c_void_p

lib = ctypes.CDLL(sys.argv[1])


class F64x1(Structure):
    _fields_ = [("data", c_void_p), ("shape", c_int64 * 1), ("owner", c_void_p)]


lib.t_new_on_device.restype, lib.t_new_on_device.argtypes = c_void_p, [c_int, c_char_p]
lib.t_free.argtypes = [c_void_p]
lib.t_error.restype, lib.t_error.argtypes = c_char_p, [c_void_p]
lib.t_release.argtypes = [c_void_p, c_void_p]
lib.t_wait_for.argtypes = [c_void_p, c_void_p]
lib.t_make_on_device.argtypes = [c_void_p, c_int64, POINTER(F64x1)]
lib.t_norm_on_device.argtypes = [c_void_p, c_int64, c_void_p, POINTER(c_double)]

assert lib.t_new_on_device(5, None) is None
assert b"E0805" in lib.t_error(None)
context = lib.t_new_on_device(0, None)
assert context, lib.t_error(None)
made, norm = F64x1(), c_double()
for _ in range(100):
    assert lib.t_make_on_device(context, 5, byref(made)) == 0 and made.shape[0] == 5
    assert lib.t_wait_for(context, None) == 0
    assert lib.t_norm_on_device(context, 5, made.data, byref(norm)) == 0 and norm.value == 30**0.5
    lib.t_release(context, made.owner)
here = (c_double * 3)(1, 2, 3)
assert lib.t_norm_on_device(context, 3, ctypes.addressof(here), byref(norm)) == 810
assert b"not in memory that the device reaches" in lib.t_error(context)
lib.t_free(context)
print("good")
