-- Functions in data whose sizes depend on their arguments, and sizes that a function computes for the function that it is given.
def pair 't (zero: t) = (\(k: i64) (xs: [k]t) -> xs ++ [zero], 7i32)
def first '^a '^b (p: (a, b)) : a = p.0
def given '^a '^b (x: a) (f: a -> b) : b = f x
type^ folds = {sum: (k: i64) -> [k]f64 -> f64, none: f64}
def folds (scale: f64) : (folds, i32) =
  ({sum = \(k: i64) (xs: [k]f64) -> scale * f64.sum xs + f64.i64 k, none = 0}, 1)

-- ==
-- entry: through
-- input { } output { [1, 2, 0] [1, 0] [2, 3, 0] [4, 0] }
entry through =
  ( (first (pair 0i32)) 2 [1, 2]
  , (id (pair 0i32)).0 1 [1]
  , (pair 0i32 |> (.0)) 2 [2, 3]
  , (given (pair 0i32) (.0)) 1 [4]
  )

-- ==
-- entry: fields
-- input { 2.0 } output { 15.0 0.0 }
entry fields (scale: f64) =
  let use (r: folds) = (r.sum 3 [1, 2, 3], r.none)
  in folds scale |> (.0) |> use

def powers (n: i64) (m: i64) = \(g: [m ** n]i64 -> i64) -> g (iota (m ** n))

-- ==
-- entry: computed
-- input { 2i64 3i64 } output { 8i64 36i64 9i64 }
entry computed (n: i64) (m: i64) = (powers n m last, powers n m i64.sum, powers n m (\xs -> length xs))

-- A size is known after a check of it.
-- ==
-- entry: checked
-- input { 3i64 } output { [0i64, 1i64, 2i64] }
-- input { 0i64 } error: assertion
entry checked (n: i64) : [n]i64 = iota (assert (n > 0) n)

-- ==
-- entry: one_branch
-- input { true 0i64 } output { 5i64 }
-- input { false 0i64 } error: assertion
entry one_branch (skip: bool) (n: i64) = if skip then 5 else assert (n > 0) n + 1
