-- A function has no fields: where a module has its name, that is meant.
module twice = { def f (x: i32) = 2 * x def more = { a = 3i32 } }

-- ==
-- entry: twice
-- input { 4 } output { 11 }
entry twice (x: i32) = twice.f x + twice.more.a
