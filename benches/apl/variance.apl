⍝: variance : [n]f64 -> f64
variance←{(+/(⍵-(+/⍵)÷≢⍵)*2)÷≢⍵}
