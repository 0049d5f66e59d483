⍝ How many steps points of the complex plane stay near 0: z←c+z*2.
grid←(¯2+0.1×0,⍳30)∘.{⍺+0J1×⍵}¯1+0.1×0,⍳20
⍝ Points that have left stay where they are.
step←{(z n)←⍵ ⋄ in←4>((9○z)*2)+(11○z)*2 ⋄ ((z×~in)+in×grid+z×z)(n+in)}
counts←2⊃step⍣30⊢(0×grid)(0×⌊|grid)
+/,counts
' .:-=+*#%@'[1+9⌊⌊counts÷3]
