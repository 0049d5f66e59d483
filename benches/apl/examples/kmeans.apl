⍝: kmeans : i64 -> [n][2]f64 -> [4][2]f64
far←{((⍺[;1]∘.-⍵[;1])*2)+(⍺[;2]∘.-⍵[;2])*2}
kmeans←{
  points←⍵
  {own←(⍳4)∘.=⊃⍤1⊢⍋⍤1⊢points far ⍵ ⋄ (own+.×points)÷1⌈+/own}⍣⍺⊢4 2↑points
}
