-- A x and A^T x.
entry main [n] (a: [n][n]f32) (x: [n]f32) : ([n]f32, [n]f32) =
  let product (m: [n][n]f32) = map (\row -> f32.sum (map2 (*) row x)) m
  in (product a, product (transpose a))
