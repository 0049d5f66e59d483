⍝ Sorting by ⍋, by keys, and by merging sorted halves through counting.
x←100|37×⍳20
x[⍋x]
names←4 5⍴'delta','alpha','gamma','beta '
names[⍋names;]
order←{⍵[⍋⍺[⍵]]}
⍝ A stable sort by the last digit, then by the first, is a sort.
digits←⍋10|x
(x[x order digits])≡x[⍋x]
⍝ The place of an element is the number of smaller ones, and of equal ones in front of it.
place←1++/(x∘.>x)+(x∘.=x)∧(⍳20)∘.>⍳20
sorted←20⍴0 ⋄ sorted[place]←x
sorted≡x[⍋x]
