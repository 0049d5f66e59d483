-- The parts of a sum or product of sizes are those that were written, whatever sizes the other branch, the other values of a loop or a coercion
-- have.

-- ==
-- entry: of_a_branch
-- input { [1i64, 2] [3i64, 4, 5] true } output { [1i64, 2] }
-- input { [1i64, 2] [3i64, 4, 5] false } output { [3i64, 4, 5] }
entry of_a_branch [n] [m] (x: [n]i64) (y: [m]i64) (c: bool) : []i64 =
  let (a, _) = split (x ++ y)
  in if c then a else y

-- ==
-- entry: made_in_a_branch
-- input { 2i64 3i64 true } output { [[0i64, 1, 2], [3, 4, 5]] }
-- input { 2i64 3i64 false } output { [[7i64, 7], [7, 7], [7, 7]] }
entry made_in_a_branch (n: i64) (m: i64) (c: bool) : [][]i64 =
  if c then unflatten (iota (n * m)) else replicate m (replicate n 7)

-- ==
-- entry: of_a_case
-- input { 2i64 3i64 1i64 } output { [[0i64, 1, 2], [3, 4, 5]] }
-- input { 2i64 3i64 0i64 } output { [[0i64, 0], [0, 0], [0, 0]] }
entry of_a_case (n: i64) (m: i64) (k: i64) =
  match k
  case 0 -> replicate m (replicate n 0)
  case _ -> unflatten (iota (n * m))

def first [n] [m] (xs: [n + m]i64) : [n]i64 = take n xs

-- ==
-- entry: of_a_function
-- input { [1i64, 2] [3i64, 4, 5] true } output { [1i64, 2] }
entry of_a_function [n] [m] (x: [n]i64) (y: [m]i64) (c: bool) : []i64 =
  let a = first (x ++ y)
  in if c then a else y

-- ==
-- entry: of_a_loop
-- input { 2i64 3i64 1i64 } output { 2i64 }
-- input { 2i64 3i64 0i64 } output { 3i64 }
entry of_a_loop (n: i64) (m: i64) (k: i64) =
  let (a, _) = split (iota (n + m))
  in length (loop xs = replicate m 0 for _i < k do a)

-- ==
-- entry: of_the_first_values
-- input { 2i64 3i64 1i64 } output { 3i64 }
-- input { 2i64 3i64 0i64 } output { 2i64 }
entry of_the_first_values (n: i64) (m: i64) (k: i64) =
  let (a, _) = split (iota (n + m))
  in length (loop xs = a for _i < k do replicate m 0)

-- ==
-- entry: of_pairs
-- input { [1i64, 2] [3i64, 4, 5] true } output { 2i64 3i64 }
-- input { [1i64, 2] [3i64, 4, 5] false } output { 3i64 2i64 }
entry of_pairs [n] [m] (x: [n]i64) (y: [m]i64) (c: bool) =
  let (a, b) = split (x ++ y)
  let (p, q) = if c then (a, b) else (y, x)
  in (length p, length q)

-- ==
-- entry: there_and_back
-- input { [[1, 2, 3], [4, 5, 6]] true } output { [[1, 2, 3], [4, 5, 6]] }
-- input { [[1, 2, 3], [4, 5, 6]] false } output { [[1, 4], [2, 5], [3, 6]] }
entry there_and_back [n] [m] (x: [n][m]i32) (c: bool) : [][]i32 =
  if c then unflatten (flatten x) else transpose x

-- ==
-- entry: coerced
-- input { 2i64 2i64 } output { [[0i64, 1], [2, 3]] }
-- input { 2i64 3i64 } error: size
entry coerced (n: i64) (m: i64) =
  let r = iota (n * m) |> unflatten
  in r :> [m][n]i64

-- ==
-- entry: coerced_parts
-- input { 2i64 2i64 } output { 2i64 2i64 }
-- input { 2i64 3i64 } error: size
entry coerced_parts (n: i64) (m: i64) =
  let (a, b) = split (iota (n + m))
  in (length (a :> [m]i64), length (b :> [n]i64))

-- ==
-- entry: coerced_square
-- input { 4i64 } output { 1i64 }
-- input { 3i64 } error: size
entry coerced_square (m: i64) =
  let r = iota (m * m) |> unflatten
  let k = m / 2
  in (r :> [k * 2][k * 2]i64)[0, 1]

-- Sums and products are put together from the left: three parts are two and one.
-- ==
-- entry: three_in_two
-- input { [1, 2] [3] [4, 5] } output { [1, 2, 3] [4, 5] }
entry three_in_two [a] [b] [c] (x: [a]i32) (y: [b]i32) (z: [c]i32) = split (x ++ y ++ z)

-- ==
-- entry: rows_of_planes
-- input { 2i64 3i64 4i64 } output { 6i64 4i64 }
entry rows_of_planes (a: i64) (b: i64) (c: i64) =
  let r = unflatten (flatten_3d (replicate a (replicate b (replicate c 0i32))))
  in (length r, length (transpose r))

-- ==
-- entry: doubled
-- input { 3i64 5i64 } output { 2i64 15i64 15i64 2i64 }
entry doubled (a: i64) (b: i64) =
  let r = unflatten (replicate (2 * (a * b)) 0u8)
  let s = unflatten (replicate ((a * b) * 2) 0u8)
  in (length r, length (transpose r), length s, length (transpose s))
