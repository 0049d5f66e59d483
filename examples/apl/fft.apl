⍝ A Fourier transform by halves (Cooley and Tukey 1965), written out for the length that is known; beside the sum that defines it.
fft2←{
  1=≢⍵:⍵
  h←⌊(≢⍵)÷2
  even←∇⍵[¯1+2×⍳h]
  odd←(∇⍵[2×⍳h])×*0J¯2×(○1)×(¯1+⍳h)÷≢⍵
  (even+odd),even-odd
}
dft←{n←≢⍵ ⋄ (*0J¯2×(○1)×((¯1+⍳n)∘.×¯1+⍳n)÷n)+.×⍵}
x←1 2 3 4 2 0 1 5+0J1×0 1 0 0 2 0 1 0
⌊0.5+1000×9○fft2 x
⌊0.5+1000×11○fft2 x
∧/1E¯9>|(fft2 x)-dft x
