-- Shortest paths between all pairs of nodes.
entry main [n] (a: [n][n]f32) : [n][n]f32 =
  loop a for k < n do
    map (\row -> map2 (\x y -> f32.min x (row[k] + y)) row a[k]) a
