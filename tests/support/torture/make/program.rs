//! Whole programs: functions, an entry point, inputs.

use super::super::data::Input;
use super::super::tree::{Definition, Node, Param, Program};
use super::super::types::{Dim, Prim, Ty};
use super::statements::chain;
use super::{Fun, Maker};
use crate::support::generate::Random;
use std::collections::BTreeMap;

/// A program from a seed.
pub fn program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    // Neighbouring seeds begin alike.
    (0..8).for_each(|_| {
        random.below(2);
    });
    let budget = 3 + random.below(14) as isize;
    let mut maker = Maker::new(&mut random, budget);
    let mut defs = Vec::new();
    for at in 0..maker.random.below(3) {
        let (def, fun) = definition(&mut maker, at);
        defs.push(def);
        maker.funs.push(fun);
    }
    let names: Vec<&str> = ["n", "m", "k"][..1 + maker.random.below(2)].to_vec();
    let mut sizes = BTreeMap::new();
    for name in &names {
        sizes.insert(name.to_string(), maker.random.pick(&[2, 3, 3, 4, 5]));
    }
    let mut params = Vec::new();
    let mut binders = Vec::new();
    for name in &names {
        let (value, dim) = (sizes[*name], Dim::name(name));
        if maker.random.percent(25) {
            params.push(Param { name: name.to_string(), ty: Ty::prim(Prim::I64), star: false });
            maker.declare_size(name, Some(value), value);
        } else {
            binders.push(format!("[{name}]"));
            maker.declare_size(name, Some(value), value);
            let other = if maker.random.percent(40) { Some(maker.dim()) } else { None };
            let dims: Vec<Dim> = std::iter::once(dim).chain(other).collect();
            let prim = maker.prim();
            params.push(parameter(&mut maker, Ty::array(&dims, prim)));
        }
    }
    for _ in 0..1 + maker.random.below(3) {
        let ty = maker.ty(2);
        params.push(parameter(&mut maker, ty));
    }
    let count = 2 + maker.random.below(7);
    let depth = maker.random.pick(&[1, 2, 2, 3]);
    let lets = maker.statements(count, depth);
    let result = results(&mut maker);
    let body = chain(lets, result);
    let features = std::mem::take(&mut maker.features);
    let entry = Definition { name: "t".into(), binders: binders.join(" "), params, result: None, body };
    let inputs = inputs(&mut random, &entry.params, &sizes);
    Program { seed, defs, entry, inputs, features }
}

/// A parameter of the entry point, in scope.
fn parameter(maker: &mut Maker, ty: Ty) -> Param {
    let name = maker.name(["p", "xs", "xss", "xsss"][ty.rank().min(3)]);
    let star = ty.rank() > 0 && maker.random.percent(25);
    maker.declare(&name, &ty, star);
    Param { name, ty, star }
}

/// What the entry point returns: what was made last, so that it is used.
fn results(maker: &mut Maker) -> Node {
    let mut parts = Vec::new();
    let vars: Vec<_> = maker.visible().into_iter().rev().cloned().collect();
    for var in vars {
        let late = parts.is_empty() || maker.random.percent(45);
        if late && parts.len() < 4 && (var.ty.element().is_some() || var.ty.dims.is_empty()) {
            parts.push(Node::name(&var.ty, &var.name));
        }
    }
    if parts.is_empty() || maker.random.percent(20) {
        let value = maker.int(2);
        parts.push(value);
    }
    // Arrays first, as they were made.
    parts.reverse();
    Node::tuple(parts)
}

/// Three inputs: usual sizes and numbers, extreme numbers, sizes 0 and 1.
fn inputs(random: &mut Random, params: &[Param], sizes: &BTreeMap<String, i64>) -> Vec<Input> {
    let small = sizes.iter().map(|(name, size)| (name.clone(), random.pick(&[0, 0, 1, *size]))).collect();
    vec![Input::new(random, params, sizes, 3), Input::new(random, params, sizes, 45), Input::new(random, params, &small, 20)]
}

/// A function before the entry point.
fn definition(maker: &mut Maker, at: usize) -> (Definition, Fun) {
    let name = format!("g{at}");
    match maker.random.below(3) {
        0 => polymorphic(maker, name),
        _ => on_vectors(maker, name),
    }
}

/// A function on arrays of anything.
fn polymorphic(maker: &mut Maker, name: String) -> (Definition, Fun) {
    let ty = Ty::array(&[Dim::name("q")], Prim::I64);
    let star = maker.random.percent(40);
    let texts = [
        "reverse xs",
        "reverse (rotate 1 xs)",
        "if q > 1 then xs with [0] = xs[q - 1] else xs",
        "if q > 0 then xs with [q - 1] = xs[0] else xs",
        "loop ys = xs for i < q / 2 do let t = ys[i] in (ys with [i] = ys[q - 1 - i]) with [q - 1 - i] = t",
        "map (\\i -> xs[q - 1 - i]) (iota q)",
        "scatter xs (iota q) (reverse xs)",
    ];
    let own = recursive(&name);
    // A slice that is taken takes the whole array with it.
    let recursive = maker.all_forms && !star && maker.random.percent(50);
    let body = Node::atom(&ty, if recursive { own[maker.random.below(own.len())].as_str() } else { maker.random.pick(&texts) });
    if recursive {
        maker.seen("recursive function");
    }
    maker.seen(if star { "polymorphic function that takes" } else { "polymorphic function" });
    let any = Ty::array(&ty.dims, Prim::Any);
    let params = vec![Param { name: "xs".into(), ty: any, star }];
    let fun = Fun { name: name.clone(), sizes: vec!["q".into()], params: vec![(ty.clone(), star)], result: ty, polymorphic: true };
    (Definition { name, binders: "'a [q]".into(), params, result: Some("[q]a".into()), body }, fun)
}

/// Bodies that call the function: loops with windows and joins, halves, what is done to the result of a call. None is deeper than its array is long.
fn recursive(name: &str) -> [String; 7] {
    [
        format!("if q <= 1 then xs else {name} xs[1:] ++ [xs[0]]"),
        format!("if q <= 1 then xs else [xs[q - 1]] ++ {name} xs[:q - 1]"),
        format!("if q <= 2 then xs else [xs[q - 1]] ++ {name} xs[1:q - 1] ++ [xs[0]]"),
        format!("if q < 2 then xs else ({name} xs[q / 2:] ++ {name} xs[:q / 2]) :> [q]a"),
        format!("if q == 0 then xs else [xs[0]] ++ reverse ({name} xs[1:])"),
        format!("if q < 3 then xs else let ys = {name} xs[1:] in [ys[0]] ++ ys"),
        format!("if q <= 1 then xs else [xs[0]] ++ {name} (rotate 1 xs[1:])"),
    ]
}

/// A function on vectors, of a body that is made.
fn on_vectors(maker: &mut Maker, name: String) -> (Definition, Fun) {
    let prim = if maker.random.percent(70) { Prim::I64 } else { maker.prim() };
    let ty = Ty::array(&[Dim::name("q")], prim);
    let star = maker.random.percent(50);
    let mark = maker.enter();
    maker.declare_size("q", None, 20);
    maker.declare("as", &ty, star);
    maker.declare("b", &Ty::prim(Prim::I64), false);
    let body = if maker.random.percent(50) {
        let array = Node::name(&ty, "as");
        maker.updated_node(array, 1)
    } else {
        let count = maker.random.below(3);
        let lets = maker.statements(count, 1);
        let result = maker.value_of(&ty, 1);
        chain(lets, result)
    };
    maker.leave(mark);
    maker.seen(if star { "function that takes" } else { "function on arrays" });
    let params = vec![Param { name: "as".into(), ty: ty.clone(), star }, Param { name: "b".into(), ty: Ty::prim(Prim::I64), star: false }];
    let fun = Fun {
        name: name.clone(),
        sizes: vec!["q".into()],
        params: params.iter().map(|param| (param.ty.clone(), param.star)).collect(),
        result: ty.clone(),
        polymorphic: false,
    };
    (Definition { name, binders: "[q]".into(), params, result: Some(ty.to_string()), body }, fun)
}
