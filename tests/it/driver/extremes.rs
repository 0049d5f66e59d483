//! Extreme numbers as indices, sizes, steps and counts: every operation that takes some, with the ends of `i64`, the ends of arrays and what is
//! beside them, in all pairs. Back ends give what the evaluator gives, a value or a code.

use crate::support::shim;
use remora::base::{Scalar, SourceMap, Symbol};
use remora::driver;
use remora::front::resolve::Loader;
use remora::runtime::{Array, Buffer, Value, data::text};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Arrays have three cells.
const NUMBERS: [i64; 10] = [i64::MIN, i64::MIN + 1, -1, 0, 1, 2, 3, 4, 1 << 31, i64::MAX];

/// What is made of `xs`, which is `[5, 6, 7]`, `m`, which has three such rows, and two numbers.
const BODIES: &[&str] = &[
    // Cells.
    "xs[a]",
    "m[a, b]",
    "m[a][b]",
    "m[a]",
    "i64.sum m[a] + b",
    "map (\\i -> xs[i]) [a, b]",
    "map (\\i -> xs[i + a]) (iota 2)",
    "map (\\i -> m[i, a + i * b]) (iota 2)",
    "map (\\i -> xs[a * i + b]) (iota 3)",
    "map (\\x -> x - xs[a]) xs",
    "map (\\x -> x - xs[a - 1] - xs[b + 1]) xs",
    "loop s = 0 for i < 2 do s + xs[a + i]",
    "loop s = 0 for i < i64.min b 2 do s + xs[a]",
    "if a >= 0 && a + b < n then xs[a] else -1",
    "if a + b >= 0 && a + b < n then xs[a + b] else -1",
    "if a - b >= 0 && a - b < n then xs[a - b] else -1",
    "if a * b >= 0 && a * b < n then xs[a * b] else -1",
    "let j = i64.max 0 a + i64.max 0 b in if j < n then xs[j] else -1",
    "let j = i64.min 3 a - i64.min 3 b in if j >= 0 && j < n then xs[j] else -1",
    "map (\\i -> if i + a >= 0 && i + a < n then xs[i + a] else b) (iota n)",
    "map (\\i -> if i - a < n && i - a > -1 then xs[i - a] else b) (iota n)",
    // Parts.
    "xs[a:b]",
    "xs[a:]",
    "xs[:b]",
    "xs[a:a + 1]",
    "xs[a - 1:a]",
    "xs[a - b:a]",
    "xs[a:a + b]",
    "i64.sum xs[a:b]",
    "xs[a:b:2]",
    "xs[a:b:-1]",
    "xs[a:b:-2]",
    "xs[0:3:a]",
    "xs[a:3:b]",
    "xs[2:a:b]",
    "xs[::a]",
    "m[a:b, 1]",
    "m[1, a:b]",
    "m[a:b, a:b]",
    "m[a:a + 1, 0]",
    "m[a, b:b + 1]",
    "m[0:3:a, b]",
    "i64.sum xs[a:b:2]",
    "map (\\i -> i64.sum xs[i:i + a]) (iota 2)",
    "map (\\_ -> i64.sum xs[a:b]) xs",
    "map (\\i -> xs[a:a + 2][i]) (iota 2)",
    "xs[a:b][0]",
    "(xs[0:2])[a:b]",
    "take a xs",
    "drop a xs",
    "(take a xs, drop a xs)",
    "rotate a xs",
    "map (rotate a) m",
    "rotate a (rotate b xs)",
    "reverse xs[a:b]",
    // Sizes.
    "iota a",
    "length (iota a)",
    "replicate a b",
    "map (\\i -> i + b) (iota a)",
    "i64.sum (map (\\i -> i * b) (iota a))",
    "replicate a (replicate b 1u8)",
    "length (flatten (replicate a (replicate b 1u8)))",
    "length (concat (replicate a 1u8) (replicate b 1u8))",
    "map (\\i -> map (\\j -> i - j) (iota b)) (iota a)",
    "(xs :> [a]i64)",
    "map (\\r -> i64.sum (r :> [a]i64)) m",
    "iota (a - b)",
    "iota (a + b)",
    "iota (a * b)",
    // Ranges.
    "a..<b",
    "a...b",
    "i64.sum (a..<b)",
    "a..a + 1..<b",
    "a..a + 1...b",
    "a..b..<5",
    "a..b...5",
    "a..b..>-5",
    "0..a..<b",
    "0..a...b",
    "3..a..>b",
    // Updates.
    "xs with [a] = b",
    "xs with [a:b] = [9]",
    "xs with [a:b] = [9, 8]",
    "xs with [a:a + 1] = [b]",
    "xs with [a:b:2] = [9, 8]",
    "xs with [a:b:-1] = [9, 8]",
    "xs with [0:3:a] = [9, 8]",
    "xs with [a:3:b] = [9]",
    "m with [a, b] = 9",
    "m with [a] = xs",
    "m with [a:b] = replicate (b - a) xs",
    "m with [a:b, 0] = replicate (b - a) 9",
    "m with [a:a + 1, b] = [9]",
    "m with [1, a:b] = replicate (b - a) 9",
    "m with [a:b, a:b] = replicate (b - a) (replicate (b - a) 9)",
    "m with [a] = m[b]",
    "loop x = xs for i < 2 do x with [a + i] = b",
    "loop x = xs for i < 3 do if i + a >= 0 && i + a < n then x with [i + a] = b else x",
    "scatter xs [a, b] [9, 8]",
    "scatter m [a, b] [xs, xs]",
    "reduce_by_index xs (+) 0 [a, b] [9, 8]",
    "hist (+) 0 3 [a, b] [9, 8]",
    // Scalars.
    "(a + b, a - b, a * b, -a)",
    "a / b",
    "a % b",
    "a // b",
    "a %% b",
    "a ** b",
    "(a << b, a >> b, a >>> b)",
    "(a & b, a | b, a ^ b, !a)",
    "(i64.min a b, i64.max a b, i64.abs a, i64.sgn a)",
    "(a < b, a <= b, a == b, a + 1 > a, a - 1 < a, a + b > a, a - b < a, a * b < 0)",
    "(i64.min a (a + b), i64.max a (a + b), i64.min a (a - 1), i64.max b (b + 1))",
    "map (\\i -> (i * a < b, i + a < b, i - a < b, i * 6364136223846793005 + a < 0)) (iota n)",
    "map (\\i -> (i * a == b, i64.max i (i + a), i64.min (i * b) i)) (iota n)",
    "map (\\i -> (i + i64.abs a) % (1 + i64.abs b)) (iota n)",
    "(i8.i64 a, i16.i64 a, i32.i64 a, u8.i64 a, u16.i64 a, u32.i64 a, u64.i64 a)",
    "(f32.i64 a, f64.i64 a, i64.f64 (f64.i64 a + 0.5), i32.f64 (f64.i64 a), u8.f64 (f64.i64 a))",
    "(loop s = 0 for _i < i64.min a 5 do s + b, loop s = 0 for i < i64.min a 5 do s + i * b)",
    "(loop (s, c) = (a, 0) while s < b && c < 4 do (s + 1, c + 1)).0",
];

/// Whether a body makes more cells than are worth the time, and yet so few that there may be memory for them.
fn is_large(body: &str, a: i64, b: i64) -> bool {
    let between = |a: i64, b: i64| i128::from(b) - i128::from(a);
    let steps = |distance: i128, step: i64| distance / i128::from(step).abs().max(1);
    let sizes = match body {
        "iota (a - b)" => vec![a.wrapping_sub(b).into()],
        "iota (a + b)" => vec![a.wrapping_add(b).into()],
        "iota (a * b)" => vec![a.wrapping_mul(b).into()],
        "a..<b" | "a...b" | "i64.sum (a..<b)" => vec![between(a, b)],
        "a..a + 1..<b" | "a..a + 1...b" => vec![between(a, b), between(b, a)],
        "a..b..<5" | "a..b...5" | "a..b..>-5" => vec![steps(between(a, 5).abs(), b.wrapping_sub(a))],
        "0..a..<b" | "0..a...b" => vec![steps(between(0, b).abs(), a)],
        "3..a..>b" => vec![steps(between(0, b).abs(), a.wrapping_sub(3))],
        _ if body.contains("replicate (b - a)") => vec![b.wrapping_sub(a).into()],
        _ if body.contains("replicate a") || body.contains("iota a") => vec![a.into(), b.into(), i128::from(a) * i128::from(b)],
        _ => Vec::new(),
    };
    sizes.iter().any(|size| (1000..=1 << 48).contains(size))
}

struct Alone;

impl Loader for Alone {
    fn load(&self, _: &str) -> Result<String, String> {
        Err("there is no such file".into())
    }
}

fn array(dims: &[usize], items: impl Iterator<Item = i64>) -> Value {
    let items: Vec<i64> = items.collect();
    Value::Array(Array::new(dims, Buffer::new(items)).expect("items for the shape"))
}

/// The program with what the evaluator makes of all pairs, as a test. A device has memory for all rows that a map makes before it looks whether
/// there are such rows, and the stand-in fills it.
fn program(bodies: &[&str], device: bool) -> String {
    let define = |k: usize, body: &str| format!("entry case{k} [n] (xs: [n]i64) (m: [n][n]i64) (a: i64) (b: i64) = {body}\n");
    let text: String = bodies.iter().enumerate().map(|(k, body)| define(k, body)).collect();
    let mut sources = SourceMap::default();
    let root = sources.add("main.rem", text.clone());
    let checked = driver::check(&mut sources, &Alone, root);
    assert!(checked.diagnostics.is_empty(), "{}", remora::diag::text::render(&sources, &checked.diagnostics[0], false));
    let (xs, m) = (array(&[3], 5..8), array(&[3, 3], 1..10));
    let mut out = String::new();
    for (k, body) in bodies.iter().enumerate() {
        let _ = write!(out, "-- ==\n-- entry: case{k}\n");
        for a in NUMBERS {
            for b in NUMBERS.into_iter().filter(|b| body.contains('b') || *b == 0) {
                let rows = device && body.contains("map") && (a == 1 << 31 || b == 1 << 31);
                if rows || is_large(body, a, b) {
                    continue;
                }
                let arguments = vec![xs.clone(), m.clone(), Value::Scalar(Scalar::I64(a)), Value::Scalar(Scalar::I64(b))];
                let expected = match driver::run(&checked, Symbol::new(&format!("case{k}")), arguments, Some(1)) {
                    Ok(value) => format!(
                        "output {{ {} }}",
                        remora::runtime::data::results(&value).iter().map(text::write).collect::<Vec<_>>().join(" ")
                    ),
                    Err(diagnostic) if diagnostic.code.number() == "E0507" => continue,
                    Err(diagnostic) => format!("error: {}", diagnostic.code),
                };
                assert!(!expected.contains("E0599"), "{body} {a} {b}");
                let _ = writeln!(out, "-- input {{ [5i64, 6, 7] [[1i64, 2, 3], [4, 5, 6], [7, 8, 9]] {a}i64 {b}i64 }} {expected}");
            }
        }
        out += &define(k, body);
    }
    out
}

fn file(name: &str, part: usize) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("extremes");
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join(format!("{name}{part}.rem"));
    let size = BODIES.len().div_ceil(3);
    std::fs::write(&file, program(&BODIES[part * size..BODIES.len().min((part + 1) * size)], name == "device")).expect("written");
    file
}

fn agrees(command: &mut Command) {
    command.env("REMORA_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("extremes-cache"));
    let output = command.output().expect("it starts");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let lines: Vec<&str> = out.lines().chain(err.lines()).collect();
    assert!(output.status.success(), "{}", lines[..lines.len().min(60)].join("\n"));
    println!("{}", lines.last().unwrap_or(&""));
}

fn compared(part: usize) {
    let file = file("hosts", part);
    let remora = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_remora"));
        command.env("REMORA_CFLAGS", "-O1").arg("test").arg("--exact").arg(&file);
        command
    };
    agrees(remora().args(["--backend", "soac,kernel"]));
    agrees(remora().args(["--backend", "cpu", "--threads", "2"]));
}

#[test]
fn cells_and_parts() {
    compared(0);
}

#[test]
fn sizes_ranges_and_updates() {
    compared(1);
}

#[test]
fn updates_and_scalars() {
    compared(2);
}

#[test]
fn on_a_device() {
    let (library, device) = (shim::runtime().expect("a library"), shim::device().expect("a device"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shim");
    for part in 0..3 {
        let mut command = Command::new(env!("CARGO_BIN_EXE_remora"));
        command
            .env("REMORA_CFLAGS", "-O0")
            .env("REMORA_DEVICE", &device)
            .env("REMORA_SHIM_LIBRARY", &library)
            .env("REMORA_SHIM_FOLDER", &folder);
        command.env("REMORA_SHIM_HEADER", Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/shim/shim.h"));
        agrees(command.args(["test", "--exact", "--backend", "cuda"]).arg(file("device", part)));
    }
}
