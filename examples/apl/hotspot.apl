⍝ Heat on a plate: each point moves towards the mean of its neighbours, and a chip heats the middle.
plate←16 16⍴20
chip←16 16⍴0
chip[7 8 9 10;7 8 9 10]←1
up←{(1↓⍵)⍪¯1↑⍵}
down←{(1↑⍵)⍪¯1↓⍵}
step←{⍵+(0.1×(up ⍵)+(down ⍵)+(⍉up⍉⍵)+(⍉down⍉⍵)-4×⍵)+chip-0.02×⍵-20}
hot←step⍣50⊢plate+0.0
⌈/,hot
⌊0.5+hot[8;]
