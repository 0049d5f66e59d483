⍝: text : [n]char -> [26]i64
text←{+/⎕A∘.=⍵}
