⍝ European call options (Black and Scholes 1973), the normal distribution by a polynomial (Abramowitz and Stegun, 26.2.17).
cdf←{k←÷1+0.2316419×|⍵ ⋄ w←k×0.31938153+k×¯0.356563782+k×1.781477937+k×¯1.821255978+k×1.330274429 ⋄ t←w×(*-0.5×⍵*2)÷(○2)*0.5 ⋄ (t×⍵<0)+(1-t)×⍵≥0}
⍝ Spot price, strike price, years.
call←{
  (s x t)←⍵ ⋄ r←0.02 ⋄ v←0.3
  d←((⍟s÷x)+t×r+0.5×v*2)÷v×t*0.5
  (s×cdf d)-x×(*-r×t)×cdf d-v×t*0.5
}
⎕PP←9
call 60 65 0.25
prices←50+10×⍳4
call prices 65 (0.25×⍳4)
⍝ Its value is between that of exercising it now and that of the share.
∧/{(c≥0⌈⍵-65)∧⍵≥c←call ⍵ 65 1}50 60 70 80
