-- European call and put options.
def cnd (d: f64) : f64 =
  let q = 1 / (1 + 0.2316419 * f64.abs d)
  let p = q * (0.31938153 + q * (-0.356563782 + q * (1.781477937 + q * (-1.821255978 + q * 1.330274429))))
  let w = 1 - 0.39894228040143267794 * f64.exp (-0.5 * d * d) * p
  in if d < 0 then 1 - w else w

entry main [n] (s: [n]f64) (k: [n]f64) (t: [n]f64) (rate: f64) (vol: f64) : ([n]f64, [n]f64) =
  let option (s: f64) (k: f64) (t: f64) =
    let spread = vol * f64.sqrt t
    let d1 = (f64.log (s / k) + (rate + 0.5 * vol * vol) * t) / spread
    let paid = k * f64.exp (0 - rate * t)
    let call = s * cnd d1 - paid * cnd (d1 - spread)
    in (call, call - s + paid)
  in unzip (map3 option s k t)
