-- Accumulators by the names that Futhark's compiler gives them, behind names of one's own.
type~ writing 't = intrinsics.acc t

def put [n] 't (acc: *writing ([n]t)) (i: i64) (v: t) : *writing ([n]t) = intrinsics.acc_write acc i v
def twice (acc: *writing ([]i32)) (i: i64) = put (put acc i (i32.i64 i)) (i + 1) 7

-- ==
-- entry: written
-- input { [9, 9, 9, 9, 9, 9] [0i64, 3i64] } output { [0, 7, 9, 3, 7, 9] }
entry written (xs: *[]i32) (is: []i64) : *[]i32 = intrinsics.scatter_stream xs twice is

-- ==
-- entry: added
-- input { [9, 9, 9, 9] [0i64, 1i64] } output { [9, 17, 16, 9] }
entry added [k] (xs: *[k]i32) (is: []i64) : *[k]i32 = intrinsics.hist_stream xs (+) 0 twice is
