//! Loading and resolving: what names stand for, and what is said about those that stand for nothing.

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use remora::base::{FileId, SourceMap, with_big_stack};
use remora::diag::Diagnostic;
use remora::front::resolve::{self, Loader};
use remora::ir::surface::children::{Node, children_of, decl_children, module_children};
use remora::ir::surface::{Decl, ExprKind};
use remora::ir::tables::{DefId, Program, Res, TypeRes};

/// Files in memory.
struct Memory(Vec<(&'static str, &'static str)>);

impl Loader for Memory {
    fn load(&self, path: &str) -> Result<String, String> {
        let found = self.0.iter().find(|(name, _)| *name == path);
        found.map(|(_, text)| text.to_string()).ok_or(format!("there is no file {path}"))
    }
    fn list(&self, _: &str) -> Vec<String> {
        self.0.iter().map(|(name, _)| name.to_string()).collect()
    }
}

struct Loaded {
    sources: SourceMap,
    program: Program,
    diagnostics: Vec<Diagnostic>,
    root: FileId,
}

fn load(text: &str, files: &[(&'static str, &'static str)]) -> Loaded {
    let mut sources = SourceMap::default();
    let root = sources.add("main.rem", text);
    let (program, diagnostics) = resolve::load(&mut sources, &Memory(files.to_vec()), &[root]);
    Loaded { sources, program, diagnostics, root }
}

impl Loaded {
    /// Every name of the main file in source order with what it stands for.
    fn names(&self) -> String {
        let unit = self.program.units.iter().find(|u| u.source.file == self.root).expect("the main file is loaded");
        let mut work = Vec::new();
        for decl in &unit.source.decls {
            decl_children(decl, &mut work);
        }
        let mut found = Vec::new();
        while let Some(node) = work.pop() {
            children_of(&self.program.ast, node, &mut work);
            let (span, meaning) = match node {
                Node::Expr(e) => match self.program.names.exprs.get(e) {
                    Some(Res::Local(pat)) => (self.program.ast.exprs[e].span, self.place(self.program.ast.pats[*pat].span)),
                    Some(Res::Global(def)) => (self.program.ast.exprs[e].span, self.def(*def)),
                    Some(Res::Scalar(prim, member)) => (self.program.ast.exprs[e].span, format!("scalar {prim}.{member}")),
                    None => continue,
                },
                Node::Type(t) => match self.program.names.types.get(t) {
                    Some(TypeRes::Prim(_)) | None => continue,
                    Some(TypeRes::Param(p)) => (self.program.ast.types[t].span, self.place(self.program.tparams[*p].span)),
                    Some(TypeRes::Abbreviation(ty)) => (self.program.ast.types[t].span, self.place(self.program.types[*ty].decl.name.span)),
                },
                Node::Pat(_) => continue,
            };
            found.push((span.start, span.end, format!("{} -> {meaning}", self.sources.snippet(span))));
        }
        found.sort();
        found.into_iter().map(|(_, _, line)| line).collect::<Vec<_>>().join("; ")
    }
    fn place(&self, span: remora::base::Span) -> String {
        let (line, column) = self.sources.line_column(span);
        format!("{line}:{column}")
    }
    fn def(&self, def: DefId) -> String {
        let def = &self.program.defs[def];
        format!("{}{}", if def.stdlib { "std " } else { "" }, def.unique)
    }
    fn errors(&self) -> String {
        let lines: Vec<String> = self
            .diagnostics
            .iter()
            .map(|d| {
                let help = d.help.first().map_or(String::new(), |h| format!(" | {h}"));
                format!("{} {} {}{help}", d.code, self.sources.place(d.labels[0].span), d.message)
            })
            .collect();
        lines.join("\n")
    }
}

#[track_caller]
fn check(source: &str, expected: &str) {
    let loaded = load(source, &[]);
    assert_eq!(loaded.errors(), "", "{source}");
    assert_eq!(loaded.names(), expected, "{source}");
}

#[track_caller]
fn refuse(source: &str, expected: &str) {
    assert_eq!(load(source, &[]).errors(), expected, "{source}");
}

#[test]
fn the_standard_library_resolves() {
    let loaded = load("import \"lib/np\"", &[]);
    assert_eq!(loaded.errors(), "");
    // Beside the file and the prelude there is what `lib/np` imports.
    assert_eq!(loaded.program.units.len(), 5);
}

#[test]
fn locals_and_globals() {
    check("def f x = x", "x -> 1:7");
    check("def a = 1 def f x = a def a = 2 def g = a", "a -> a; a -> a.1");
    check("def f x = let x = x in x", "x -> 1:7; x -> 1:15");
    check("def f x = (let y = x in y, \\x y -> x)", "x -> 1:7; y -> 1:16; x -> 1:29");
    check("def f (a, {b, c = d}) = a b d", "a -> 1:8; b -> 1:12; d -> 1:19");
    check("def f = let g x = x in g", "x -> 1:15; g -> 1:13");
    check("def f a = let a[0] = a in a", "a -> 1:7; a -> 1:7; a -> 1:15");
    check("def f n = loop x = n for i < n do x + i", "n -> 1:7; n -> 1:7; x -> 1:16; i -> 1:26");
    check("def f x = loop x for y in x do x + y", "x -> 1:7; x -> 1:7; x -> 1:16; y -> 1:22");
    check("def f x = loop x while x do x", "x -> 1:7; x -> 1:16; x -> 1:16");
    check("def f x = match x case (y, 1) -> y case y -> x", "x -> 1:7; y -> 1:25; x -> 1:7");
    check("def f x = {x, y = x}", "x -> 1:7; x -> 1:7");
    check("def f x = x[x, x:x]", "x -> 1:7; x -> 1:7; x -> 1:7; x -> 1:7");
    check("def length x = 1 def f = length", "length -> length.1");
    check("def f = length", "length -> std length");
}

#[test]
fn sizes_and_types() {
    check("def f [n] (x: [n]i64) : [n + 1]i64 = n", "n -> 1:8; n -> 1:8; n -> 1:8");
    check("def f (n: i64) (x: [n]i64) : [n]i64 = x", "n -> 1:8; n -> 1:8; x -> 1:17");
    check("def f 'a (x: a) : a = let g 'a (y: a) = y in g x", "a -> 1:8; a -> 1:8; a -> 1:30; y -> 1:33; g -> 1:27; x -> 1:11");
    check("def f : (n: i64) -> [n]i64 = iota", "n -> 1:10; iota -> std iota");
    check("def f [n] : ?[k].[k][n]i64 = ???", "k -> 1:15; n -> 1:8");
    check("type t [n] 'a = [n]a def f (x: t [3] f32) = x", "n -> 1:9; a -> 1:13; t [3] f32 -> 1:6; x -> 1:29");
    check("def f x = let [n] (y: [n]i64) = x in n", "n -> 1:16; x -> 1:7; n -> 1:16");
    check("type i64 = f32 def f (x: i64) = x", "i64 -> 1:6; x -> 1:23");
    check("def f (x: f32.t) = x", "x -> 1:8");
}

#[test]
fn operators() {
    check("def f = 1 + 2 |> (* 3)", "");
    check("def x +++ y = x def f = 1 +++ 2", "x -> 1:5; 1 +++ 2 -> +++");
    check("def x + y = x def f = (1 + 2, (+), (+ 1))", "x -> 1:5; 1 + 2 -> +; (+) -> +; (+ 1) -> +");
    check("def f = (f32.sqrt, 1 i32.+ 2, (i64.*))", "f32.sqrt -> scalar f32.sqrt; i32.+ -> scalar i32.+; i64.* -> scalar i64.*");
    check("def f = (|>) def g = [1] ++ [2]", "(|>) -> std |>; [1] ++ [2] -> std ++");
    check("def f g = 1 `g` 2 `i32.max` 3", "g -> 1:7; i32.max -> scalar i32.max");
    check("def f f32 = f32.sqrt", "f32 -> 1:7");
    check("def f (<+>) = 1 <+> 2", "1 <+> 2 -> 1:7");
}

#[test]
fn unknown_names() {
    refuse("def f = lenght [1]", "E0201 main.rem:1:9 unknown name `lenght` | did you mean `length`?");
    refuse("def f x = f32.sqr x", "E0203 main.rem:1:15 the module `f32` has no member `sqr` | did you mean `f32.sqrt`?");
    refuse("def f x = i32.sqrt x", "E0203 main.rem:1:15 the module `i32` has no member `sqrt`");
    refuse("def f x = sqrt x", "E0201 main.rem:1:11 unknown name `sqrt` | scalar functions are in the module of their type: `f64.sqrt`");
    refuse(
        "def f x = np.mean x",
        "E0201 main.rem:1:11 there is neither a variable nor a module `np` | names of a library have no prefix: `import \"lib/np\"`, then `mean`",
    );
    refuse("def f (x: int) = x", "E0202 main.rem:1:11 unknown type `int` | write `i64` or `i32`");
    refuse(
        "def f (x: a) = x",
        "E0202 main.rem:1:11 unknown type `a` | a type parameter is declared with a quote: `'a` after the name of the definition",
    );
    refuse("type vector = i32 def f (x: vectro) = x", "E0202 main.rem:1:29 unknown type `vectro` | did you mean `vector`?");
    refuse(
        "def f (x: [n]i32) = x",
        "E0201 main.rem:1:12 the size `n` is not declared | sizes are declared in brackets after the name: `f [n]`",
    );
    refuse("def f = g def g = 1", "E0201 main.rem:1:9 unknown name `g` | a definition is visible after it: move it up");
    refuse(
        "def f = let g x = g x in g",
        "E0205 main.rem:1:19 `g` is used in its own definition | make `g` a definition of its own, with what it takes from around it as parameters, or write a loop",
    );
    refuse(
        "def c : i64 = c + 1",
        "E0205 main.rem:1:15 `c` is used in its own definition | give it parameters, `def c x = ..`, or write a loop",
    );
    refuse(
        "def f x = 2*-x",
        "E0201 main.rem:1:12 unknown operator `*-` | symbols written together are one operator: put a space before `-`",
    );
    refuse(
        "def f x = i32 x",
        "E0201 main.rem:1:11 unknown name `i32` | `i32` is a type; a conversion names both types, such as `i32.i64 x` or `i32.f64 x`",
    );
    refuse("def f x = x + zzqq", "E0201 main.rem:1:15 unknown name `zzqq`");
}

#[test]
fn bindings_that_are_refused() {
    refuse(
        "def f x x = 1",
        "E0204 main.rem:1:9 the name `x` is bound twice | give one of them another name, or write `_` for a value that is not used",
    );
    refuse(
        "def f (x, (y, x)) = 1",
        "E0204 main.rem:1:15 the name `x` is bound twice | give one of them another name, or write `_` for a value that is not used",
    );
    refuse(
        "def f 'a 'a = 1",
        "E0204 main.rem:1:11 the type parameter `a` is bound twice | give one of them another name, or write `_` for a value that is not used",
    );
    refuse("def f = {x = 1, x = 2}", "E0204 main.rem:1:17 the field `x` is written twice");
    refuse("def x && y = x", "E0208 main.rem:1:7 `&&` cannot be redefined | choose another operator");
    refuse(
        "val f : i32",
        "E0208 main.rem:1:5 only the standard library declares values without defining them | write `def` with a body; `???` stands for one that is still to be written",
    );
}

#[test]
fn imports() {
    let files = [
        ("a.rem", "import \"sub/b\" def a = b local def hidden = 1"),
        ("sub/b.fut", "import \"../c\" def b = c"),
        ("c.rem", "def c = 1 type t = i32"),
    ];
    let loaded = load("import \"a\" import \"./c.rem\" def f (x: t) = a + c", &files);
    assert_eq!(loaded.errors(), "");
    assert_eq!(loaded.names(), "t -> 1:16; a -> a; c -> c");
    let order: Vec<&str> = loaded.program.units.iter().map(|u| loaded.sources.file(u.source.file).name.as_str()).collect();
    assert_eq!(order, ["stdlib/prelude.rem", "c.rem", "sub/b.fut", "a.rem", "main.rem"]);

    let loaded = load("import \"a\" def f = b + hidden", &files);
    assert_eq!(loaded.errors(), "E0201 main.rem:1:20 unknown name `b`\nE0201 main.rem:1:24 unknown name `hidden`");
    let loaded = load("import \"bb\"", &[("b.rem", "")]);
    assert_eq!(
        loaded.errors(),
        "E0206 main.rem:1:8 the import `bb` cannot be read | paths are relative to the importing file, and are written without `.rem` or `.fut`"
    );
    let loaded = load("import \"helpres\"", &[("helpers.rem", "")]);
    assert_eq!(loaded.errors(), "E0206 main.rem:1:8 the import `helpres` cannot be read | there is `import \"helpers\"`");
    let loaded = load("import \"lib/npy\"", &[]);
    assert_eq!(loaded.errors(), "E0206 main.rem:1:8 the import `lib/npy` cannot be read | there is `import \"lib/np\"`");
}

#[test]
fn cyclic_imports() {
    let files = [("a.rem", "import \"b\""), ("b.rem", "import \"a\" def x = 1")];
    let loaded = load("import \"a\"", &files);
    assert_eq!(loaded.errors(), "E0207 b.rem:1:8 files import each other: a.rem -> b.rem -> a.rem | move what both need into a third file");
    let loaded = load("import \"main\"", &[]);
    assert_eq!(loaded.errors(), "E0207 main.rem:1:8 files import each other: main.rem -> main.rem | move what both need into a third file");
}

#[test]
fn imports_in_modules() {
    let files = [
        ("a.rem", "module b = import \"sub/b\" open import \"c\""),
        ("sub/b.fut", "local open import \"../c\" def b = c module type s = { val b : i32 }"),
        ("c.rem", "def c = 1i32"),
    ];
    let loaded = load("module a = import \"a\" module f (x: a.b.s) = { open import \"./c.rem\" def y = x.b } def z = a.c + a.b.b", &files);
    assert_eq!(loaded.errors(), "");
    let order: Vec<&str> = loaded.program.units.iter().map(|u| loaded.sources.file(u.source.file).name.as_str()).collect();
    assert_eq!(order, ["stdlib/prelude.rem", "c.rem", "sub/b.fut", "a.rem", "main.rem"]);
    // What a file imports is part of what it offers only where it says so.
    let loaded = load("module a = import \"a\" def x = a.b.c", &files);
    assert_eq!(loaded.errors(), "E0203 main.rem:1:35 the module `a.b` has no member `c`");
    let loaded = load("module a = import \"nowhere\" module b = import \"nowhere\" def x = a.y", &files);
    assert_eq!(
        loaded.errors(),
        "E0206 main.rem:1:19 the import `nowhere` cannot be read | paths are relative to the importing file, and are written without `.rem` or `.fut`"
    );
}

#[test]
fn files_of_packages() {
    let files = [
        ("lib/one/one.rem", "import \"../two/two\" def one = two"),
        ("lib/two/two.rem", "import \"lib/three/three\" def two = three"),
        ("lib/three/three.rem", "def three = 3i32"),
    ];
    let loaded = load("module one = import \"lib/one/one\" import \"lib/two/two\" def x = one.one + two", &files);
    assert_eq!(loaded.errors(), "");
    // A file beside the importing one comes first, whatever was read before.
    let near = [files[0], files[1], files[2], ("lib/two/lib/three/three.rem", "def three = 3.0")];
    let loaded = load("import \"lib/three/three\" import \"lib/one/one\" def x = one + f64.i32 three", &near);
    let order: Vec<&str> = loaded.program.units.iter().skip(1).map(|u| loaded.sources.file(u.source.file).name.as_str()).collect();
    assert_eq!(order, ["lib/three/three.rem", "lib/two/lib/three/three.rem", "lib/two/two.rem", "lib/one/one.rem", "main.rem"]);
}

#[test]
fn cycles_through_modules() {
    let files =
        [("a.rem", "module b = import \"b\""), ("b.rem", "module c = { open import \"c\" }"), ("c.rem", "open import \"a\" def x = 1")];
    let loaded = load("module a = import \"a\"", &files);
    assert_eq!(
        loaded.errors(),
        "E0207 c.rem:1:13 files import each other: a.rem -> b.rem -> c.rem -> a.rem | move what both need into a third file"
    );
}

#[test]
fn modules_are_resolved_away() {
    let loaded = load(
        "module m = { def x = 1i32 module n = { def y = x } } module f (p: { val y : i32 }) = { def z = p.y } module g = f m.n def t = m.(n.y + x) + g.z",
        &[],
    );
    assert_eq!(loaded.errors(), "");
    let names: Vec<String> = loaded.program.defs.iter().filter(|(_, def)| !def.stdlib).map(|(_, def)| def.unique.to_string()).collect();
    assert_eq!(names, ["m.x", "m.n.y", "f.p.y", "f.z", "g.p.y", "g.z", "t"]);
    let templates: Vec<&str> =
        loaded.program.defs.iter().filter(|(id, _)| loaded.program.is_template(*id)).map(|(_, def)| def.unique.as_str()).collect();
    assert_eq!(templates, ["f.p.y", "f.z"]);
    // Of scalar modules nothing is copied until it is seen through a module type.
    let before = load("", &[]).program.defs.len();
    let loaded = load("module real = f64 def t = real.(sqrt 2)", &[]);
    assert_eq!(loaded.errors(), "");
    assert_eq!(loaded.program.defs.len(), before + 1);
}

#[test]
fn modules_of_the_library_are_made_when_they_are_named() {
    let made = |text: &'static str| {
        let loaded = load(text, &[]);
        assert_eq!(loaded.errors(), "", "{text}");
        let has = |name: &str| loaded.program.defs.iter().any(|(_, def)| def.name.as_str() == name);
        ["np_f64.mean", "np_f32.mean", "np_i64.sort", "random.normal"].map(has)
    };
    assert_eq!(made("import \"lib/np\" import \"lib/random\" def f (x: []f64) = mean x"), [true, false, false, false]);
    assert_eq!(made("import \"lib/np\" def f (x: []f32) = np_f32.mean x"), [true, true, false, false]);
    assert_eq!(made("import \"lib/np\" module n = np_i64 def f (x: []i64) = n.sort x"), [true, false, true, false]);
    assert_eq!(made("module l = import \"lib/random\" def f = l.random.normal (l.random.key 1) 0 1"), [false, false, false, true]);
    // Parametric modules of the library are looked into where they are applied.
    assert_eq!(load("import \"lib/np\" module m = np_int u8 def f = m.sort [1]", &[]).errors(), "");
}

#[test]
fn later_imports_hide_earlier_definitions() {
    let loaded = load("def x = 1 import \"a\" def y = x def x = 2 def z = x", &[("a.rem", "def x = 3")]);
    assert_eq!(loaded.errors(), "");
    assert_eq!(loaded.names(), "x -> x; x -> x.2");
}

#[test]
fn dependencies() {
    let loaded = load("def n = 3 type t = [n]i32 def a = length def b (x: t) = a def c = map", &[]);
    let find = |name: &str| loaded.program.defs.iter().filter(|(_, d)| d.name.as_str() == name && !d.stdlib).map(|(id, _)| id).next();
    let names = |defs: Vec<DefId>| defs.into_iter().map(|d| loaded.def(d)).collect::<Vec<_>>().join(" ");
    let b = find("b").expect("b is defined");
    assert_eq!(names(resolve::dependencies(&loaded.program, b)), "n a");
    assert_eq!(names(resolve::reachable(&loaded.program, [b])), "std length n a b");
}

#[test]
fn every_name_of_a_clean_program_is_known() {
    let loaded = load(include_str!("../../../stdlib/lib/np.rem"), &[]);
    assert_eq!(loaded.errors(), "");
    let names = &loaded.program.names.exprs;
    let mut work = Vec::new();
    // Module types are patterns for what is made of them: the names in them are resolved in copies.
    for (unit, decl) in loaded.program.units.iter().flat_map(|unit| unit.source.decls.iter().map(move |decl| (unit, decl))) {
        match decl {
            Decl::ModuleType(_) => {}
            // Modules of the library are looked into where they are named.
            Decl::Module(_) if unit.stdlib => {}
            Decl::Module(module) => module_children(&module.body, &mut work),
            _ => decl_children(decl, &mut work),
        }
    }
    while let Some(node) = work.pop() {
        // The `f32` of `f32.sqrt` has no entry of its own, and neither has a parameter of a module; the projection has.
        let member = |id| matches!(loaded.program.ast.exprs[id].kind, ExprKind::Project { .. }) && names.get(id).is_some();
        if matches!(node, Node::Expr(id) if member(id)) {
            continue;
        }
        children_of(&loaded.program.ast, node, &mut work);
        let Node::Expr(id) = node else { continue };
        if let ExprKind::Name(name) = loaded.program.ast.exprs[id].kind {
            assert!(names.get(id).is_some() || remora::base::PrimType::from_name(name.as_str()).is_some(), "{name}");
        }
    }
}

#[test]
fn deep_and_long_programs() {
    let n = 100_000;
    let sources = [
        format!("def f x = {}x{}", "(".repeat(n), ")".repeat(n)),
        format!("def f x = x{}", " + x".repeat(2 * n)),
        format!("def f x = {}x", "let x = x in ".repeat(20_000)),
        "def f x = x + 1\n".repeat(n),
        format!("def f = [{}]", "1, ".repeat(n)),
        format!("def f : {}i64 = ???", "(n: i64) -> ".repeat(n)),
    ];
    for source in sources {
        let count = with_big_stack(|| load(&source, &[]).diagnostics.len());
        assert_eq!(count, 0, "{}", &source[..40]);
    }
    let unknown = "def f x = yyyyy + zzzzz\n".repeat(20_000);
    assert_eq!(with_big_stack(|| load(&unknown, &[]).diagnostics.len()), 40_000);
}

proptest! {
    #[test]
    fn any_declarations_resolve(source in "(def (f|g|x) (x|\\(x, y\\)|\\[n\\]|'a)? = (x|let x = y in f|g x|f32.sqrt|f32.foo|x.y|\\\\x -> n|1 \\+ x|loop x for i < n do x) |type t = (t|\\[n\\]i32|a) |import \"[ab]?\" |local |[a-z=(]){0,12}") {
        let loaded = load(&source, &[("a.rem", "import \"b\" def f = 1"), ("b.rem", "import \"main\" def g = (")]);
        for diagnostic in &loaded.diagnostics {
            prop_assert!(!diagnostic.labels.is_empty());
        }
        let defs = loaded.program.units.iter().flat_map(|u| &u.source.decls).filter(|d| matches!(d, Decl::Def(_))).count();
        prop_assert!(loaded.program.defs.len() >= defs);
    }
}
