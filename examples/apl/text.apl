⍝ Statistics of a text: letters, words, the longest word, how often each letter stands in it.
text←'the quick brown fox jumps over the lazy dog and the dog sleeps'
letters←(text≠' ')/text
≢letters
⍝ Words begin at the beginning and behind blanks; a blank ends each.
starts←⍸1,' '=text
lengths←(1↓starts,2+≢text)-starts+1
≢lengths
⌈/lengths
text[(⌈/lengths)↑(¯1+starts[lengths⍳⌈/lengths])↓⍳≢text]
counts←+/(∪letters)∘.=letters
order←⍒counts
(∪letters)[5↑order]
5↑counts[order]
⍝ The text with capitals.
lower←⎕UCS 96+⍳26
('-',⎕A)[(' ',lower)⍳text]
