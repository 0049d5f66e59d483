⍝: mandelbrot : i64 -> [n][m]c128 -> [n][m]i64
mandelbrot←{grid←⍵ ⋄ 2⊃{(z n)←⍵ ⋄ in←4>((9○z)*2)+(11○z)*2 ⋄ ((z×~in)+in×grid+z×z)(n+in)}⍣⍺⊢(0×grid)(0×⌊|grid)}
