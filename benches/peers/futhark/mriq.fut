-- MRI-Q.
entry main [k] [n] (kx: [k]f32) (ky: [k]f32) (kz: [k]f32) (x: [n]f32) (y: [n]f32) (z: [n]f32)
                   (phi_r: [k]f32) (phi_i: [k]f32) : ([n]f32, [n]f32) =
  let magnitude = map2 (\r i -> r * r + i * i) phi_r phi_i
  let voxel (x: f32) (y: f32) (z: f32) =
    let angle = map3 (\a b c -> 2 * f32.pi * (x * a + y * b + z * c)) kx ky kz
    in ( f32.sum (map2 (\a m -> f32.cos a * m) angle magnitude)
       , f32.sum (map2 (\a m -> f32.sin a * m) angle magnitude))
  in unzip (map3 voxel x y z)
