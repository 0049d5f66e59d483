⍝ The date of Easter as a number (Knuth, The Art of Computer Programming, volume 1, section 1.3.2).
easter←{
  g←1+19|⍵
  c←1+⌊⍵÷100
  x←(⌊(3×c)÷4)-12
  z←(⌊(5+8×c)÷25)-5
  d←(⌊(5×⍵)÷4)-x+10
  a←30|(11×g)+20+z-x
  a+←(a=24)∨(a=25)∧g>11
  n←44-a
  n+←30×n<21
  n←n+7-7|d+n
  (10000×⍵)+(100×3+n>31)+n-31×n>31
}
easter 2015 2016 2017 2018
⍝: easter : [n]i64 -> [n]i64
