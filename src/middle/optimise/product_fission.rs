//! Products in maps that do more: a map over rows that multiplies each row with a matrix, among other things, becomes several maps, so that the product
//! of the matrices is a map of its own.
//!
//! Law: a map of several statements is several maps of one each, with what they need of each other as arrays between them.
//!
//! ```text
//! map (\row -> let y = map (\column -> sum (row * column)) columns in g y row) a
//! ==>
//! let p = map (\row -> map (\column -> sum (row * column)) columns) a
//! in map (\y row -> g y row) p a
//! ```
//!
//! The right side writes the product to memory and reads it once; a product that stands alone is made in tiles, each element of which is
//! read from memory once for many rows (`back::lower::tile`), where the left side reads the whole matrix for each row.
//!
//! Nothing that may fail is moved before anything else.

use crate::ir::soac::visit::Part;
use crate::ir::soac::visit_mut::{Subst, fresh_body};
use crate::ir::soac::{Body, Exp, Lambda, Operand, Program, Size, Soac, Stm, Var};
use rustc_hash::FxHashSet;

/// Products of fewer rows, columns or terms are better kept in registers.
const SMALL: i64 = 16;

/// Rewrites such maps.
pub fn product_fission(mut program: Program) -> Program {
    program.each_body(visit);
    program
}

/// Whether there may be such maps: sums in maps in maps.
pub fn applies(program: &Program) -> bool {
    fn deep(body: &Body, depth: usize) -> bool {
        body.stms.iter().any(|stm| {
            if let Exp::Soac(soac) = &stm.exp {
                return depth == 2 && !soac.reduces.is_empty() || deep(&soac.lambda.body, depth.min(1) + 1);
            }
            let mut found = false;
            stm.exp.parts(&mut |part| {
                if let Part::Body(_, body) = part {
                    found = found || deep(body, 0);
                }
            });
            found
        })
    }
    program.funs.iter().any(|(_, fun)| deep(&fun.body, 0))
}

fn visit(program: &mut Program, body: &mut Body) {
    let mut at = 0;
    while at < body.stms.len() {
        // What comes before the product may be one itself, and is looked at next.
        if let Some(split) = find(program, &body.stms[at]) {
            let stm = body.stms.remove(at);
            let new = divide(program, stm, split);
            body.stms.splice(at..at, new);
            continue;
        }
        body.stms[at].exp.bodies_mut(&mut |body| visit(program, body));
        at += 1;
    }
}

/// How a map is divided.
struct Split {
    /// The statement of the lambda that makes the product.
    product: usize,
    /// The statements that make what it needs.
    before: Vec<usize>,
}

fn find(program: &Program, stm: &Stm) -> Option<Split> {
    let Exp::Soac(outer) = &stm.exp else { return None };
    let body = &outer.lambda.body;
    if is_small(&outer.width) || body.stms.len() == 1 && outer.scans.is_empty() && outer.reduces.is_empty() {
        return None;
    }
    let bound: FxHashSet<Var> = body.stms.iter().flat_map(|stm| stm.pat.iter().copied()).collect();
    (0..body.stms.len()).find_map(|product| {
        if !is_product(program, outer, &bound, &body.stms[product]) {
            return None;
        }
        let before = needed(program, body, product, &bound);
        let moved = || before.iter().chain([&product]).map(|k| &body.stms[*k]);
        let fails = moved().any(|stm| stm.exp.may_fail());
        // Arrays between the maps have the same sizes in all rows.
        let inner = |var: &Var| bound.contains(var) || outer.lambda.params.contains(var);
        let regular =
            moved().flat_map(|stm| &stm.pat).all(|var| !program.ty(*var).shape.iter().flat_map(Size::vars).any(|var| inner(&var)));
        let scalars = before.iter().all(|k| body.stms[*k].pat.iter().all(|var| program.ty(*var).rank() <= 1));
        (!fails && regular && scalars).then_some(Split { product, before })
    })
}

fn is_small(size: &Size) -> bool {
    size.as_constant().is_some_and(|n| n < SMALL)
}

/// Whether a statement multiplies a row with a matrix: a map over the columns of an array from outside that reduces each together with what is
/// the same for all of them.
fn is_product(program: &Program, outer: &Soac, bound: &FxHashSet<Var>, stm: &Stm) -> bool {
    let Exp::Soac(map) = &stm.exp else { return false };
    let plain = map.scans.is_empty() && map.reduces.is_empty();
    let mut reductions = map.lambda.body.stms.iter().filter_map(|stm| if let Exp::Soac(soac) = &stm.exp { Some(soac) } else { None });
    let (Some(reduce), None) = (reductions.next(), reductions.next()) else { return false };
    let ([operator], true) = (reduce.reduces.as_slice(), reduce.scans.is_empty()) else { return false };
    let scalar = operator.neutral.len() == 1 && program.operand_ty(operator.neutral[0]).rank() == 0;
    let inside = |var: Var| bound.contains(&var) || outer.lambda.params.contains(&var);
    let (mut columns, mut rows) = (0, 0);
    for input in &reduce.inputs {
        match map.lambda.params.iter().position(|param| param == input) {
            Some(k) if inside(map.inputs[k]) => return false,
            Some(_) => columns += 1,
            None => rows += usize::from(inside(*input)),
        }
    }
    let sizes = || map.width.vars().chain(reduce.width.vars());
    plain && scalar && columns > 0 && rows > 0 && !is_small(&map.width) && !is_small(&reduce.width) && !sizes().any(inside)
}

/// The statements of a body that a statement needs, in order.
fn needed(program: &Program, body: &Body, of: usize, bound: &FxHashSet<Var>) -> Vec<usize> {
    let mut wanted: FxHashSet<Var> = FxHashSet::default();
    let mut out = Vec::new();
    let want = |stm: &Stm, wanted: &mut FxHashSet<Var>| {
        program.mentioned(stm, &mut |var| {
            if bound.contains(&var) {
                wanted.insert(var);
            }
        });
    };
    want(&body.stms[of], &mut wanted);
    for k in (0..of).rev() {
        if body.stms[k].pat.iter().any(|var| wanted.contains(var)) {
            want(&body.stms[k], &mut wanted);
            out.push(k);
        }
    }
    out.reverse();
    out
}

/// The maps that a map is divided into.
fn divide(program: &mut Program, stm: Stm, split: Split) -> Vec<Stm> {
    let Stm { pat, exp: Exp::Soac(mut outer), span } = stm else { crate::ice!(stm.span, "the statement is no map") };
    let mut rest = std::mem::take(&mut outer.lambda.body.stms);
    let product = rest.remove(split.product);
    // From the last one on, so that the places of the others stay.
    let mut before: Vec<Stm> = split.before.iter().rev().map(|k| rest.remove(*k)).collect();
    before.reverse();
    let mut out = Vec::new();
    let mut given = Given { inputs: outer.inputs.clone(), params: outer.lambda.params.clone() };
    if !before.is_empty() {
        let made: Vec<Var> = before.iter().flat_map(|stm| stm.pat.iter().copied()).collect();
        let later: Vec<&Stm> = [&product].into_iter().chain(&rest).collect();
        let wanted = wanted_of(program, &made, &later, &outer.lambda.body.result);
        out.push(given.map(program, before, wanted, &outer.width, span));
    }
    let wanted = product.pat.clone();
    out.push(given.map(program, vec![product], wanted, &outer.width, span));
    outer.inputs = given.inputs;
    outer.lambda.params = given.params;
    outer.lambda.body.stms = rest;
    out.push(Stm { pat, exp: Exp::Soac(outer), span });
    out
}

/// Those of some variables that statements or results mention.
pub(super) fn wanted_of(program: &Program, made: &[Var], stms: &[&Stm], result: &[Operand]) -> Vec<Var> {
    let mut found: FxHashSet<Var> = result.iter().filter_map(|a| a.var()).collect();
    stms.iter().for_each(|stm| program.mentioned(stm, &mut |var| _ = found.insert(var)));
    made.iter().copied().filter(|var| found.contains(var)).collect()
}

/// What the next maps may run over: arrays, and the names of their cells.
pub(super) struct Given {
    pub(super) inputs: Vec<Var>,
    pub(super) params: Vec<Var>,
}

impl Given {
    /// A map of these statements with these results. Those that follow find the results under the same names, as cells of what it makes.
    pub(super) fn map(&mut self, program: &mut Program, stms: Vec<Stm>, wanted: Vec<Var>, width: &Size, span: crate::base::Span) -> Stm {
        let mut lambda = Lambda { params: Vec::new(), body: Body { stms, result: Vec::new() } };
        let mut read: FxHashSet<Var> = FxHashSet::default();
        lambda.body.stms.iter().for_each(|stm| program.mentioned(stm, &mut |var| _ = read.insert(var)));
        // Both what is bound and the parameters get new names here; the old ones are those of the maps that follow.
        let mut subst = Subst::default();
        let mut inputs = Vec::new();
        for (input, param) in self.inputs.iter().zip(&self.params).filter(|(_, param)| read.contains(param)) {
            let info = program.vars[*param].clone();
            let new = program.vars.alloc(info);
            subst.operands.insert(*param, Operand::Var(new));
            inputs.push(*input);
            lambda.params.push(new);
        }
        lambda.body = fresh_body(program, &lambda.body, &mut subst);
        lambda.body.result = wanted.iter().map(|var| subst.var(*var)).collect();
        let mut pat = Vec::with_capacity(wanted.len());
        for var in wanted {
            let info = program.vars[var].clone();
            let array = program.fresh(info.name, info.ty.framed(std::slice::from_ref(width)));
            pat.push(array);
            self.inputs.push(array);
            self.params.push(var);
        }
        let soac = Soac { width: width.clone(), inputs, lambda, scans: Vec::new(), reduces: Vec::new() };
        Stm { pat, exp: Exp::Soac(soac), span }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{body_becomes, stays};
    use super::product_fission;

    /// The product of a row and the columns of a matrix.
    fn product(name: &str, row: &str, columns: &str, width: &str, depth: &str) -> String {
        format!(
            "(let ([{name} [f32 {width}]]) (soac {width} ([c.{name} [f32 {depth}] {columns}])
               (let ([s.{name} f32]) (soac {depth} ([x.{name} f32 {row}] [y.{name} f32 c.{name}])
                 (let ([t.{name} f32]) (f32.* x.{name} y.{name}))
                 (return t.{name})
                 (reduce commutative (0.0f32) ([a.{name} f32] [b.{name} f32]) (let ([u.{name} f32]) (f32.+ a.{name} b.{name})) (return u.{name}))))
               (return s.{name})))"
        )
    }

    #[test]
    fn a_product_of_a_product_is_two() {
        let signature = "([n i64] [m i64] [k i64] [a [f32 n m]] [b [f32 k m]] [c [f32 n k]]) ([R [f32 n n]])";
        body_becomes(
            &[product_fission],
            signature,
            &format!(
                "(let ([r [f32 n n]]) (soac n ([row [f32 m] a]) {} {} (return q))) (return r)",
                product("p", "row", "b", "k", "m"),
                product("q", "p", "c", "n", "k")
            ),
            &format!(
                "(let ([p.8 [f32 n k]]) (soac n ([row [f32 m] a]) {} (return p)))
                 (let ([r [f32 n n]]) (soac n ([row.1 [f32 m] a] [p.1 [f32 k] p.8]) {} (return q)))
                 (return r)",
                product("p", "row", "b", "k", "m"),
                product("q", "p.1", "c", "n", "k")
            ),
        );
    }

    #[test]
    fn what_may_fail_stays_where_it_is() {
        stays(
            &[product_fission],
            "([n i64] [m i64] [k i64] [a [f32 n m]] [b [f32 k m]] [is [i64 n]]) ([R [f32 n k]] [S [f32 n]])",
            &format!(
                "(let ([r [f32 n k]] [s [f32 n]]) (soac n ([i i64 is])
                   (let ([row [f32 m]]) (index a i)) {} (let ([e f32]) (index p 0i64)) (return p e))) (return r s)",
                product("p", "row", "b", "k", "m")
            ),
        );
    }

    #[test]
    fn small_products_stay() {
        stays(
            &[product_fission],
            "([n i64] [a [f32 n 3]] [b [f32 3 3]]) ([R [f32 n 3]] [S [f32 n]])",
            &format!(
                "(let ([r [f32 n 3]] [s [f32 n]]) (soac n ([row [f32 3] a]) {} (let ([e f32]) (index p 0i64)) (return p e))) (return r s)",
                product("p", "row", "b", "3", "3")
            ),
        );
    }
}
