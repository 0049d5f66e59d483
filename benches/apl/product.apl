⍝: product : [n][m]f64 -> [m][p]f64 -> [n][p]f64
product←{⍺+.×⍵}
