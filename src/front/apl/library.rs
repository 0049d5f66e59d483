//! Functions of the library that scripts use: text of the surface language, a definition for each name.

/// Names and definitions. A definition is one line, and lines that begin with `import` are shared.
pub const LIBRARY: &[(&str, &str)] = &[
    ("apl_order", "import \"lib/sorting\"\ndef apl_order [n] (leq: i64 -> i64 -> bool) (xs: [n]i64) : [n]i64 = merge_sort leq xs\n"),
    (
        "apl_grade_i64",
        "import \"lib/sorting\"\n\
         def apl_grade_i64 [n] (down: bool) (xs: [n]i64) : [n]i64 = \
         radix_argsort_u64 (map (\\x -> let k = u64.i64 x ^ 0x8000000000000000 in if down then !k else k) xs)\n",
    ),
    // NaNs come last; zeros are equal, whatever their signs.
    (
        "apl_grade_f64",
        "import \"lib/sorting\"\n\
         def apl_grade_f64 [n] (down: bool) (xs: [n]f64) : [n]i64 = \
         radix_argsort_u64 (map (\\x -> let bits = f64.to_bits (x + 0) in \
         let k = if bits >> 63 == 1 then !bits else bits | 0x8000000000000000 in \
         if f64.isnan x then u64.highest else if down then !k else k) xs)\n",
    ),
    ("apl_inverse", "import \"lib/linalg\"\ndef apl_inverse [n] (a: [n][n]f64) : [n][n]f64 = linalg.inv a\n"),
    ("apl_solve", "import \"lib/linalg\"\ndef apl_solve [n] [m] (a: [n][n]f64) (b: [n][m]f64) : [n][m]f64 = linalg.solve_many a b\n"),
    (
        "apl_left_inverse",
        "import \"lib/linalg\"\n\
         def apl_left_inverse [n] [m] (a: [n][m]f64) : [m][n]f64 = \
         let _ = assert (n >= m) \"a matrix has at least as many rows as columns where it is divided by (LENGTH ERROR)\" in linalg.pinv a\n",
    ),
    (
        "apl_least_squares",
        "import \"lib/linalg\"\n\
         def apl_least_squares [n] [m] [k] (a: [n][m]f64) (b: [n][k]f64) : [m][k]f64 = \
         let _ = assert (n >= m) \"a matrix has at least as many rows as columns where it is divided by (LENGTH ERROR)\" in linalg.lstsq_many a b\n",
    ),
    // Places of keys in others: the first of equal ones, the length where there is none.
    (
        "apl_places",
        "import \"lib/sorting\"\n\
         def apl_places [n] [m] (xs: [n]u64) (ys: [m]u64) : [m]i64 = \
         let order = radix_argsort_u64 xs in \
         let sorted = map (\\i -> xs[i]) order in \
         let below (y: u64) : i64 = (loop r = (0i64, n) while r.0 < r.1 do \
         let k = (r.0 + r.1) / 2 in if sorted[k] < y then (k + 1, r.1) else (r.0, k)).0 in \
         map (\\y -> let k = below y in if k < n && sorted[i64.min k (n - 1)] == y then order[i64.min k (n - 1)] else n) ys\n",
    ),
    // Zeros are equal, whatever their signs.
    ("apl_key", "def apl_key (x: f64) : u64 = if x == 0 then 0 else f64.to_bits x\n"),
    ("apl_by_place", "import \"lib/sorting\"\ndef apl_by_place [n] (firsts: [n]i64) : [n]i64 = radix_argsort_u64 (map u64.i64 firsts)\n"),
    // How many elements of an ascending vector are at most as large.
    (
        "apl_intervals_i64",
        "def apl_intervals_i64 [n] [m] (xs: [n]i64) (ys: [m]i64) : [m]i64 = \
         let _ = assert (all (\\i -> i == 0 || xs[i64.max 0 (i - 1)] <= xs[i]) (iota n)) \"the left argument of `⍸` ascends (DOMAIN ERROR)\" in \
         map (\\y -> (loop r = (0i64, n) while r.0 < r.1 do \
         let k = (r.0 + r.1) / 2 in if xs[k] <= y then (k + 1, r.1) else (r.0, k)).0) ys\n",
    ),
    (
        "apl_intervals_f64",
        "def apl_intervals_f64 [n] [m] (xs: [n]f64) (ys: [m]f64) : [m]i64 = \
         let _ = assert (all (\\i -> i == 0 || xs[i64.max 0 (i - 1)] <= xs[i]) (iota n)) \"the left argument of `⍸` ascends (DOMAIN ERROR)\" in \
         map (\\y -> (loop r = (0i64, n) while r.0 < r.1 do \
         let k = (r.0 + r.1) / 2 in if xs[k] <= y then (k + 1, r.1) else (r.0, k)).0) ys\n",
    ),
    // The lengths of rows, and all their elements.
    (
        "apl_rows_bool",
        "import \"lib/ragged\"\n\
         def apl_rows_bool [n] (xss: [n](?[k].[k]bool)) : ?[m].([n]i64, [m]bool) = (lengths xss, join_rows xss)\n",
    ),
    (
        "apl_rows_i64",
        "import \"lib/ragged\"\n\
         def apl_rows_i64 [n] (xss: [n](?[k].[k]i64)) : ?[m].([n]i64, [m]i64) = (lengths xss, join_rows xss)\n",
    ),
    (
        "apl_rows_f64",
        "import \"lib/ragged\"\n\
         def apl_rows_f64 [n] (xss: [n](?[k].[k]f64)) : ?[m].([n]i64, [m]f64) = (lengths xss, join_rows xss)\n",
    ),
    (
        "apl_rows_c128",
        "import \"lib/ragged\"\n\
         def apl_rows_c128 [n] (xss: [n](?[k].[k]c128)) : ?[m].([n]i64, [m]c128) = (lengths xss, join_rows xss)\n",
    ),
    (
        "apl_rows_u32",
        "import \"lib/ragged\"\n\
         def apl_rows_u32 [n] (xss: [n](?[k].[k]u32)) : ?[m].([n]i64, [m]u32) = (lengths xss, join_rows xss)\n",
    ),
    // Whole numbers as text: columns to the right, with a blank between them.
    (
        "apl_text",
        "def apl_text [r] [c] (xs: [r][c]i64) : ?[k].[r][k]u32 = \
         let size (x: i64) : u64 = if x < 0 then 0 - u64.i64 x else u64.i64 x in \
         let digits (x: i64) : i64 = (loop s = (1i64, size x) while s.1 >= 10 do (s.0 + 1, s.1 / 10)).0 in \
         let width (x: i64) : i64 = digits x + (if x < 0 then 1 else 0) in \
         let ends = scan (+) 0 (map (\\j -> 1 + i64.max 0 (i64.maximum (map (\\i -> width xs[i, j]) (iota r)))) (iota c)) in \
         let total = if c == 0 then 0 else ends[i64.max 0 (c - 1)] - 1 in \
         let column (j: i64) : i64 = (loop s = (0i64, c - 1) while s.0 < s.1 do \
         let k = (s.0 + s.1) / 2 in if ends[k] <= j then (k + 1, s.1) else (s.0, k)).0 in \
         map (\\i -> map (\\j -> let k = column j in let x = xs[i, k] in let p = ends[k] - 2 - j in \
         if p < 0 || p > digits x || (p == digits x && x >= 0) then 32u32 \
         else if p == digits x then 175u32 \
         else 48 + u32.u64 ((loop s = (p, size x) while s.0 > 0 do (s.0 - 1, s.1 / 10)).1 % 10)) (iota total)) (iota r)\n",
    ),
    (
        "apl_unit",
        "import \"lib/random\"\ndef apl_unit (site: i64) (at: i64) : f64 = f64.u64 (splitmix64.nth (splitmix64.seed site) at >> 11) * 1.1102230246251565e-16\n",
    ),
    (
        "apl_roll",
        "import \"lib/random\"\ndef apl_roll (site: i64) (at: i64) (n: i64) : i64 = \
         let _ = assert (n > 0) \"what `?` rolls is at least 1 (DOMAIN ERROR)\" in i64.u64 (splitmix64.nth (splitmix64.seed site) at >> 1) % n\n",
    ),
];
