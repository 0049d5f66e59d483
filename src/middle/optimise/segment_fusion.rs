//! Fuses a map into the segmented reduction that reads slices of its result, as in a product of a sparse matrix and a vector: each slice is
//! mapped where it is read.
//!
//! Law: a part of a map is the map over that part of its inputs. What is made for the parts only need not be kept. Cells in several parts are
//! computed for each of them: therefore only cells that cost little more than reading one back, and only parts that lie where arrays say
//! (rows of a sparse matrix), which hardly overlap.
//!
//! Where the map may fail it must fail as well for cells in no part. Parts that lie one after the other and end where the array ends leave
//! none: that is found out by a pass over their places when the program runs. If it is not so, the map runs for its checks alone.
//!
//! Blelloch, Heroux and Zagha, "Segmented operations for sparse matrix computation on vector multiprocessors" (1993) has the operation that
//! this is about.

use super::fuse::feed;
use crate::base::mutation::mutated;
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::profile::{Fusion, FusionKind};
use crate::ir::soac::visit::mentioned;
use crate::ir::soac::visit_mut::{Subst, fresh_body, rebind_all};
use crate::ir::soac::{Body, Exp, Lambda, Operand, Operator, Program, Size, Soac, Stm, Type, Var};

/// At most so many scalar operations, and so many cells read anywhere, are computed again.
const OPERATIONS: usize = 4;
const READS: usize = 2;

/// Fuses such maps.
pub fn segment_fusion(mut program: Program) -> Program {
    for id in program.fun_ids() {
        let mut body = std::mem::take(&mut program.funs[id].body);
        visit(&mut program, &mut body);
        program.funs[id].body = body;
    }
    program
}

fn visit(program: &mut Program, body: &mut Body) {
    body.stms.iter_mut().for_each(|stm| stm.exp.bodies_mut(&mut |body| visit(program, body)));
    let mut c = 0;
    while c < body.stms.len() {
        match find(program, body, c) {
            // Another one may take the place of the one that is gone.
            Some(parts) => c = fuse(program, body, c, parts),
            None => c += 1,
        }
    }
}

/// The statements of a fusion.
struct Parts {
    /// The statement that makes the array.
    producer: usize,
    /// In the lambda of the consumer: the statement that takes a part, and the one that maps over it.
    slice: usize,
    inner: usize,
    /// Where a part begins, and how long it is.
    start: Var,
    width: Size,
}

fn find(program: &Program, body: &Body, c: usize) -> Option<Parts> {
    let Exp::Soac(consumer) = &body.stms[c].exp else { return None };
    let inside = &consumer.lambda.body;
    for (slice, stm) in inside.stms.iter().enumerate() {
        let (Exp::Slice { array, start: Operand::Var(start), step, .. }, [part]) = (&stm.exp, stm.pat.as_slice()) else { continue };
        let Some(producer) = body.stms[..c].iter().rposition(|stm| stm.pat.as_slice() == [*array]) else { continue };
        let Exp::Soac(made) = &body.stms[producer].exp else { continue };
        let Some(inner) = inside.stms.iter().position(|stm| matches!(&stm.exp, Exp::Soac(soac) if soac.inputs.contains(part))) else {
            continue;
        };
        let once = body.uses(*array) == 1 && inside.uses(*part) == 1;
        let width = &program.ty(*part).shape[0];
        // The places of the parts are known where the consumer begins.
        let bound: Vec<Var> = inside.stms.iter().flat_map(|stm| stm.pat.iter().copied()).collect();
        let placed = *step == Operand::int(1) && !width.vars().any(|var| bound.contains(&var));
        let read = consumer.lambda.params.iter().position(|param| param == start).map(|k| consumer.inputs[k]);
        let loaded = read.is_some_and(|array| !counts(&body.stms[..c], array));
        if once && placed && loaded && cheap(program, made) && stays(&body.stms[producer + 1..c], made) {
            return Some(Parts { producer, slice, inner, start: *start, width: width.clone() });
        }
    }
    None
}

/// Whether an array is known to be a range, or is not known here but may be one.
fn counts(stms: &[Stm], array: Var) -> bool {
    let Some(stm) = stms.iter().rfind(|stm| stm.pat.contains(&array)) else { return false };
    if let Exp::Slice { array, .. } | Exp::Rotate { array, .. } | Exp::Coerce(array) | Exp::Reshape(array) = &stm.exp {
        counts(stms, *array)
    } else {
        matches!(stm.exp, Exp::Iota { .. } | Exp::Rep(_))
    }
}

/// Whether the cells of an array of scalars cost little more than reading them back.
fn cheap(program: &Program, soac: &Soac) -> bool {
    let (mut operations, mut reads) = (0, 0);
    let plain = soac.scans.is_empty() && soac.reduces.is_empty() && soac.inputs.iter().all(|input| program.ty(*input).rank() == 1);
    let few = soac.lambda.body.stms.iter().all(|stm| {
        if let Exp::Scalar(op, _) = &stm.exp {
            operations += 1;
            op.cost().cheap
        } else {
            reads += 1;
            matches!(stm.exp, Exp::Index { .. }) && program.ty(stm.pat[0]).rank() == 0
        }
    });
    // Without an input there is nothing to take a part of.
    plain && few && operations <= OPERATIONS && reads <= READS && !soac.inputs.is_empty()
}

/// Whether nothing that the map reads is overwritten by one of these statements; it would be copied before.
fn stays(stms: &[Stm], made: &Soac) -> bool {
    let mut read = made.inputs.clone();
    made.lambda.body.stms.iter().for_each(|stm| mentioned(stm, &mut |var| read.push(var)));
    stms.iter().all(|stm| {
        let writes = !matches!(stm.exp, Exp::Soac(_) | Exp::Index { .. } | Exp::Slice { .. } | Exp::Size(_) | Exp::Scalar(..));
        let mut touches = false;
        mentioned(stm, &mut |var| touches = touches || read.contains(&var));
        !(writes && touches)
    })
}

/// Fuses the producer into the consumer; returns the new index of the consumer.
fn fuse(program: &mut Program, body: &mut Body, mut c: usize, parts: Parts) -> usize {
    let Stm { exp: Exp::Soac(made), span: from, .. } = body.stms.remove(parts.producer) else { return c };
    c -= 1;
    program.fused.push(Fusion { from, into: body.stms[c].span, way: FusionKind::Cells });
    if mutated!(SegmentsUnchecked, made.lambda.body.may_fail(), false)
        && let Exp::Soac(consumer) = &body.stms[c].exp
    {
        let checks = checks(program, consumer, &made, &parts, body.stms[c].span);
        let more = checks.len();
        body.stms.splice(c..c, checks);
        c += more;
    }
    let Exp::Soac(consumer) = &mut body.stms[c].exp else { return c };
    let inside = &mut consumer.lambda.body;
    // Parts of the inputs in the place of the part; the first of them is checked.
    let Stm { pat, exp: Exp::Slice { start, step, mut checked, .. }, span } = inside.stms[parts.slice].clone() else { return c };
    let mut slices = Vec::with_capacity(made.inputs.len());
    let mut inputs = Vec::with_capacity(made.inputs.len());
    for input in &made.inputs {
        let info = &program.vars[*input];
        let (name, ty) = (info.name, Type { elem: info.ty.elem, shape: vec![parts.width.clone()] });
        let part = program.fresh(name, ty);
        slices.push(Stm { pat: vec![part], exp: Exp::Slice { array: *input, start, step, checked }, span });
        checked = false;
        inputs.push(part);
    }
    let mut subst = Subst::default();
    if let Exp::Soac(Soac { inputs: all, lambda, .. }) = &mut inside.stms[parts.inner].exp {
        feed(&pat, Soac { inputs, ..made }, all, lambda, &mut subst);
        subst.body(&mut lambda.body);
    }
    inside.stms.splice(parts.slice..=parts.slice, slices);
    c
}

/// Statements under construction.
struct Build<'p> {
    program: &'p mut Program,
    stms: Vec<Stm>,
    span: Span,
}

impl Build<'_> {
    fn bind(&mut self, name: &str, ty: Type, exp: Exp) -> Var {
        let var = self.program.fresh(Symbol::new(name), ty);
        self.stms.push(Stm { pat: vec![var], exp, span: self.span });
        var
    }
    fn scalar(&mut self, op: ScalarOp, args: Vec<Operand>) -> Operand {
        Operand::Var(self.bind("ok", Type::scalar(op.result), Exp::Scalar(op, args)))
    }
    /// An operation on numbers.
    fn int(&mut self, op: Op, args: [Operand; 2]) -> Operand {
        self.scalar(ScalarOp::new(op, PrimType::I64), args.to_vec())
    }
    fn size(&mut self, size: Size) -> Operand {
        let simple = size.as_operand();
        simple.unwrap_or_else(|| Operand::Var(self.bind("size", Type::scalar(PrimType::I64), Exp::Size(size))))
    }
    fn both(&mut self, a: Operand, b: Operand) -> Operand {
        self.scalar(ScalarOp::new(Op::And, PrimType::Bool), vec![a, b])
    }
    /// Statements that another builder makes.
    fn body(&mut self, make: impl FnOnce(&mut Build) -> Vec<Operand>) -> Body {
        let mut inner = Build { program: self.program, stms: Vec::new(), span: self.span };
        let result = make(&mut inner);
        Body { stms: inner.stms, result }
    }
    /// Where a part ends, for cells that stand for the parameters; and whether its length is one.
    fn end(&mut self, parts: &Parts, cells: &Subst) -> (Operand, Operand) {
        let width = self.size(cells.size(&parts.width));
        let end = self.int(Op::Add, [cells.var(parts.start), width]);
        let long = self.int(Op::Ge, [width, Operand::int(0)]);
        (end, long)
    }
}

/// Fails where the map fails, if cells may be in no part.
fn checks(program: &mut Program, consumer: &Soac, made: &Soac, parts: &Parts, span: Span) -> Vec<Stm> {
    let mut build = Build { program, stms: Vec::new(), span };
    let bool = Type::scalar(PrimType::Bool);
    let count = build.size(consumer.width.clone());
    let some = build.int(Op::Gt, [count, Operand::int(0)]);
    let then = build.body(|build| vec![covered(build, consumer, made, parts, count)]);
    let els = build.body(|build| {
        let size = build.size(made.width.clone());
        vec![build.int(Op::Eq, [size, Operand::int(0)])]
    });
    let covered = build.bind("covered", bool, Exp::If { cond: some, then, els });
    let all = build.body(|build| {
        let mut subst = Subst::default();
        let mut lambda = made.lambda.clone();
        rebind_all(build.program, lambda.params.iter_mut(), &mut subst);
        lambda.body = fresh_body(build.program, &made.lambda.body, &mut subst);
        lambda.body.result.clear();
        let soac = Soac { lambda, ..made.clone() };
        build.stms.push(Stm { pat: Vec::new(), exp: Exp::Soac(soac), span });
        Vec::new()
    });
    let exp = Exp::If { cond: Operand::Var(covered), then: Body::default(), els: all };
    build.stms.push(Stm { pat: Vec::new(), exp, span });
    build.stms
}

/// Whether each part begins where the one before it ends, the first at 0, and the last ends where the array ends.
fn covered(build: &mut Build, consumer: &Soac, made: &Soac, parts: &Parts, count: Operand) -> Operand {
    let places: Vec<(Var, Var)> = (consumer.lambda.params.iter().copied().zip(consumer.inputs.iter().copied()))
        .filter(|(param, _)| *param == parts.start || parts.width.vars().any(|var| var == *param))
        .collect();
    let rest = consumer.width.sub(&Size::constant(1));
    let (one, int) = (Operand::int(1), Type::scalar(PrimType::I64));
    // Each with the next.
    let (mut inputs, mut params, mut cells) = (Vec::new(), Vec::new(), Subst::default());
    let (mut first, mut last) = (Operand::int(0), Subst::default());
    let end = build.int(Op::Sub, [count, one]);
    let view = Type { elem: PrimType::I64, shape: vec![rest.clone()] };
    let mut next = Operand::int(0);
    for (param, array) in places {
        let start = Operand::int(0);
        inputs.push(build.bind("place", view.clone(), Exp::Slice { array, start, step: one, checked: false }));
        let cell = build.program.fresh(Symbol::new("place"), int.clone());
        params.push(cell);
        cells.operands.insert(param, Operand::Var(cell));
        let at = build.bind("last", int.clone(), Exp::Index { array, at: vec![end], checked: false });
        last.operands.insert(param, Operand::Var(at));
        if param == parts.start {
            inputs.push(build.bind("next", view.clone(), Exp::Slice { array, start: one, step: one, checked: false }));
            let cell = build.program.fresh(Symbol::new("next"), int.clone());
            params.push(cell);
            next = Operand::Var(cell);
            first = Operand::Var(build.bind("first", int.clone(), Exp::Index { array, at: vec![start], checked: false }));
        }
    }
    let body = build.body(|build| {
        let (end, long) = build.end(parts, &cells);
        let meet = build.int(Op::Eq, [end, next]);
        let inside = build.int(Op::Ge, [next, Operand::int(0)]);
        let fine = build.both(meet, inside);
        vec![build.both(fine, long)]
    });
    let bool = Type::scalar(PrimType::Bool);
    let (a, b) = (build.program.fresh(Symbol::new("a"), bool.clone()), build.program.fresh(Symbol::new("b"), bool.clone()));
    let and = build.body(|build| vec![build.both(Operand::Var(a), Operand::Var(b))]);
    let operator =
        Operator { lambda: Lambda { params: vec![a, b], body: and }, neutral: vec![Operand::Const(Scalar::Bool(true))], commutative: true };
    let soac = Soac { width: rest, inputs, lambda: Lambda { params, body }, scans: Vec::new(), reduces: vec![operator] };
    let meet = build.bind("meet", bool, Exp::Soac(soac));
    let begins = build.int(Op::Eq, [first, Operand::int(0)]);
    let (end, long) = build.end(parts, &last);
    let size = build.size(made.width.clone());
    let ends = build.int(Op::Eq, [end, size]);
    let outer = build.both(begins, ends);
    let outer = build.both(outer, long);
    build.both(outer, Operand::Var(meet))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{body_becomes, stays};
    use super::segment_fusion;

    #[test]
    fn rows_of_a_sparse_matrix() {
        body_becomes(
            &[segment_fusion],
            "([n i64] [m i64] [start [i64 n]] [len [i64 n]] [value [f64 m]] [x [f64 m]]) ([R [f64 n]])",
            "(let ([p [f64 m]]) (soac m ([a f64 value] [b f64 x])
               (let ([t f64]) (f64.* a b))
               (return t)))
             (let ([r [f64 n]]) (soac n ([s i64 start] [w i64 len])
               (let ([q [f64 w]]) (slice p s 1))
               (let ([sum f64]) (soac w ([v f64 q])
                 (return v)
                 (reduce commutative (0.0f64) ([c f64] [d f64]) (let ([e f64]) (f64.+ c d)) (return e))))
               (return sum)))
             (return r)",
            "(let ([r [f64 n]]) (soac n ([s i64 start] [w i64 len])
               (let ([value.1 [f64 w]]) (slice value s 1))
               (let ([x.1 [f64 w]]) (slice x s 1 unchecked))
               (let ([sum f64]) (soac w ([a f64 value.1] [b f64 x.1])
                 (let ([t f64]) (f64.* a b))
                 (return t)
                 (reduce commutative (0.0f64) ([c f64] [d f64]) (let ([e f64]) (f64.+ c d)) (return e))))
               (return sum)))
             (return r)",
        );
    }

    #[test]
    fn windows_overlap_and_stay() {
        stays(
            &[segment_fusion],
            "([n i64] [m i64] [value [f64 m]] [x [f64 m]]) ([R [f64 n]])",
            "(let ([is [i64 n]]) (iota 0 1))
             (let ([p [f64 m]]) (soac m ([a f64 value] [b f64 x])
               (let ([t f64]) (f64.* a b))
               (return t)))
             (let ([r [f64 n]]) (soac n ([s i64 is])
               (let ([q [f64 9]]) (slice p s 1))
               (let ([sum f64]) (soac 9 ([v f64 q])
                 (return v)
                 (reduce commutative (0.0f64) ([c f64] [d f64]) (let ([e f64]) (f64.+ c d)) (return e))))
               (return sum)))
             (return r)",
        );
    }
}
