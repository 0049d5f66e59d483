-- Jacobi steps with a fixed border.
def step [n] (a: [n][n]f32) : [n][n]f32 =
  tabulate_2d n n (\i j ->
    #[unsafe]
    (if i == 0 || i == n - 1 || j == 0 || j == n - 1
     then a[i, j]
     else 0.2 * (a[i, j] + a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])))

entry main [n] (a: [n][n]f32) (steps: i64) : [n][n]f32 =
  loop a for _i < steps do step a
