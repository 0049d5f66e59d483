//! The parser and the printer: trees, diagnostics, recovery, bad input.

use crate::support::syntax::{Parsed, dump_decls, errors, parse_ok, tree};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use remora::base::{FileId, with_big_stack};
use remora::front::syntax;
use remora::ir::surface::Ast;

/// The tree of an expression as an s-expression.
#[track_caller]
fn check(source: &str, expected: &str) {
    assert_eq!(tree(source), expected, "{source}");
}

#[test]
fn precedence_and_associativity() {
    check("a + b * c", "(+ a (* b c))");
    check("a - b - c", "(- (- a b) c)");
    check("a * b ** c", "(* a (** b c))");
    check("a ** b ** c", "(** (** a b) c)");
    check("a + b == c && d || e", "(|| (&& (== (+ a b) c) d) e)");
    check("a & b == c", "(== (& a b) c)");
    check("a << b + c", "(<< a (+ b c))");
    check("a |> f |> g", "(|> (|> a f) g)");
    check("f <| g <| a", "(<| f (<| g a))");
    check("a |> f <| b", "(|> a (<| f b))");
    check("a || b |> f", "(|> (|| a b) f)");
    check("a `f` b + c", "(`f` a (+ b c))");
    check("a `m.f` b `g` c", "(`g` (`(. m f)` a b) c)");
    check("a +++ b * c", "(+++ a (* b c))");
    check("f >-> g", "(>-> f g)");
    check("a ==> b + c", "(==> a (+ b c))");
    check("a i32.+ b i32.* c", "(`(. i32 +)` a (`(. i32 *)` b c))");
    check("-a ** b", "(** (neg a) b)");
    check("-f x + y", "(+ (neg (f x)) y)");
    check("!a && b", "(&& (not a) b)");
    check("a - -b", "(- a (neg b))");
    check("a -b", "(- a b)");
    check("- - a", "(neg (neg a))");
    check("a * -b ** c", "(* a (** (neg b) c))");
    check("a : i32 : i32", "(: (: a i32) i32)");
    check("a + b :> [n]i32", "(:> (+ a b) [n]i32)");
    check("a..<b + 1", "(..< a (+ b 1))");
    check("a..b..<c", "(..< a b c)");
    check("1...n", "(... 1 n)");
    check("n-1..n-2..>0", "(..> (- n 1) (- n 2) 0)");
    check("1 + if a then b else c + d", "(+ 1 (if a b (+ c d)))");
    check("f |> \\x -> x + 1", "(|> f (\\ x (+ x 1)))");
    check("a with [i] = v + 1 with [j] = w", "(with (with a [i] (+ v 1)) [j] w)");
    check("r with x.y = v", "(with r x.y v)");
    check("a + b with [i] = v", "(with (+ a b) [i] v)");
}

#[test]
fn applications_and_indexing() {
    check("f x y", "(f x y)");
    check("f (g x) [1, 2] {a = 1}", "(f (paren (g x)) [1, 2] {a = 1})");
    check("a[i]", "(index a i)");
    check("a [i]", "(a [i])");
    check("f a[i] b[j]", "(f (index a i) (index b j))");
    check("a[i, j:k:s]", "(index a i j:k:s)");
    check("a[::-1]", "(index a ::(neg 1))");
    check("a[:, 1:]", "(index a : 1:)");
    check("a[i][j]", "(index (index a i) j)");
    check("(f x)[0].y.1", "(. (. (index (paren (f x)) 0) y) 1)");
    check("x.0.1.y", "(. (. (. x 0) 1) y)");
    check("f x.y", "(f (. x y))");
    check("f32.sqrt x", "((. f32 sqrt) x)");
    check("#c x y", "(#c x y)");
    check("assert c x", "(assert c x)");
    check("#[unsafe] a[i] + 1", "(#[unsafe] (+ (index a i) 1))");
    check("???", "???");
    check("x' + _y1", "(+ x' _y1)");
}

#[test]
fn literals() {
    check("3i8", "3i8");
    check("0x1F", "31");
    check("0b101", "5");
    check("0o17", "15");
    check("1_000", "1000");
    check("1.0f32", "1.0f32");
    check("1e-3", "0.001");
    check("1f32", "1f32");
    check("'a'", "97");
    check(r#""a\n\"b""#, r#""a\n\"b""#);
    check("[1, 2, 3,]", "[1, 2, 3]");
    check("{a, b = 2}", "{a = a, b = 2}");
    check("()", "()");
    check("(1, 2)", "(1, 2)");
    check("true && false", "(&& true false)");
}

#[test]
fn sections() {
    check("(+)", "(op +)");
    check("(-)", "(op -)");
    check("(+ 1)", "(right + 1)");
    check("(1 +)", "(left 1 +)");
    check("(x -)", "(left x -)");
    check("(- 1)", "(paren (neg 1))");
    check("(`f` 1)", "(right `f` 1)");
    check("(1 `f`)", "(left 1 `f`)");
    check("(`f`)", "(paren f)");
    check("(i32.+)", "(paren (. i32 +))");
    check("(i32.+ 1)", "(right `(. i32 +)` 1)");
    check("(.x.y)", "(section .x.y)");
    check("(.0)", "(section .0)");
    check("(.[i, 1:2])", "(section [i, 1:2])");
    check("(* a + b)", "(right * (+ a b))");
    check("(a * b +)", "(left (* a b) +)");
    check("(|> f)", "(right |> f)");
}

#[test]
fn bindings() {
    check("let x = 1 in x", "(let x 1 x)");
    check("let x = 1 let y = 2 in x", "(let x 1 (let y 2 x))");
    check("let (a, _) : (i32, i32) = p in a", "(let (a, _): (i32, i32) p a)");
    check("let f x y = x in f", "(fun f x y = x in f)");
    check("let f 'a [n] (x: [n]a) : a = x[0] in f", "(fun f 'a [n] (x: [n]a) : a = (index x 0) in f)");
    check("let a[i] = v in a", "(update a [i] v a)");
    check("let [n] (xs: [n]i32) = ys in n", "(let [n] (xs: [n]i32) ys n)");
    check("let {x, y = z} = r in z", "(let {x, y = z} r z)");
    check("let (+++) x y = x in 1 +++ 2", "(fun (+++) x y = x in (+++ 1 2))");
    check("if a then b else c", "(if a b c)");
    check("match x case 1 -> a case -2 -> b case (#c p) -> d case _ -> e", "(match x (1 a) (-2 b) ((#c p) d) (_ e))");
    check("match x case y: i32 -> y", "(match x (y: i32 y))");
    check("\\x (y: i32) : i32 -> x + y", "(\\ x (y: i32) : i32 (+ x y))");
    check("loop x = 0 for i < n do x + i", "(loop x = 0 for i < n do (+ x i))");
    check("loop (x, y) for z in zs do (y, x)", "(loop (x, y) = (x, y) for z in zs do (y, x))");
    check("loop (x: i32) while x < 3 do x + 1", "(loop (x: i32) = (paren x) while (< x 3) do (+ x 1))");
}

#[track_caller]
fn check_decl(source: &str, expected: &str) {
    let parsed = parse_ok(source);
    assert_eq!(dump_decls(&parsed), expected, "{source}");
}

#[test]
fn declarations() {
    check_decl("def f 'a [n] (x: [n]a) (y: i64) : [n]a = x", "def f 'a [n] (x: [n]a) (y: i64) : [n]a = x");
    check_decl("entry main = 1", "entry main = 1");
    check_decl("let f x = x\nlet g y = y", "def f x = x\ndef g y = y");
    check_decl("def (+++) x y = x", "def (+++) x y = x");
    check_decl("def x +++ y = x", "def (+++) x y = x");
    check_decl("def x `op` (y: i32) = x", "def op x (y: i32) = x");
    check_decl("def (a, b) + c = a", "def (+) (a, b) c = a");
    check_decl("val f 'a [n] : (a -> a) -> [n]a -> ?[k].[k]a", "val f 'a [n] : (a -> a) -> [n]a -> ?[k].[k]a");
    check_decl("type t 'a [n] = {x: [n]a, y: *[]f32}", "type t 'a [n] = {x: [n]a, y: *[]f32}");
    check_decl("type^ t = #a i32 ([]f32) | #b", "type t = #a i32 ([]f32) | #b");
    check_decl("import \"lib/np\" open import \"x\" local def y = 1", "import \"lib/np\"\nopen import \"x\"\nlocal def y = 1");
    check_decl("module m = { def x = 1 module n = { } }", "module m = {\n  def x = 1\n  module n = {}\n}");
    check_decl(
        "module f (p: s) (q: {val +: t -> t type t type u 'a = (a, t) include s}) : m.s with type t = i32 with n.u 'a = []a = g p (h q)",
        "module f (p: s) (q: {\n  val (+) : t -> t\n  type t\n  type u 'a = (a, t)\n  include s\n}) : m.s with t = i32 with n.u 'a = []a = g p (h q)",
    );
    check_decl("module type s = (p: t) -> u -> {module m : v}", "module type s = (p: t) -> u -> {\n  module m : v\n}");
    check_decl("module m = \\(p: s) : t -> (import \"x\") : u", "module m = \\(p: s) : t -> (import \"x\") : u");
    check_decl("local open m.n\nopen {def x = 1}", "local open m.n\nopen {\n  def x = 1\n}");
    check_decl(
        "#[inline] #[flattening(bar, 1)] def f (n: i64) : [n+1]i32 = g n",
        "#[inline]\n#[flattening(bar, 1)]\ndef f (n: i64) : [n + 1]i32 = g n",
    );
    check_decl("def f : (n: i64) -> [n]i32 -> t [n] i32 = g", "def f : (n: i64) -> [n]i32 -> t [n] i32 = g");
}

#[test]
fn documentation_is_kept() {
    let parsed = parse_ok("-- | Adds.\n-- A lot.\ndef f x = x -- no\n-- not this\n\ndef g = 1\n\n-- | One.\n\n-- apart\ndef h = 2");
    let docs: Vec<Option<&str>> = parsed.docs();
    assert_eq!(docs, [Some("Adds.\nA lot."), None, None]);
}

#[test]
fn diagnostics() {
    let cases = [
        ("def f x = x +\ndef g = 1", "E0104 2:1 expected an expression, found `def`"),
        ("def f x = (x", "E0105 1:13 a bracket is not closed: expected `)`, found the end of the file"),
        ("def f x = (x]", "E0105 1:13 a bracket is not closed: expected `)`, found `]`"),
        (
            "def f = [1, 2 3)\ndef g = (",
            "E0105 1:16 a bracket is not closed: expected `]`, found `)`\nE0104 2:10 expected an expression, found the end of the file",
        ),
        ("def f = if a b else c", "E0104 1:16 expected `then`, found `else`"),
        ("def f x = let y = x\ndef g = 2", "E0108 2:1 expected `in` or another `let`, found `def`"),
        ("def f = 1 § 2", "E0101 1:11 the character `§` is not part of the language"),
        ("def f = 99999999999999999999", "E0102 1:9 the number `99999999999999999999` is too large for u64"),
        ("def f = 3foo", "E0102 1:9 `foo` is not a suffix of a number"),
        ("def f = \"abc", "E0103 1:9 the string is not closed"),
        ("def f = x ] y\ndef g = )", "E0105 1:11 `]` closes nothing\nE0104 2:9 expected an expression, found `)`"),
        ("f x = 2", "E0104 1:1 expected a declaration, found `f`"),
        ("module m = { def x = 1 \ndef y = 2", "E0105 2:10 a bracket is not closed: expected `}`, found the end of the file"),
        (
            "module m = { def x = ) }\ndef y = (",
            "E0104 1:22 expected an expression, found `)`\nE0104 2:10 expected an expression, found the end of the file",
        ),
        (
            "module (m) = {}",
            "E0104 1:8 expected the name of the module, found `(`\nE0104 1:10 expected `:` and the module type of the parameter, found `)`",
        ),
        (
            "module type s = { def x = 1 }\nmodule type = {}",
            "E0104 1:19 expected a specification, found `def`\nE0104 2:13 expected the name of the module type, found `=`",
        ),
        ("module f (p) = {}", "E0104 1:12 expected `:` and the module type of the parameter, found `)`"),
        ("module m = \\p -> p", "E0104 1:13 expected a parameter such as `(m: numeric)`, found `p`"),
        ("include numeric", "E0104 1:1 expected a declaration, found `include`"),
        ("open 3", "E0104 1:6 expected a module, such as a name, `{ .. }` or `import \"..\"`, found `3`"),
        ("def f = g if true then 1 else 2", "E0106 1:11 this expression cannot be an argument without parentheses"),
        ("def f = (a + b *)", "E0106 1:16 the section of `*` has an operand that binds less tightly"),
        ("def f =-1", "E0104 1:7 expected `=`, found `=-`"),
        ("def (a, b) = p", "E0107 1:5 a top-level definition binds one name"),
        ("def f (x: i32) [n] = 1", "E0107 1:16 size parameters come before the other parameters"),
        ("def f = 1..2", "E0104 1:13 a range does not end: found the end of the file"),
        ("def f (x: 'a) = x", "E0104 1:11 expected a type, found `'`"),
        ("def f = let a, b = p in a", "E0104 1:14 expected `=`, found `,`"),
        ("def f = loop _ for i < 3 do 1", "E0107 1:14 a loop needs initial values"),
        ("def f = _ + 1", "E0104 1:9 expected an expression, found `_`"),
        ("def f = (1,)", "E0106 1:11 a tuple has at least two components, or none"),
        ("def f = [1, +, 3] ++ {a = , b}", "E0104 1:13 expected an expression, found `+`\nE0104 1:27 expected an expression, found `,`"),
        ("def f = let y = 1 : \nlet g x = 2", "E0104 2:1 expected a type, found `let`"),
        (
            "def f = let y = 1 ) z\nlet g x = +",
            "E0108 1:19 expected `in` or another `let`, found `)`\nE0104 2:11 expected an expression, found `+`",
        ),
        ("def type = 1", "E0104 1:5 expected the name of the definition, found `type`"),
        ("def f = (g x).(sqrt x)", "E0106 1:9 only a module can be opened for an expression"),
    ];
    for (source, expected) in cases {
        assert_eq!(errors(source), expected, "{source}");
    }
}

#[test]
fn one_run_reports_every_error() {
    let source = "def a = (1 +\ndef b = let x = ) in 2\ndef c = 1\ndef d (x: ) = if x then else 3\ntype t =\ndef e = [1, 2";
    let lines: Vec<String> = errors(source).lines().map(|l| l.split(' ').nth(1).unwrap_or("").to_string()).collect();
    assert_eq!(lines, ["2:1", "2:17", "4:11", "4:25", "6:1", "6:14"]);
    assert_eq!(Parsed::new(source).unit.decls.len(), 6);
}

#[test]
fn a_condition_with_a_type_is_no_other_language() {
    let typed = format!("def f = if c : ({}) then 1 else 2", vec!["bool"; 300].join(", "));
    assert_eq!(errors(&typed), "");
    assert_eq!(errors("def f = let g 'a' = 1 in g"), "");
    assert!(errors("def f = if c: 1 else: 2").starts_with("E0104 1:9 expected `then`"), "{}", errors("def f = if c: 1 else: 2"));
}

/// Parses under a deep stack, checks the tree, and says how many diagnostics there were.
fn deep(source: String) -> usize {
    with_big_stack(move || Parsed::new(&source).diagnostics.len())
}

#[test]
fn deep_and_long_inputs() {
    let n = 100_000;
    assert_eq!(deep(format!("def f = {}1{}", "(".repeat(n), ")".repeat(n))), 0);
    assert!(deep(format!("def f = {}", "(".repeat(n))) > 0);
    assert!(deep(format!("def f = {}{}", "(".repeat(n), "]".repeat(n))) > 0);
    assert_eq!(deep(format!("def f = 1{}", " + 1".repeat(2 * n))), 0);
    assert_eq!(deep(format!("def f = 1{}", " <| 1".repeat(2 * n))), 0);
    assert_eq!(deep(format!("def f = {}1", "- ".repeat(n))), 0);
    assert_eq!(deep(format!("def f = {}1", "let x = 1 in ".repeat(20_000))), 0);
    assert_eq!(deep(format!("def f = {} in 1", "let x = 1\n".repeat(20_000))), 0);
    assert_eq!(deep(format!("def f = [{}]", "1, ".repeat(n))), 0);
    assert_eq!(deep(format!("def f = {}1{}", "[".repeat(n), "]".repeat(n))), 0);
    assert_eq!(deep(format!("def f : {}i32 = 1", "[]".repeat(n))), 0);
    assert_eq!(deep(format!("def f : {}i32 = 1", "i32 -> ".repeat(n))), 0);
    assert_eq!(deep("def f x = x + 1\n".repeat(n)), 0);
    assert!(deep("def f x = x +\n".repeat(n)) > 0);
    assert!(deep("§".repeat(n)) > 0);
    assert!(deep("§ ".repeat(n)) > 0);
}

/// A program with every form, for the tests that cut it up and print it.
const CORPUS: &str = include_str!("../../data/syntax/corpus.rem");

#[test]
fn the_corpus_parses() {
    parse_ok(CORPUS);
}

#[test]
fn truncated_programs() {
    for end in (0..CORPUS.len()).filter(|i| CORPUS.is_char_boundary(*i)) {
        Parsed::new(&CORPUS[..end]);
    }
}

#[test]
fn programs_with_a_token_missing() {
    let words: Vec<&str> = CORPUS.split_inclusive(char::is_whitespace).collect();
    for skip in 0..words.len() {
        let text: String = words.iter().enumerate().filter(|(i, _)| *i != skip).map(|(_, w)| *w).collect();
        Parsed::new(&text);
    }
}

/// Printing what was parsed and parsing that gives the same tree up to parentheses, and prints the same again.
#[track_caller]
fn round_trip(source: &str) {
    let first = Parsed::new(source);
    if !first.diagnostics.is_empty() {
        return;
    }
    let printed = first.print();
    let second = Parsed::new(&printed);
    assert_eq!(second.diagnostics, [], "printed:\n{printed}");
    assert_eq!(first.dump_stripped(), second.dump_stripped(), "printed:\n{printed}");
    assert_eq!(printed, second.print());
}

#[test]
fn the_corpus_prints_and_reads_back() {
    round_trip(CORPUS);
}

fn any_source() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        "[a-c]",
        Just("def f x =".to_string()),
        Just("\ndef g".to_string()),
        "(let|in|if|then|else|loop|for|while|do|match|case|with|assert|type|val|import|module|local|entry|true|def)",
        "[-+*/%=!><|&^.]{1,3}",
        "[()\\[\\]{},:'`#?~\\\\_]",
        "[0-9]{1,3}(\\.[0-9]|i32|f32|e5|x)?",
        Just("(".to_string()),
        Just(")".to_string()),
        Just("[i]".to_string()),
        Just("\"s\"".to_string()),
        Just("-- c\n".to_string()),
        Just("#[a]".to_string()),
        Just("???".to_string()),
    ];
    let space = prop_oneof![Just(""), Just(" "), Just("\n")];
    prop::collection::vec((word, space), 0..60).prop_map(|words| words.into_iter().map(|(w, s)| w + s).collect())
}

/// Source text of an expression, well-formed by construction but with parentheses only where drawn.
fn any_expr() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "[a-d]",
        "[0-9]",
        "[0-9]\\.[0-9]f32",
        Just("(+)".into()),
        Just("(.x)".into()),
        Just("f32.pi".into()),
        Just("x.0".into())
    ];
    leaf.prop_recursive(5, 60, 3, |e| {
        let op = prop_oneof![
            Just("+"),
            Just("-"),
            Just("*"),
            Just("**"),
            Just("|>"),
            Just("<|"),
            Just("&&"),
            Just("||"),
            Just("=="),
            Just("<<"),
            Just("&"),
            Just("`f`"),
            Just("+++"),
            Just("i32.+"),
            Just("..<"),
            Just("...")
        ];
        prop_oneof![
            (e.clone(), op.clone(), e.clone()).prop_map(|(a, o, b)| format!("{a} {o} {b}")),
            e.clone().prop_map(|a| format!("({a})")),
            (e.clone(), op).prop_map(|(a, o)| format!("(({a}) {o})")),
            (e.clone(), e.clone()).prop_map(|(a, b)| format!("f ({a}) ({b})")),
            e.clone().prop_map(|a| format!("-{a}")),
            e.clone().prop_map(|a| format!("!{a}")),
            (e.clone(), e.clone()).prop_map(|(a, b)| format!("let x = {a} in {b}")),
            (e.clone(), e.clone()).prop_map(|(a, b)| format!("let g (y: [n]i32) : i32 = {a} let z[i] = 1 in {b}")),
            (e.clone(), e.clone(), e.clone()).prop_map(|(a, b, c)| format!("if {a} then {b} else {c}")),
            (e.clone(), e.clone(), e.clone()).prop_map(|(a, b, c)| format!("match {a} case (p, 1) -> {b} case _ -> {c}")),
            (e.clone(), e.clone()).prop_map(|(a, b)| format!("loop q = {a} for i < 3 do {b}")),
            (e.clone(), e.clone()).prop_map(|(a, b)| format!("(({a})[{b}, 1:2])")),
            (e.clone(), e.clone()).prop_map(|(a, b)| format!("({a}) with [0] = {b}")),
            (e.clone(), e.clone()).prop_map(|(a, b)| format!("({a}, [{b}], {{x = {a}, y}})")),
            e.clone().prop_map(|a| format!("\\x (y, _) -> {a}")),
            e.clone().prop_map(|a| format!("{a} : [n][{a}]f32 -> t")),
            e.prop_map(|a| format!("assert x ({a})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_parse(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        Parsed::new(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_tokens_parse(source in any_source()) {
        Parsed::new(&source);
        round_trip(&source);
    }

    #[test]
    fn expressions_print_and_read_back(source in any_expr()) {
        let mut ast = Ast::default();
        let (_, diagnostics) = syntax::parse_expr(&mut ast, FileId(0), &source);
        if diagnostics.is_empty() {
            round_trip(&format!("def it = {source}"));
        }
    }
}
