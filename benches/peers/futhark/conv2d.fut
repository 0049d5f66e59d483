-- Two-dimensional convolution without padding.
entry main [n] [m] [p] [q] (a: [n][m]f32) (k: [p][q]f32) : [][]f32 =
  tabulate_2d (n - p + 1) (m - q + 1) (\i j ->
    #[unsafe] f32.sum (map (\r -> f32.sum (map (\c -> k[r, c] * a[i + r, j + c]) (iota q))) (iota p)))
