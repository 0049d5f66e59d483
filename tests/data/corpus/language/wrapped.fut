-- In files of Futhark, numbers with a suffix wrap around, with a warning.

-- ==
-- warning: E0310.*`255i8` wraps around to -1
-- warning: E0310.*`300u8` wraps around to 44
-- entry: numbers
-- input { }
-- output { -1i8 44u8 -128i8 }
entry numbers : (i8, u8, i8) = (255i8, 300u8, -128i8)

-- ==
-- entry: pattern
-- input { -56i8 }
-- output { true }
entry pattern (x: i8) : bool = match x case 200i8 -> true case _ -> false
