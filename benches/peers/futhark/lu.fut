-- LU decomposition without pivoting.
entry main [n] (a: [n][n]f64) : [n][n]f64 =
  loop a for k < n - 1 do
    let column = tabulate n (\i -> if i > k then a[i, k] / a[k, k] else 0)
    in tabulate_2d n n (\i j ->
         if i <= k || j < k then a[i, j]
         else if j == k then column[i]
         else a[i, j] - column[i] * a[k, j])
