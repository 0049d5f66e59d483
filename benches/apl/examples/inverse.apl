⍝: inverse : [n][n]f64 -> [n][n]f64
inverse←{⌹⍵}
