⍝ The inverse of a matrix by Gauss and Jordan, one column at a time with the largest pivot, beside that of ⌹.
n←4
eye←n n⍴1,n⍴0
m←4 4⍴2 1 0 3 1 4 1 0 0 2 5 1 1 0 2 6
step←{
  k←⍺ ⋄ a←⍵
  p←(k-1)+⊃⍒|(k-1)↓a[;k]
  row←a[p;] ⋄ a[p;]←a[k;] ⋄ a[k;]←row÷row[k]
  a-((⍳n)≠k)×a[;k]∘.×a[k;]
}
solved←4 step 3 step 2 step 1 step (m÷1),eye
inverse←n↓⍤1⊢solved
⌊0.5+1000×inverse
(⌊0.5+m+.×inverse)≡⌊0.5+0.0+eye
∧/,1E¯9>|inverse-⌹m
