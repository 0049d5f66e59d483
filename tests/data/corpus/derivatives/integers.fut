-- Integers have derivatives: those of sums, products, powers, choices and conversions between integers. What rounds is constant.
def polynomial (x: i32) (y: i32) = x * x * y - 3 * y + x ** 3

-- ==
-- entry: forward backward
-- tags { derivatives }
-- input { 2 5 } output { 32 1 }
-- input { -1 4 } output { -5 -2 }
entry forward (x: i32) (y: i32) = (jvp (\x -> polynomial x y) x 1, jvp (polynomial x) y 1)
entry backward (x: i32) (y: i32) : (i32, i32) = vjp (\(x, y) -> polynomial x y) (x, y) 1

def choices (x: i64) : [6]i64 = [i64.max x 3, i64.min x 3, i64.abs x, x % 4, x / 2, 0 - x]

-- ==
-- entry: kinds_forward kinds_backward
-- tags { derivatives }
-- input { 5i64 } output { [1i64, 0i64, 1i64, 1i64, 0i64, -1i64] }
-- input { -5i64 } output { [0i64, 1i64, -1i64, 1i64, 0i64, -1i64] }
entry kinds_forward (x: i64) = jvp choices x 1
entry kinds_backward (x: i64) = tabulate 6 (\i -> vjp choices x (replicate 6 0 with [i] = 1))

-- ==
-- entry: constant_power
-- tags { derivatives }
-- input { 0 } output { 0 }
-- input { 3 } output { 0 }
entry constant_power (x: i32) = vjp (\x -> x ** 0 + 2) x 1

-- Indices and sizes are no numbers to differentiate; bits, comparisons and conversions to floats and from them are constant.
def places (k: i64, xs: [4]i64) = xs[k] * k + i64.sum (replicate k 2) + i64.f64 (f64.i64 k) + (k & 1) + i64.i32 (i64.popc k)

-- ==
-- entry: places_backward
-- tags { derivatives }
-- input { 2i64 [3i64, 4i64, 5i64, 6i64] } output { 5i64 [0i64, 0i64, 2i64, 0i64] }
entry places_backward (k: i64) (xs: [4]i64) = vjp places (k, xs) 1

-- ==
-- entry: places_forward
-- tags { derivatives }
-- input { 2i64 [3i64, 4i64, 5i64, 6i64] } output { 5i64 2i64 }
entry places_forward (k: i64) (xs: [4]i64) = (jvp places (k, xs) (1, replicate 4 0), jvp places (k, xs) (0, replicate 4 1))

-- ==
-- entry: folds
-- tags { derivatives }
-- input { [2, 3, 4] [0i64, 1i64, 1i64] } output { [12, 8, 6] [0, 0, 1] [1, 4, 3] [5, 2, 1] }
entry folds (xs: [3]i32) (is: [3]i64) =
  ( vjp i32.product xs 1
  , vjp i32.maximum xs 1
  , vjp (\xs -> reduce_by_index (replicate 2 1) (*) 1 is xs |> i32.sum) xs 1
  , vjp (\xs -> scan (+) 0 xs |> map2 (*) [3, 1, 1] |> i32.sum) xs 1
  )

-- ==
-- entry: loops
-- tags { derivatives }
-- input { [1, 2, 3] } output { [[2, 0, 0], [0, 4, 0], [0, 0, 6]] }
entry loops [n] (xs: [n]i32) =
  let squares (xs: [n]i32) = loop ys = copy xs for i < n do ys with [i] = ys[i] * ys[i]
  in tabulate n (\i -> vjp squares xs (replicate n 0 with [i] = 1))

-- ==
-- entry: narrow
-- tags { derivatives }
-- input { 3i32 } output { 6i32 }
entry narrow (x: i32) = vjp (\x -> i32.i8 (i8.i32 x * i8.i32 x)) x 1

-- ==
-- entry: nested
-- tags { derivatives }
-- input { 3 } output { 18 }
entry nested (x: i32) = jvp (\x -> vjp (\x -> x ** 3) x 1) x 1
