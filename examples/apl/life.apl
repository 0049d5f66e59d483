⍝ Conway's life on a torus: `remora run life.apl board.npy 100 -o out.npy` takes a board and a number of generations.
next←{s←⊃+/,¯1 0 1∘.⊖¯1 0 1⌽¨⊂⍵ ⋄ (s=3)∨(⍵=1)∧s=4}
main←{next⍣⍵⊢⍺=1}
glider←10 10↑3 3⍴0 1 0 0 0 1 1 1 1
⍝ A glider after four generations is itself, one step further.
(next⍣4⊢glider)≡1=¯1⊖¯1⌽glider
'.#'[1+next⍣7⊢glider]
