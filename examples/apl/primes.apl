⍝ Primes by their divisors, and by a sieve.
primes←{(2=+⌿0=⍵∘.|⍵)/⍵}
+/primes ⍳100
sieve←{p←⍵⍴1 ⋄ p[1]←0 ⋄ ⍸p>∨⌿(1+⍳⌊⍵*0.5)∘.{(⍵>⍺)∧0=⍺|⍵}⍳⍵}
sieve 60
(primes ⍳200)≡sieve 200
