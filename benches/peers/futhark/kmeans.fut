-- One step of k-means.
def nearest [k] [d] (centres: [k][d]f32) (point: [d]f32) : i64 =
  let square centre = f32.sum (map2 (\a b -> (a - b) * (a - b)) centre point)
  let (_, near) =
    loop (least, near) = (f32.inf, 0) for c < k do
      let s = square centres[c]
      in if s < least then (s, c) else (least, near)
  in near

entry main [n] [k] [d] (points: [n][d]f32) (centres: [k][d]f32) : ([n]i64, [k][d]f32) =
  let near = map (nearest centres) points
  let members = hist (+) 0 k near (replicate n 1f32)
  let total = hist (map2 (+)) (replicate d 0) k near points
  let moved = map3 (\m t c -> if m > 0 then map (/ m) t else c) members total centres
  in (near, moved)
