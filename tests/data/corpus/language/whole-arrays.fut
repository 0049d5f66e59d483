-- In files of Futhark `==` and `!=` compare arrays as a whole.
-- ==
-- entry: alike
-- input { [1, 2] [1, 2] } output { true false }
-- input { [1, 2] [1, 3] } output { false true }
-- input { empty([0]i32) empty([0]i32) } output { true false }
entry alike [n] (xs: [n]i32) (ys: [n]i32) : (bool, bool) = (xs == ys, xs != ys)

-- ==
-- entry: conditions
-- input { [[1, 2], [3, 4]] [[1, 2], [3, 4]] } output { 1 2 3 }
-- input { [[1, 2], [3, 4]] [[1, 2], [3, 5]] } error: assertion
entry conditions (xs: [][]i32) (ys: [][]i32) =
  let same = xs == ys
  in (if same then 1i32 else 0, if xs != ys || xs[0] != ys[0] then 0i32 else 2, assert (xs == ys) 3i32)

-- ==
-- entry: rows
-- input { [[1, 2], [3, 4]] [[1, 2], [4, 5]] } output { [true, false] [[1, 2]] }
entry rows (xs: [][]i32) (ys: [][]i32) = (map2 (==) xs ys, filter (== xs[0]) ys)

-- ==
-- entry: scalars
-- input { [1.5, 2.5] 2.5 } output { [false, true] [true, false] 1i64 }
entry scalars (xs: []f64) (x: f64) =
  let member x xs = or (map (== x) xs)
  in (map (\y -> y == x) xs, map (!= x) xs, if member x xs then 1i64 else 0)

-- ==
-- entry: parts
-- input { [1, 2] [1, 2] } output { true true true }
entry parts (xs: []i32) (ys: []i32) =
  ((xs, 1i32) == (ys, 1), {of = xs} == {of = ys}, ((#some xs) : #some ([]i32) | #none) == #some ys)

-- Where something is inserted they go through arrays as other operators do.
-- ==
-- entry: elements
-- input { [[1, 2], [3, 4]] [1, 2] 2 } output { [[true, true], [false, false]] [[false, true], [false, false]] false [0, 1] }
entry elements [n] (xss: [n][n]i32) (ys: [n]i32) (z: i32) : ([n][n]bool, [n][n]bool, bool, [n]i32) =
  (xss == ys, z == xss, and (and (xss == transpose xss)), i32.bool (ys == z))
