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
    // Floats with so many significant digits, points below points. Powers of ten, and what is multiplied with them, are sums of two floats
    // (Dekker 1971), so that digits are rounded as those of the exact value. The products are `fma a b 0`, which C compilers do not contract with a sum.
    (
        "apl_floats",
        "def apl_floats [r] [c] (digits: i64) (xs: [r][c]f64) : ?[k].[r][k]u32 = \
         let two (a: f64) (b: f64) : (f64, f64) = let p = f64.fma a b 0 in (p, f64.fma a b (0 - p)) in \
         let times (a: (f64, f64)) (b: (f64, f64)) : (f64, f64) = let p = two a.0 b.0 in \
         let l = p.1 + (a.0 * b.1 + a.1 * b.0) in let h = p.0 + l in (h, l - (h - p.0)) in \
         let ten (k: i64) : (f64, f64) = (loop s = ((1f64, 0f64), (10f64, 0f64), k) while s.2 > 0 do \
         (if s.2 % 2 == 1 then times s.0 s.1 else s.0, if s.2 > 1 then times s.1 s.1 else s.1, s.2 / 2)).0 in \
         let scaled (x: f64) (k: i64) : (f64, f64) = \
         if k > 300 then times (times (x, 0) (ten 150)) (ten (k - 150)) \
         else if k >= 0 then times (x, 0) (ten k) \
         else let d = ten (0 - k) in let q = x / d.0 in let p = two q d.0 in \
         let more = (((x - p.0) - p.1) - q * d.1) / d.0 in let h = q + more in (h, more - (h - q)) in \
         let even (x: f64) : i64 = let f = f64.floor x in let a = x - f in let n = i64.f64 f in \
         if a > 0.5 || a == 0.5 && n % 2 != 0 then n + 1 else n in \
         let near (s: (f64, f64)) : i64 = if s.0 >= 9007199254740992 then i64.f64 s.0 + even s.1 \
         else let f = f64.floor s.0 in let a = s.0 - f in let n = i64.f64 f in \
         if a > 0.5 || a == 0.5 && (s.1 > 0 || s.1 == 0 && n % 2 != 0) then n + 1 else n in \
         let size (n: i64) : i64 = (loop s = (1i64, n) while s.1 >= 10 do (s.0 + 1, s.1 / 10)).0 in \
         let digit (n: i64) (p: i64) : u32 = 48 + u32.i64 ((loop s = (p, n) while s.0 > 0 do (s.0 - 1, s.1 / 10)).1 % 10) in \
         let most = near (ten digits) in \
         let read (x: f64) : (i64, i64) = let y = f64.abs x in if !(y > 0 && y < f64.inf) then (0, 0) else \
         let first = i64.f64 (f64.floor (f64.log10 y)) in \
         let lowest = f64.i64 (most / 10) in \
         let value (e: i64) : (f64, f64) = scaled y (digits - 1 - e) in \
         let low (s: (f64, f64)) : bool = s.0 < lowest || s.0 == lowest && s.1 < 0 in \
         let place = loop e = first for _ < 2 do let s = value e in if low s then e - 1 else if s.0 >= lowest * 10 && s.1 >= 0 then e + 1 else e in \
         let n = near (value place) in let found = if n >= most then (place + 1, n / 10) else (place, n) in \
         ((loop n = found.1 while n % 10 == 0 do n / 10), found.0) in \
         let all = map (map read) xs in \
         let sign (x: f64) : i64 = if x < 0 then 1 else 0 in \
         let odd (x: f64) : bool = f64.isnan x || f64.isinf x in \
         let long (e: i64) : bool = e < 0 - 6 || e >= digits in \
         let whole (x: f64) (n: i64) (e: i64) : i64 = \
         if f64.isnan x then 3 else if odd x then 1 + sign x else if n == 0 then 1 else let d = size n in \
         sign x + (if long e then (if d > 1 then 1 else 2 + (if e < 0 then 1 else 0) + size (i64.abs e)) else 1 + i64.max 0 e) in \
         let rest (x: f64) (n: i64) (e: i64) : i64 = \
         if odd x || n == 0 then 0 else let d = size n in \
         if long e then (if d > 1 then d + 1 + (if e < 0 then 1 else 0) + size (i64.abs e) else 0) \
         else if e < 0 then d - e else if d > e + 1 then d - e else 0 in \
         let mark (x: f64) (n: i64) (e: i64) (at: i64) : u32 = \
         if f64.isnan x then (if at == 1 then 97 else 78) else if at < sign x then 175 else if f64.isinf x then 8734 else \
         if n == 0 then 48 else let d = size n in let p = at - sign x in \
         if long e then (if p == 0 then digit n (d - 1) else if d > 1 && p == 1 then 46 else if d > 1 && p <= d then digit n (d - p) \
         else let q = p - (if d > 1 then d + 1 else 1) in if q == 0 then 69 else if e < 0 && q == 1 then 175 \
         else digit (i64.abs e) (size (i64.abs e) - q + (if e < 0 then 1 else 0))) \
         else if e < 0 then (if p == 1 then 46 else if p < 1 - e then 48 else digit n (d - 1 - (p - 1 + e))) \
         else if p == e + 1 then 46 else let q = if p > e then p - 1 else p in if q < d then digit n (d - 1 - q) else 48 in \
         let lefts = map (\\j -> i64.max 0 (i64.maximum (map (\\i -> whole xs[i, j] all[i, j].0 all[i, j].1) (iota r)))) (iota c) in \
         let rights = map (\\j -> i64.max 0 (i64.maximum (map (\\i -> rest xs[i, j] all[i, j].0 all[i, j].1) (iota r)))) (iota c) in \
         let ends = scan (+) 0 (map2 (\\a b -> a + b + 1) lefts rights) in \
         let total = if c == 0 then 0 else ends[i64.max 0 (c - 1)] - 1 in \
         let column (j: i64) : i64 = (loop s = (0i64, c - 1) while s.0 < s.1 do \
         let k = (s.0 + s.1) / 2 in if ends[k] <= j then (k + 1, s.1) else (s.0, k)).0 in \
         map (\\i -> map (\\j -> let k = column j in let x = xs[i, k] in let (n, e) = all[i, k] in \
         let w = whole x n e in let p = j - (ends[k] - 1 - rights[k] - w) in \
         if p < 0 || p >= w + rest x n e then 32u32 else mark x n e p) (iota total)) (iota r)\n",
    ),
    // Floats with so many decimals, each in so many places; stars where these are too few.
    (
        "apl_fixed",
        "def apl_fixed [r] [c] [width] (decimals: i64) (xs: [r][c]f64) : [r][c * width]u32 = \
         let two (a: f64) (b: f64) : (f64, f64) = let p = f64.fma a b 0 in (p, f64.fma a b (0 - p)) in \
         let times (a: (f64, f64)) (b: (f64, f64)) : (f64, f64) = let p = two a.0 b.0 in \
         let l = p.1 + (a.0 * b.1 + a.1 * b.0) in let h = p.0 + l in (h, l - (h - p.0)) in \
         let ten (k: i64) : (f64, f64) = (loop s = ((1f64, 0f64), (10f64, 0f64), k) while s.2 > 0 do \
         (if s.2 % 2 == 1 then times s.0 s.1 else s.0, if s.2 > 1 then times s.1 s.1 else s.1, s.2 / 2)).0 in \
         let scaled (x: f64) (k: i64) : (f64, f64) = \
         if k > 300 then times (times (x, 0) (ten 150)) (ten (k - 150)) \
         else if k >= 0 then times (x, 0) (ten k) \
         else let d = ten (0 - k) in let q = x / d.0 in let p = two q d.0 in \
         let more = (((x - p.0) - p.1) - q * d.1) / d.0 in let h = q + more in (h, more - (h - q)) in \
         let even (x: f64) : i64 = let f = f64.floor x in let a = x - f in let n = i64.f64 f in \
         if a > 0.5 || a == 0.5 && n % 2 != 0 then n + 1 else n in \
         let near (s: (f64, f64)) : i64 = if s.0 >= 9007199254740992 then i64.f64 s.0 + even s.1 \
         else let f = f64.floor s.0 in let a = s.0 - f in let n = i64.f64 f in \
         if a > 0.5 || a == 0.5 && (s.1 > 0 || s.1 == 0 && n % 2 != 0) then n + 1 else n in \
         let size (n: i64) : i64 = (loop s = (1i64, n) while s.1 >= 10 do (s.0 + 1, s.1 / 10)).0 in \
         let digit (n: i64) (p: i64) : u32 = 48 + u32.i64 ((loop s = (p, n) while s.0 > 0 do (s.0 - 1, s.1 / 10)).1 % 10) in \
         let limit = 9000000000000000000f64 in \
         let read (x: f64) : i64 = let s = scaled (f64.abs x) decimals in if s.0 < limit then near s else 0 in \
         let all = map (map read) xs in \
         map (\\i -> map (\\j -> let k = j / width in let p = width - 1 - j % width in let x = xs[i, k] in let n = all[i, k] in \
         let d = i64.max (size n) (decimals + 1) in let places = d + (if decimals > 0 then 1 else 0) in \
         let below = x < 0 && n > 0 in \
         if !((scaled (f64.abs x) decimals).0 < limit) || places + (if below then 1 else 0) > width then 42u32 \
         else if p >= places then (if below && p == places then 175 else 32) \
         else if decimals > 0 && p == decimals then 46 else digit n (if decimals > 0 && p > decimals then p - 1 else p)) (iota (c * width))) (iota r)\n",
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
