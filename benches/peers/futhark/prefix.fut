-- Running sum and maximum.
entry main [n] (x: [n]f64) : ([n]f64, [n]f64) =
  (scan (+) 0 x, scan f64.max (-f64.inf) x)
