//! Whole programs: helper functions, an entry point and its arguments.

use super::make::{Base, Maker, Ty};
use super::{Argument, Case, Definition, Param, Random};

/// A parameter of a helper.
#[derive(Clone, Debug)]
pub struct SigParam {
    pub ty: Ty,
    /// The number of arguments of a function on numbers; 0 for a value.
    pub functions: usize,
}

/// What is known about a helper to those who call it.
#[derive(Clone, Debug)]
pub struct Sig {
    pub name: String,
    pub params: Vec<SigParam>,
    pub result: Ty,
    /// Number of its sizes.
    pub dims: usize,
}

/// Sizes of the arguments of entry points.
const SIZES: [usize; 3] = [2, 3, 4];
const SIZE_NAMES: [&str; 3] = ["n", "m", "k"];

/// How much is left to inference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Mostly written types, few operands of the wrong shape.
    Usual,
    /// Few written types and many operands of the wrong shape: more is ambiguous, more is refused.
    Wild,
}

/// A program from a seed.
pub fn case(seed: u64, style: Style) -> Case {
    let mut random = Random::new(seed);
    let random = &mut random;
    let (mut defs, mut sigs) = (Vec::new(), Vec::new());
    for at in 0..random.below(3) {
        let (def, sig) = helper(random, at, &sigs);
        defs.push(def);
        sigs.push(sig);
    }
    let (entry, args) = entry(random, &sigs, style);
    defs.push(entry);
    Case { defs, args }
}

/// A function on scalars, vectors or matrices, or one that takes functions.
fn helper(random: &mut Random, at: usize, sigs: &[Sig]) -> (Definition, Sig) {
    let name = format!("h{at}");
    let dims = random.pick(&[0, 0, 1, 1, 2]);
    let mut maker = Maker {
        random,
        dims: ["p", "q"].iter().take(dims.max(1)).map(|dim| (*dim).to_string()).collect(),
        vars: Vec::new(),
        helpers: sigs,
        noise: 0,
        any: 0,
        fresh: 0,
    };
    let (mut params, mut shown) = (Vec::new(), Vec::new());
    let unwritten = dims == 0 && maker.random.percent(35);
    let count = 1 + maker.random.below(3);
    for at in 0..count {
        let shape: Vec<usize> = match (dims, at) {
            (0, _) => Vec::new(),
            (1, 0) => vec![0],
            (2, 0) => vec![0, 1],
            _ => {
                let options: &[&[usize]] = if dims == 1 { &[&[], &[0]] } else { &[&[], &[1], &[0], &[0, 1]] };
                maker.random.pick(options).to_vec()
            }
        };
        let ty = Ty::int(&shape);
        let variable = format!("{}{at}", ["a", "v", "w"][shape.len()]);
        let written = (!unwritten).then(|| maker.text(&ty));
        shown.push(Param { name: variable.clone(), ty: written });
        maker.vars.push((variable, ty.clone()));
        params.push(SigParam { ty, functions: 0 });
    }
    let functions = if maker.random.percent(25) { 1 + maker.random.below(2) } else { 0 };
    let results: &[&[usize]] = [&[&[] as &[usize]] as &[&[usize]], &[&[], &[0]], &[&[], &[1], &[0], &[0, 1]]][dims];
    let base = if maker.random.percent(12) { Base::Bool } else { Base::Int };
    let result = Ty::new(maker.random.pick(results), base);
    if dims == 0 {
        // Nothing but scalars: no sizes to write.
        maker.dims = vec!["2".into(), "3".into()];
    }
    let depth = 1 + maker.random.below(2);
    let mut body = maker.expr(&result, depth);
    if functions > 0 {
        body = apply_function(&mut maker, body, functions, &result);
        let ty = ["i32 -> i32", "i32 -> i32 -> i32"][functions - 1];
        let binder = maker.random.percent(80).then(|| ty.to_string());
        shown.insert(0, Param { name: "g".into(), ty: binder });
        params.insert(0, SigParam { ty: Ty::int(&[]), functions });
    }
    let written = maker.random.percent(40).then(|| maker.text(&result));
    let binders = ["", "[p]", "[p] [q]"][dims].to_string();
    (Definition { name: name.clone(), binders, params: shown, result: written, body }, Sig { name, params, result, dims })
}

/// The parameter `g` around the body of a helper.
fn apply_function(maker: &mut Maker, body: super::Expr, functions: usize, result: &Ty) -> super::Expr {
    if result.base != Base::Int {
        return body;
    }
    let mut args = vec![body];
    if functions == 2 {
        args.push(maker.leaf(&Ty::int(&[])));
    }
    super::Expr::call("g", args)
}

fn entry(random: &mut Random, sigs: &[Sig], style: Style) -> (Definition, Vec<Argument>) {
    let wild = style == Style::Wild;
    let noise = random.pick(if wild { &[8, 15] } else { &[0, 0, 2, 5] });
    let named = !wild && random.percent(40);
    let rank = random.pick(&[1, 2, 2, 2, 3]);
    let dims: Vec<String> =
        if named { SIZE_NAMES[..rank].iter().map(|s| s.to_string()).collect() } else { SIZES.map(|s| s.to_string()).to_vec() };
    let mut maker = Maker { random, dims, vars: Vec::new(), helpers: sigs, noise, any: if wild { 50 } else { 0 }, fresh: 0 };
    // The first parameter has all sizes that have names.
    let mut order = maker.random.permutation(rank);
    if !named {
        order = maker.shape(rank);
    }
    let unwritten = maker.random.pick(if wild { &[60, 100, 100] } else { &[0, 0, 15, 40] });
    let (mut shown, mut args) = (Vec::new(), Vec::new());
    for at in 0..2 + maker.random.below(3) {
        let shape = if at == 0 {
            order.clone()
        } else {
            let rank = maker.random.below(4);
            if maker.random.percent(60) { order[rank.min(order.len())..].to_vec() } else { maker.shape(rank) }
        };
        let base = if at > 0 && maker.random.percent(12) { Base::Bool } else { Base::Int };
        let ty = Ty::new(&shape, base);
        let written = at == 0 && named || !maker.random.percent(unwritten);
        let name = format!("{}{at}", ["c", "v", "m", "t"][shape.len()]);
        shown.push(Param { name: name.clone(), ty: written.then(|| maker.text(&ty)) });
        maker.vars.push((name, ty));
        let sizes: Vec<usize> = shape.iter().map(|&dim| SIZES[dim]).collect();
        let items = (0..sizes.iter().product::<usize>()).map(|_| maker.random.below(19) as i32 - 9);
        let items = items.map(|item| if base == Base::Bool { item.rem_euclid(2) } else { item }).collect();
        args.push(Argument { dims: sizes, items, bools: base == Base::Bool });
    }
    let rank = maker.random.below(4).min(if named { rank + 1 } else { 3 });
    let base = maker.random.pick(&[Base::Int, Base::Int, Base::Int, Base::Int, Base::Bool, Base::Pair]);
    let result = Ty::new(&maker.shape(rank), base);
    let depth = if wild { 1 + maker.random.below(2) } else { maker.random.pick(&[1, 2, 2, 3, 3]) };
    let body = maker.expr(&result, depth);
    let written = maker.random.percent(if wild { 5 } else { 25 }).then(|| maker.text(&result));
    let binders =
        if named { SIZE_NAMES[..maker.dims.len()].iter().map(|s| format!("[{s}]")).collect::<Vec<_>>().join(" ") } else { String::new() };
    (Definition { name: "t".into(), binders, params: shown, result: written, body }, args)
}
