⍝: queens : i64 -> i64
grow←{
  n←⍺ ⋄ boards←⍵ ⋄ k←1+(⍴⍵)[2]
  all←(n⌿boards),(n×≢boards)⍴⍳n
  last←all[;k]
  safe←∧/(all[;⍳k-1]≠last)∧(|all[;⍳k-1]-last)≠((≢all),k-1)⍴⌽⍳k-1
  safe⌿all
}
queens←{≢(⍵ grow ⍵ grow ⍵ grow ⍵ grow ⍵ grow ⍵ grow ⍵ grow ⍵ 1⍴⍳⍵)}
