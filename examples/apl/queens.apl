⍝ N queens, breadth first: a row of a matrix has the columns of the queens so far; each is continued in every way that is safe.
grow←{
  boards←⍵ ⋄ k←1+(⍴⍵)[2]
  all←(6⌿boards),(6×≢boards)⍴⍳6
  last←all[;k]
  safe←∧/(all[;⍳k-1]≠last)∧(|all[;⍳k-1]-last)≠((≢all),k-1)⍴⌽⍳k-1
  safe⌿all
}
start←6 1⍴⍳6
two←grow start ⋄ three←grow two ⋄ four←grow three ⋄ five←grow four ⋄ six←grow five
≢six
six
'.Q'[1+six[1;]∘.=⍳6]
