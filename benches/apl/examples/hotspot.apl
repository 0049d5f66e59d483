⍝: hotspot : i64 -> [n][m]f64 -> [n][m]f64
up←{(1↓⍵)⍪¯1↑⍵}
down←{(1↑⍵)⍪¯1↓⍵}
hotspot←{chip←⍵>0.9 ⋄ {⍵+(0.1×(up ⍵)+(down ⍵)+(⍉up⍉⍵)+(⍉down⍉⍵)-4×⍵)+chip-0.02×⍵-20}⍣⍺⊢⍵}
