-- Mandelbrot counts.
def escape (limit: i64) (cx: f64) (cy: f64) : i32 =
  let (_, _, i, _) =
    loop (x, y, i, live) = (0f64, 0f64, 0i64, true) while live && i < limit do
      let (x, y) = (x * x - y * y + cx, 2 * x * y + cy)
      let live = x * x + y * y <= 4
      in (x, y, if live then i + 1 else i, live)
  in i32.i64 i

entry main (n: i64) (limit: i64) : [n][n]i32 =
  let t (i: i64) = 3 * f64.i64 i / f64.i64 n
  in tabulate_2d n n (\i j -> escape limit (t j - 2) (t i - 1.5))
