-- One step of n-body.
entry main [n] (p: [n][3]f64) (v: [n][3]f64) (m: [n]f64) (dt: f64) : ([n][3]f64, [n][3]f64) =
  let add (a: f64, b: f64, c: f64) (x: f64, y: f64, z: f64) = (a + x, b + y, c + z)
  let acceleration (q: [3]f64) : [3]f64 =
    let pull (r: [3]f64) (m: f64) =
      let (x, y, z) = (r[0] - q[0], r[1] - q[1], r[2] - q[2])
      let square = x * x + y * y + z * z + 0.01
      let f = m / (square * f64.sqrt square)
      in (x * f, y * f, z * f)
    let (x, y, z) = reduce add (0, 0, 0) (map2 pull p m)
    in [x, y, z]
  let moving = map2 (\v q -> map2 (\v a -> v + dt * a) v (acceleration q)) v p
  in (map2 (map2 (\p v -> p + dt * v)) p moving, moving)
