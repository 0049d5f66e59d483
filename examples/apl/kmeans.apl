⍝ k-means (Lloyd 1982) of points of the plane: each goes to the nearest centre, each centre to the mean of its points.
points←40 2⍴1000|7919×⍳80
centres←4 2⍴points
far←{((⍺[;1]∘.-⍵[;1])*2)+(⍺[;2]∘.-⍵[;2])*2}
choice←{(⍳4)∘.=⊃⍤1⊢⍋⍤1⊢points far ⍵}
move←{own←choice ⍵ ⋄ (own+.×points)÷1⌈+/own}
last←move⍣20⊢centres÷1
⌊0.5+last
+/choice last
