-- Mean and variance in two passes.
entry main [n] (x: [n]f64) : (f64, f64) =
  let mean = f64.sum x / f64.i64 n
  in (mean, f64.sum (map (\x -> (x - mean) * (x - mean)) x) / f64.i64 n)
