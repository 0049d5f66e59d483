-- A histogram of bytes.
entry main [n] (x: [n]i64) : [256]i64 =
  hist (+) 0 256 x (replicate n 1)
