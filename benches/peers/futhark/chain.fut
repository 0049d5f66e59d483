-- A fused chain of elementwise operations.
entry main [n] (x: [n]f32) (y: [n]f32) (a: f32) : [n]f32 =
  map2 (\x y -> f32.sqrt (x * x + y * y) * a + (1 - a) * f32.abs (x - y) / (1 + x)) x y
