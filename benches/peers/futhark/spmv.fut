-- A sparse matrix in compressed rows times a vector.
entry main [s] [nnz] [n] (start: [s]i64) (col: [nnz]i64) (value: [nnz]f64) (x: [n]f64) : []f64 =
  tabulate (s - 1) (\i ->
    #[unsafe]
    (loop sum = 0f64 for d < start[i + 1] - start[i] do
       let j = start[i] + d
       in sum + value[j] * x[col[j]]))
