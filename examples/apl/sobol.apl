⍝ Pi by a sequence that fills the unit square evenly (van der Corput 1935, Hammersley 1960): digits of k in base 2, reversed.
n←4096
radical←{2⊥⊖(12⍴2)⊤⍵}
x←(radical 0,⍳n-1)÷n
y←(0,⍳n-1)÷n
⎕PP←9
4×(+/1≥(x*2)+y*2)÷n
