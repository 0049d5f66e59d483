⍝ A signal, and how it changes, limited to ¯50..50 (APEX benchmarks; Budd and others 2014).
diff←{1↓⍵-¯1⌽⍵}
signal←{¯50⌈50⌊50×(diff 0,⍵)÷0.01+⍵}
⎕PP←12
+/signal ⍳100

⍝: signal : [n]f64 -> [n]f64
