-- The loss of logistic regression.
entry main [n] [m] (x: [n][m]f64) (y: [n]f64) (w: [m]f64) : f64 =
  let softplus (z: f64) = f64.max z 0 + f64.log1p (f64.exp (0 - f64.abs z))
  let loss (row: [m]f64) (y: f64) =
    let z = f64.sum (map2 (*) row w)
    in softplus z - y * z
  in f64.sum (map2 loss x y) / f64.i64 n
