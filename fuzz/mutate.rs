//! Mutations that know what inputs look like: texts are taken apart into words and bracketed groups, which are removed, repeated,
//! exchanged, put into other places or replaced by words of the language and by parts of other inputs; data get boundary values in the
//! fields of their headers, and images whose checksums are right.

use super::targets::Target;

/// A small generator of random numbers (xorshift with a multiplication; Vigna, "An experimental exploration of Marsaglia's xorshift
/// generators, scrambled", 2016): all that mutation does follows from its seed.
pub struct Random(u64);

impl Random {
    /// The generator for a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }
    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
    /// A number below `limit`, 0 if that is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        if limit == 0 { 0 } else { (self.next() >> 33) as usize % limit }
    }
    /// One of these.
    pub fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }
    fn chance(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }
}

/// Words of the surface language.
const SURFACE: &[&str] = &[
    "def f",
    "def main",
    "entry main",
    "let",
    "in",
    "if",
    "then",
    "else",
    "loop",
    "for",
    "while",
    "do",
    "with",
    "match",
    "case",
    "assert",
    "type",
    "import \"lib/np\"",
    "local",
    "module",
    "open",
    "val",
    "true",
    "false",
    "map",
    "reduce",
    "scan",
    "filter",
    "zip",
    "unzip",
    "iota",
    "replicate",
    "rep",
    "length",
    "transpose",
    "flatten",
    "unflatten",
    "concat",
    "partition",
    "f64.sum",
    "i32.+",
    "f32.sqrt",
    "i64.i32",
    "f64.inf",
    "bool",
    "i8",
    "u8",
    "i32",
    "i64",
    "u64",
    "f16",
    "f32",
    "f64",
    "[]",
    "[n]",
    "[n+1]",
    "[n*m]",
    "[3]",
    "[0]",
    "[-1]",
    "[][]",
    "?[k].[k]i32",
    "'a",
    "'t [n]",
    "a -> a",
    "(x: i64)",
    "(xs: []f64)",
    "(xss: [n][m]i32)",
    "\\x -> x",
    "\\x y -> x + y",
    "(+)",
    "(+ 1)",
    "(1 -)",
    "(.x)",
    "(.[0])",
    "xs[0]",
    "xs[1:2]",
    "xs[::2]",
    "{x = 1}",
    "r.x",
    "(1, 2)",
    ".0",
    "[1, 2, 3]",
    "[]",
    "0..<n",
    "1..2...10",
    "5..>1",
    ":> [n]i32",
    ": f64",
    "->",
    "<-",
    "=",
    "|>",
    "<|",
    ">->",
    "<-<",
    "&&",
    "||",
    "!",
    "==",
    "**",
    "++",
    "-",
    "+",
    "*",
    "/",
    "%",
    "//",
    "<<",
    ">>",
    "^",
    "|",
    "&",
    "`f`",
    "#c",
    "#[inline]",
    "???",
    "_",
    "--",
    "-- |",
    "'a'",
    "\"text\"",
    "0",
    "1",
    "-1",
    "255u8",
    "1e300",
    "1.5",
    "0x1.8p3",
    "0xff",
    "9223372036854775807",
    "99999999999999999999",
    "1i8",
    "f64.nan",
    "\\",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ".",
    "..",
    ":",
    "?",
    "*[n]t",
];
/// Words of core.
const CORE: &[&str] = &[
    "(define f : i64 1)",
    "(entry main : i64 1)",
    "define",
    "entry",
    ":",
    "array",
    "frame",
    "box",
    "unbox",
    "reify-dimension",
    "reify-shape",
    "let",
    "fn",
    "t-fn",
    "i-fn",
    "if",
    "loop",
    "for",
    "while",
    "map",
    "rep",
    "tuple",
    "proj",
    "rec",
    "field",
    "coerce",
    "assert",
    "t-app",
    "i-app",
    "size",
    "Forall",
    "Pi",
    "Sigma",
    "->",
    "Tup",
    "Rec",
    "i64.+",
    "f64.sum",
    "index",
    "slice",
    "iota",
    "reduce",
    "scan",
    "filter",
    "concat",
    "transpose",
    "flatten",
    "i64",
    "f64",
    "i32",
    "bool",
    "[i64 n]",
    "[t @s]",
    "n",
    "@s",
    "t",
    "x",
    "[]",
    "[n]",
    "[2 3]",
    "[n @s]",
    "(+ n 1)",
    "(* n m)",
    "(- n 1)",
    "(size x)",
    "0",
    "1",
    "-1",
    "2i64",
    "1.5",
    "nan",
    "inf",
    "#t",
    "#f",
    "#\"odd name\"",
    "\"text\"",
    "{i64 | n}",
    "{t|}",
    "{|n @s}",
    "(x i64)",
    "([x xs])",
    "(-> (i64) i64)",
    "(Pi (n @s) (Forall (t) (-> ([t n @s]) [t @s])))",
    "(Sigma (n) [i64 n])",
    "#A(2)(1 2)",
    "#A",
    "~(0 1)",
    "#r(1)",
    "all",
    "A",
    "PACK",
    "UNPACK",
    "⇐",
    "T-λ",
    "I-λ",
    "PLUS",
    "(define y 1)",
    "(define (g [x i64]) x)",
    "(Uniq [t n])",
    "(Array (S n) t)",
    "(i64 -> i64)",
    "lift",
    "boxes",
    "λ",
    "Π",
    "∀",
    "Σ",
    "...",
    "|",
    "\\",
    ";",
    "#|",
    "|#",
    "9223372036854775807",
    "18446744073709551616",
];
/// Words of rank systems.
const RANK: &[&str] = &[
    "type a",
    "map M",
    "rep R",
    "site s M R",
    "frame",
    "eq",
    "=",
    "+",
    "-",
    "*",
    "0",
    "1",
    "2",
    "3",
    "1000000000",
    "1000000001",
    "M1",
    "R1",
    "a",
    "expect unique cost 1",
    "expect ambiguous cost 2",
    "expect infeasible",
    "expect many cost 1",
    "presolve",
    "components 2",
    "optimum",
    "conflict eq 1 site s",
    "site",
    "\n",
    "# c",
];
/// Words of values as text.
const DATA: &[&str] = &[
    "[",
    "]",
    ",",
    "empty([0]f64)",
    "empty([0][3]i32)",
    "empty(",
    "[9223372036854775807]",
    "[0]",
    "true",
    "false",
    "f64.nan",
    "-f32.inf",
    "inf",
    "nan",
    "1",
    "-1",
    "0.5",
    "1e400",
    "255u8",
    "256u8",
    "0xff",
    "0b101",
    "0o7",
    "1_000",
    "-128i8",
    "-9223372036854775808",
    "9223372036854775808",
    "\"bytes\"",
    "\\n",
    "--",
    "\n",
    "b\u{2}\u{1} f64",
    "b\u{2}",
    " i32",
    "\u{93}NUMPY",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }",
    "(2, 3)",
    "()",
    "(0, 9223372036854775807)",
    "True",
    "'>i4'",
    "'|b1'",
    "[('a', '<f8')]",
];

/// What APL scripts are made of.
const APL: &[&str] = &[
    "+",
    "-",
    "×",
    "÷",
    "*",
    "⍟",
    "○",
    "|",
    "⌈",
    "⌊",
    "!",
    "?",
    "<",
    "≤",
    "=",
    "≥",
    ">",
    "≠",
    "∧",
    "∨",
    "⍲",
    "⍱",
    "~",
    "⍴",
    "≢",
    "≡",
    ",",
    "⍪",
    "⍳",
    "↑",
    "↓",
    "⌽",
    "⊖",
    "⍉",
    "⊂",
    "⊃",
    "⊆",
    "∊",
    "⍷",
    "⍸",
    "∪",
    "∩",
    "⍋",
    "⍒",
    "⌷",
    "⌹",
    "⊥",
    "⊤",
    "⊢",
    "⊣",
    "⍕",
    "/",
    "⌿",
    "\\",
    "⍀",
    "¨",
    "⍨",
    "⌸",
    ".",
    "∘",
    "⍤",
    "⍥",
    "⍣",
    "⌺",
    "@",
    "←",
    "¯",
    "⍬",
    "⍺",
    "⍵",
    "⍺⍺",
    "⍵⍵",
    "∇",
    "⎕",
    "⋄",
    "⍝",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ":",
    ";",
    "⎕IO←0",
    "⎕UCS",
    "⎕A",
    "⍎",
    "→",
    "`iota",
    "\n",
    "0",
    "1",
    "3",
    "¯1",
    "2.5",
    "1E400",
    "9223372036854775807",
    "1J2",
    "'abc'",
    "''",
    "2 3⍴⍳6",
    "{⍵}",
    "{⍵>1:⍵ ⋄ ∇⍵-1}",
    "x←",
    "x[1]",
    "⍣≡",
    "∘.×",
    "+.×",
    "⍤1",
    "⍤0 1",
    "3 3⍴0",
    "⍝: f : [n]f64 -> f64",
];

fn words(target: Target) -> &'static [&'static str] {
    match target {
        Target::Syntax | Target::Format | Target::Check => SURFACE,
        Target::Core => CORE,
        Target::Rank => RANK,
        Target::Data => DATA,
        Target::Apl => APL,
    }
}

/// Largest input that mutation makes.
const MOST_BYTES: usize = 1 << 14;

/// Mutates inputs of a target.
pub struct Mutator {
    target: Target,
    /// Other inputs, to take parts from.
    pool: Vec<Vec<u8>>,
}

impl Mutator {
    /// A mutator that knows these inputs.
    pub fn new(target: Target, mut pool: Vec<Vec<u8>>) -> Mutator {
        pool.push(Vec::new());
        Mutator { target, pool }
    }
    /// One of the inputs it knows.
    pub fn seed(&self, random: &mut Random) -> &[u8] {
        &self.pool[random.below(self.pool.len())]
    }
    /// Another input like this one.
    pub fn mutate(&mut self, input: &[u8], seed: u64) -> Vec<u8> {
        let random = &mut Random::new(seed);
        let rounds = 1 + random.below(4);
        let mut out = input.to_vec();
        for _ in 0..rounds {
            out = match self.target {
                Target::Data if random.below(3) > 0 => self.bytes(out, random),
                _ if random.chance(32) => self.bytes(out, random),
                _ => self.text(&out, random),
            };
            out.truncate(MOST_BYTES);
        }
        out
    }

    fn text(&self, input: &[u8], random: &mut Random) -> Vec<u8> {
        let text = String::from_utf8_lossy(input);
        let mut pieces: Vec<&str> = split(&text);
        let other = String::from_utf8_lossy(self.seed(random)).into_owned();
        let others = split(&other);
        let word = random.pick(words(self.target));
        let (from, to) = part(&pieces, random);
        match random.below(14) {
            0 => drop(pieces.drain(from..to)),
            1 => {
                let copy = pieces[from..to].to_vec();
                insert(&mut pieces, random, &copy);
            }
            2 => drop(pieces.splice(from..to, [word])),
            3 => insert(&mut pieces, random, &[" ", word, " "]),
            4 => {
                let (start, end) = part(&others, random);
                drop(pieces.splice(from..to, others[start..end].iter().copied()));
            }
            5 => {
                let (start, end) = part(&others, random);
                insert(&mut pieces, random, &others[start..end]);
            }
            6 => {
                let copy = pieces[from..to].to_vec();
                let (start, end) = part(&pieces, random);
                drop(pieces.splice(start..end, copy));
            }
            7 => rename(&mut pieces, random),
            8 => {
                let (open, close) = random.pick(&[&("(", ")"), &("[", "]"), &("{", "}"), &("(\\x -> ", ")"), &("(let x = ", " in x)")]);
                let depth = if random.chance(8) { 1 << random.below(8) } else { 1 };
                pieces.splice(to..to, std::iter::repeat_n(*close, depth));
                pieces.splice(from..from, std::iter::repeat_n(*open, depth));
            }
            9 => {
                let copy = pieces[from..to].to_vec();
                let copies = if random.chance(8) { 1 << random.below(7) } else { 2 };
                for _ in 0..copies {
                    pieces.splice(to..to, copy.iter().copied());
                }
            }
            10 => lines(&text, &other, random, &mut pieces),
            11 => replace_number(&mut pieces, random),
            12 => return [&text[..], "\n", &other].concat().into_bytes(),
            _ => {
                let cut = random.below(pieces.len() + 1);
                let start = random.below(others.len() + 1);
                pieces.truncate(cut);
                pieces.extend(&others[start..]);
            }
        }
        pieces.concat().into_bytes()
    }

    fn bytes(&self, mut out: Vec<u8>, random: &mut Random) -> Vec<u8> {
        if let Some(at) = out.windows(PNG.len()).position(|window| window == PNG)
            && random.below(4) > 0
        {
            return image(out, at + PNG.len(), random);
        }
        let at = random.below(out.len() + 1);
        let boundary = BOUNDARIES[random.below(BOUNDARIES.len())].to_le_bytes();
        match random.below(9) {
            0 if !out.is_empty() => {
                let at = at.min(out.len() - 1);
                out[at] ^= 1 << random.below(8);
            }
            1 if !out.is_empty() => {
                let at = at.min(out.len() - 1);
                out[at] = random.next() as u8;
            }
            2 => {
                let end = (at + 1 + random.below(16)).min(out.len());
                out.drain(at..end);
            }
            3 => {
                let width = 1 << random.below(4);
                out.splice(at..at, boundary[..width].iter().copied());
            }
            // Headers are at the start.
            4 | 5 => {
                let at = random.below(out.len().min(32) + 1);
                let width = 1 << random.below(4);
                let end = (at + width).min(out.len());
                out.splice(at..end, boundary[..width].iter().copied());
            }
            6 => {
                let word = random.pick(words(self.target));
                out.splice(at..at, word.bytes());
            }
            7 => {
                let other = self.seed(random).to_vec();
                let start = random.below(other.len() + 1);
                out.truncate(at);
                out.extend(&other[start..]);
            }
            _ => {
                let end = (at + 1 + random.below(64)).min(out.len());
                let copy = out[at..end].to_vec();
                out.splice(at..at, copy);
            }
        }
        out
    }
}

/// Values at which sizes and lengths go wrong.
const BOUNDARIES: [u64; 14] = [0, 1, 2, 3, 127, 255, 256, 65_535, 1 << 31, u32::MAX as u64, 1 << 62, i64::MAX as u64, 1 << 63, u64::MAX];

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Changes a byte, or a whole word, of a chunk of a PNG image and makes its checksum right.
fn image(mut out: Vec<u8>, mut at: usize, random: &mut Random) -> Vec<u8> {
    let mut chunks = Vec::new();
    while let Some(length) = out.get(at..at + 4) {
        let length = u32::from_be_bytes([length[0], length[1], length[2], length[3]]) as usize;
        let end = at.saturating_add(length).saturating_add(12);
        if end > out.len() {
            break;
        }
        chunks.push((at, end));
        at = end;
    }
    if chunks.is_empty() {
        return out;
    }
    let (start, end) = chunks[if random.chance(2) { 0 } else { random.below(chunks.len()) }];
    let body = start + 4..end - 4;
    if body.len() > 4 {
        let at = body.start + 4 + random.below(body.len() - 4);
        if random.chance(2) && at + 4 <= body.end {
            let word = BOUNDARIES[random.below(BOUNDARIES.len())] as u32;
            out[at..at + 4].copy_from_slice(&word.to_be_bytes());
        } else {
            out[at] = random.next() as u8;
        }
    }
    let sum = crc(&out[body]);
    out[end - 4..end].copy_from_slice(&sum.to_be_bytes());
    if random.chance(8) {
        let copy = out[start..end].to_vec();
        out.splice(end..end, copy);
    }
    out
}

/// The checksum of a chunk (ISO 3309).
fn crc(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ 0xEDB8_8320 } else { sum >> 1 };
        }
    }
    !sum
}

/// Words, numbers, runs of blanks, runs of operator characters, and single brackets.
fn split(text: &str) -> Vec<&str> {
    let class = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '\'' | '@' => 1,
        ' ' | '\t' => 2,
        '+' | '*' | '/' | '-' | '<' | '>' | '=' | '!' | '|' | '&' | '%' | '^' => 3,
        '.' => 4,
        _ => 0,
    };
    let mut out = Vec::new();
    let mut start = 0;
    let mut last = 0;
    for (at, c) in text.char_indices() {
        let class = class(c);
        if at > start && (class != last || class == 0) {
            out.push(&text[start..at]);
            start = at;
        }
        last = class;
    }
    if start < text.len() {
        out.push(&text[start..]);
    }
    out
}

/// A word, a bracketed group, or some words in a row.
fn part(pieces: &[&str], random: &mut Random) -> (usize, usize) {
    if pieces.is_empty() {
        return (0, 0);
    }
    let mut from = random.below(pieces.len());
    if random.chance(3) {
        return (from, (from + 1 + random.below(8)).min(pieces.len()));
    }
    // From blanks to what follows them.
    if pieces[from].trim().is_empty() && from + 1 < pieces.len() {
        from += 1;
    }
    let open = |piece: &str| matches!(piece, "(" | "[" | "{");
    let close = |piece: &str| matches!(piece, ")" | "]" | "}");
    // Half of the time the group around a word.
    if random.chance(2) {
        let mut depth = 0;
        for at in (0..=from).rev() {
            if close(pieces[at]) && at != from {
                depth += 1;
            } else if open(pieces[at]) {
                if depth == 0 {
                    from = at;
                    break;
                }
                depth -= 1;
            }
        }
    }
    if !open(pieces[from]) {
        return (from, from + 1);
    }
    let mut depth = 0;
    for (at, piece) in pieces.iter().enumerate().skip(from) {
        depth += i32::from(open(piece));
        depth -= i32::from(close(piece));
        if depth == 0 {
            return (from, at + 1);
        }
    }
    (from, pieces.len())
}

fn insert<'a>(pieces: &mut Vec<&'a str>, random: &mut Random, new: &[&'a str]) {
    let at = random.below(pieces.len() + 1);
    pieces.splice(at..at, new.iter().copied());
}

fn is_name(piece: &str) -> bool {
    piece.starts_with(|c: char| c.is_ascii_alphabetic() || c == '@')
}

/// Puts one name of the text in the place of another: once, or everywhere.
fn rename(pieces: &mut [&str], random: &mut Random) {
    let names: Vec<usize> = (0..pieces.len()).filter(|at| is_name(pieces[*at])).collect();
    if names.is_empty() {
        return;
    }
    let (old, new) = (names[random.below(names.len())], pieces[names[random.below(names.len())]]);
    let before = pieces[old];
    if random.chance(3) {
        pieces.iter_mut().filter(|piece| **piece == before).for_each(|piece| *piece = new);
    } else {
        pieces[old] = new;
    }
}

fn replace_number(pieces: &mut [&str], random: &mut Random) {
    const NUMBERS: &[&str] = &[
        "0",
        "1",
        "2",
        "3",
        "7",
        "64",
        "255",
        "256",
        "65536",
        "1000000000",
        "2147483648",
        "4294967296",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551615",
        "340282366920938463463374607431768211456",
        "1e9",
        "0.0",
        "1.5f32",
        "1u8",
        "128i8",
    ];
    let numbers: Vec<usize> = (0..pieces.len()).filter(|at| pieces[*at].starts_with(|c: char| c.is_ascii_digit())).collect();
    if !numbers.is_empty() {
        pieces[numbers[random.below(numbers.len())]] = random.pick(NUMBERS);
    }
}

/// Removes, repeats or exchanges whole lines, or takes one from another text.
fn lines<'a>(text: &'a str, other: &'a str, random: &mut Random, out: &mut Vec<&'a str>) {
    let mut all: Vec<&str> = text.split_inclusive('\n').collect();
    let others: Vec<&str> = other.split_inclusive('\n').collect();
    let at = random.below(all.len().max(1));
    match random.below(4) {
        0 if !all.is_empty() => drop(all.remove(at)),
        1 if !all.is_empty() => all.insert(at, all[random.below(all.len())]),
        2 if !all.is_empty() => {
            let with = random.below(all.len());
            all.swap(at, with);
        }
        _ if !others.is_empty() => all.insert(at.min(all.len()), others[random.below(others.len())]),
        _ => {}
    }
    *out = all;
}
