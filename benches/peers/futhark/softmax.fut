-- Softmax of each row.
entry main [n] [m] (x: [n][m]f32) : [n][m]f32 =
  map (\row ->
         let top = f32.maximum row
         let e = map (\v -> f32.exp (v - top)) row
         let total = f32.sum e
         in map (\v -> v / total) e) x
