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

# Values of sum types are pointers: made by a function for each constructor, looked at by number, given back with `free`.
shape = "t_circle_f64_point_rect_f64_f64"
made = lambda name: getattr(lib, shape + name)
made("_new_rect").argtypes = [c_void_p, c_double, c_double, POINTER(c_void_p)]
made("_new_point").argtypes = [c_void_p, POINTER(c_void_p)]
made("_get_rect").argtypes = [c_void_p, c_void_p, POINTER(c_double), POINTER(c_double)]
made("_variant").argtypes, made("_free").argtypes = [c_void_p], [c_void_p, c_void_p]
made("_1d_new").argtypes = [c_void_p, POINTER(c_int64), POINTER(c_void_p), POINTER(c_void_p)]
made("_1d_get").argtypes = [c_void_p, c_void_p, c_int64, POINTER(c_void_p)]
made("_1d_free").argtypes = [c_void_p, c_void_p]
lib.t_area.argtypes = [c_void_p, c_void_p, POINTER(c_double)]
lib.t_without_points.argtypes = [c_void_p, c_int64, c_void_p, POINTER(c_int64), POINTER(c_void_p)]
rect, point, values, kept, first = (c_void_p() for _ in range(5))
w, h = c_double(), c_double()
for _ in range(100):
    assert made("_new_rect")(context, 2, 3.5, byref(rect)) == 0 and made("_new_point")(context, byref(point)) == 0
    assert lib.t_area(context, rect, byref(norm)) == 0 and norm.value == 7
    assert made("_variant")(rect) == 2 and made("_get_rect")(context, rect, byref(w), byref(h)) == 0 and (w.value, h.value) == (2, 3.5)
    assert made("_get_rect")(context, point, byref(w), byref(h)) != 0 and b"not made by `#rect`" in lib.t_error(context)
    assert made("_1d_new")(context, (c_int64 * 1)(3), (c_void_p * 3)(point, rect, point), byref(values)) == 0
    assert lib.t_without_points(context, 3, values, byref(count), byref(kept)) == 0 and count.value == 1
    assert made("_1d_get")(context, kept, 0, byref(first)) == 0 and made("_variant")(first) == 2
    for value in (rect, point, first):
        made("_free")(context, value)
    for value in (values, kept):
        made("_1d_free")(context, value)
lib.t_free(context)
print("good")
