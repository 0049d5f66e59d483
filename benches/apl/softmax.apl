⍝: softmax : [n][m]f64 -> [n][m]f64
softmax←{e÷+/e←*⍵-⌈/⍵}
