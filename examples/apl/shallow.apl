⍝ Shallow water in a channel that closes to a ring, by the scheme of Lax and Friedrichs: height and momentum move together.
n←64
height←1+0.5×*-0.02×((⍳n)-32)*2
momentum←0×height
left←1∘⌽ ⋄ right←¯1∘⌽
flux←{(h m)←⍵ ⋄ m((m×m÷h)+4.905×h×h)}
step←{
  (h m)←⍵ ⋄ (f g)←flux ⍵ ⋄ c←0.1
  ((0.5×(left h)+right h)-c×0.5×(left f)-right f)((0.5×(left m)+right m)-c×0.5×(left g)-right g)
}
end←step⍣40⊢height momentum
⎕PP←6
⌈/1⊃end
⍝ Water is neither lost nor made.
1E¯9>|(+/height)-+/1⊃end
⌊0.5+1000×(1⊃end)[8×⍳8]
