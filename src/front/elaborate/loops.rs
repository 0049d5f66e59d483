//! Loops. Where the sizes of successive values differ, the loop's value is existential.

use super::error::{Error, ErrorKind as Wrong, Mismatch};
use super::scope::{make_box, wrap};
use super::{Elab, Result, Typed};
use crate::base::scalar::Op;
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::core::{self, Atom, Dim, DimAtom, Expr, ExprKind, Index, LoopParam, Shape, ShapeItem, Type};
use crate::ir::surface::{self, ExprId, PatId, PatKind, TypeKind, view};
use crate::ir::tables::Res;
use rustc_hash::FxHashMap;

impl Elab<'_> {
    /// A loop. Where its body cannot do with values of changing sizes, sizes of the parameters around it may be the same: those of
    /// a function whose parameters are not annotated, such as `let pow f x = loop x for _i < 2 do f x`.
    pub(super) fn loop_(
        &mut self,
        e: ExprId,
        (size_binders, pat): (&[PatId], PatId),
        init: ExprId,
        form: surface::LoopForm,
        body: ExprId,
    ) -> Result<Typed> {
        let span = self.program.ast.exprs[e].span;
        let most = self.program.ast.bounds.get(&e).copied();
        let init = self.expr(init)?;
        self.sizes.match_parts_in(&[&init.1]);
        // The parts of a tuple are the first values of loop variables of their own.
        let parts = matches!(init.0.kind(), ExprKind::Tuple(_)) || tuple_pattern(self.program, pat).is_none();
        let init = if parts { init } else { self.shared(init, "init") };
        let header = self.loop_header(form)?;
        let before = self.begin_attempt();
        let named = self.named_sizes(pat, &init.1);
        let whole = Loop { size_binders, pat, init: &init, header: &header, body, span, named, most };
        let settled = self.settled_loop(&whole);
        let Err(error) = settled else { return settled };
        if !self.apart {
            return Err(error);
        }
        self.give_up(before);
        self.apart = false;
        let settled = self.settled_loop(&whole);
        self.apart = true;
        settled.map_err(|_| error)
    }
    /// First the parameters of the loop are taken to have the sizes of the initial values; sizes that the body changes
    /// are then made existential, until nothing changes. Sizes that are equal at first are one size as long as the body keeps them equal.
    fn settled_loop(&mut self, whole: &Loop) -> Result<Typed> {
        let mut changing = Changing::default();
        for (class, size) in whole.named.iter().enumerate() {
            changing.classes.extend(size.positions.iter().map(|position| (*position, NAMED_CLASSES + class)));
        }
        loop {
            let before = self.begin_attempt();
            self.push_frame();
            match self.loop_attempt(whole, &changing)? {
                Ok(done) => {
                    let done = self.open(done);
                    return Ok(self.with_named_sizes(&whole.named, done, whole.span));
                }
                Err(more) => {
                    self.give_up(before);
                    if !changing.refine(more) {
                        return Err(Error::new(Wrong::Mismatch(Mismatch::Loop), whole.span).into());
                    }
                }
            }
        }
    }
    fn loop_header(&mut self, form: surface::LoopForm) -> Result<Header> {
        Ok(match form {
            surface::LoopForm::For { var, bound } => Header::For(var, self.expr(bound)?),
            surface::LoopForm::ForIn { pat, array } => {
                let array = self.expr(array)?;
                Header::ForIn(pat, self.shared(array, "xs"))
            }
            surface::LoopForm::While(cond) => Header::While(cond),
        })
    }
    /// One attempt, in a frame of its own (popped if it succeeds): the loop, or the sizes that its body changes.
    fn loop_attempt(&mut self, whole: &Loop, changing: &Changing) -> Result<std::result::Result<Typed, Vec<Found>>> {
        let Loop { size_binders, pat, init, header, body, span, .. } = *whole;
        let (opened, vars, witnesses) = self.loop_type(&init.1, changing);
        let name = self.fresh_name(self.pat_name(pat));
        // Sizes that the loop names are bound from the whole value.
        let parts = if size_binders.is_empty() { self.loop_parts(pat, &opened, changing) } else { None };
        let param_ty = if vars.is_empty() { opened.clone() } else { Type::scalar(Atom::Sigma(vars.clone(), opened.clone())) };
        self.bind_param(name, &param_ty, span);
        let cond = match header {
            Header::While(cond) => {
                self.push_frame();
                self.bind_loop_value(whole, name, &param_ty, parts.as_deref())?;
                let (cond, _) = self.expr(*cond)?;
                let frame = self.pop_frame();
                Some(wrap(frame, cond))
            }
            _ => None,
        };
        let form = self.loop_form(header, cond, span)?;
        self.bind_loop_value(whole, name, &param_ty, parts.as_deref())?;
        let (value, ty) = self.expr(body)?;
        let value = if whole.named.is_empty() { value } else { self.shared_parts((value, ty.clone())) };
        self.sizes.retry(false).map_err(|(clash, span)| self.clash(clash, span))?;
        self.sizes.match_parts_in(&[&ty]);
        let ty = self.sizes.zonk_type(&ty);
        let mut comparison = Comparison { changing, span, position: 0, found: Vec::new(), result: FxHashMap::default() };
        self.compare_loop(&opened, &ty, &mut comparison)?;
        let Comparison { found, mut result, .. } = comparison;
        if !found.is_empty() {
            return Ok(Err(found));
        }
        for size in &whole.named {
            let after = size.var(&opened).and_then(|var| result.get(&var).cloned());
            let before = nth_dim(&init.1, size.positions[0]);
            for (value, dim) in [(&init.0, before), (&value, after)] {
                let Some(dim) = dim else { continue };
                let part = project(value, size.part, span);
                let own = self.size_or_bind(&part);
                self.sizes.unify_dim(&own, &dim, part.span()).map_err(|clash| self.clash(clash, part.span()))?;
            }
        }
        let value = if vars.is_empty() {
            value
        } else {
            let indices = vars.iter().map(|v| (*v, Index::Dim(result.remove(v).unwrap_or_else(|| Dim::var(*v))))).collect();
            make_box(indices, opened.clone(), value, span).0
        };
        let frame = self.pop_frame();
        let value = wrap(frame, value);
        let first = if vars.is_empty() { init.0.clone() } else { make_box(witnesses, opened, init.0.clone(), span).0 };
        let params: Vec<LoopParam> = match parts {
            Some(parts) => {
                parts.into_iter().enumerate().map(|(i, (name, ty))| LoopParam { name, ty, init: project(&first, i, span) }).collect()
            }
            None => vec![LoopParam { name, ty: param_ty.clone(), init: first }],
        };
        let looped = match whole.most {
            Some(most) => self.at_most(most, params, form, value, span),
            None => Expr::new(ExprKind::Loop { params, form, body: value }, span),
        };
        Ok(Ok((looped, param_ty)))
    }
    /// A loop that counts its iterations, and fails where they are more than that.
    fn at_most(&mut self, most: i64, mut params: Vec<LoopParam>, form: core::LoopForm, body: Expr, span: Span) -> Expr {
        let name = self.fresh_name(Symbol::new("count"));
        let op = |op: Op, value: i64| {
            let args = vec![Expr::new(ExprKind::Var(name), span), super::expr::number(value, span)];
            super::expr::call(Expr::op(op, PrimType::I64, span), args, span)
        };
        let (cond, next) = (op(Op::Lt, most), op(Op::Add, 1));
        let types = |params: &[LoopParam]| Type::scalar(Atom::Tuple(params.iter().map(|param| param.ty.clone()).collect()));
        let message = Symbol::new(&format!("the loop runs more than {most} times"));
        let checked = |expr: Expr| Expr::new(ExprKind::Assert { cond, message, expr }, span);
        let tuple = |parts: Vec<Expr>| Expr::new(ExprKind::Tuple(parts), span);
        let together = |names: &mut Self, ty: Type, value: Expr, make: &dyn Fn(Expr) -> Expr| {
            let name = names.fresh_name(Symbol::new("l"));
            let body = make(Expr::new(ExprKind::Var(name), span));
            Expr::new(ExprKind::Let { name, ty: Some(ty), rhs: value, body }, span)
        };
        let own = params.len();
        let body = match own {
            1 => tuple(vec![checked(body), next]),
            _ => together(self, types(&params), checked(body), &|value| {
                tuple((0..own).map(|i| project(&value, i, span)).chain([next.clone()]).collect())
            }),
        };
        params.push(LoopParam { name, ty: Type::prim(PrimType::I64), init: super::expr::number(0, span) });
        let ty = types(&params);
        let looped = Expr::new(ExprKind::Loop { params, form, body }, span);
        match own {
            1 => project(&looped, 0, span),
            _ => together(self, ty, looped, &|value| tuple((0..own).map(|i| project(&value, i, span)).collect())),
        }
    }
    /// The type of a loop's values with the changing sizes replaced by variables; the variables; their first values.
    fn loop_type(&mut self, init: &Type, changing: &Changing) -> (Type, Vec<Symbol>, Vec<(Symbol, Index)>) {
        let init = self.sizes.zonk_type(init);
        let mut classes: Vec<(Dim, usize, Symbol)> = Vec::new();
        let mut vars = Vec::new();
        let mut witnesses = Vec::new();
        let mut position = 0;
        let ty = map_dims(&init, &mut |dim| {
            position += 1;
            let class = changing.class(position - 1)?;
            if let Some((.., k)) = classes.iter().find(|(first, other, _)| first == dim && *other == class) {
                return Some(Dim::var(*k));
            }
            let k = self.fresh_name(Symbol::new("k"));
            classes.push((dim.clone(), class, k));
            vars.push(k);
            witnesses.push((k, Index::Dim(dim.clone())));
            Some(Dim::var(k))
        });
        (ty, vars, witnesses)
    }
    /// Loop variables of their own for a tuple pattern of names, where sizes do not change.
    fn loop_parts(&mut self, pat: PatId, ty: &Type, changing: &Changing) -> Option<Vec<(Symbol, Type)>> {
        let parts = tuple_pattern(self.program, pat)?;
        let (Atom::Tuple(tys), true, true) = (ty.atom(), changing.classes.is_empty(), parts.len() >= 2) else { return None };
        let mut out = Vec::with_capacity(parts.len());
        for (part, ty) in parts.iter().zip(tys) {
            let name = self.fresh_name(self.pat_name(*part));
            self.bind_param(name, ty, self.program.ast.pats[*part].span);
            out.push((name, ty.clone()));
        }
        Some(out)
    }
    /// The integers of a loop's tuple that the pattern gives as sizes to its arrays, `loop (m, xs: [m]t) = ..`.
    fn named_sizes(&self, pat: PatId, init: &Type) -> Vec<NamedSize> {
        let program = self.program;
        let (Some(parts), Atom::Tuple(types)) = (tuple_pattern(program, pat), init.atom()) else { return Vec::new() };
        let mut named: Vec<NamedSize> = Vec::new();
        let mut position = 0;
        for (part, ty) in parts.iter().zip(types) {
            let mut annotation = match &program.ast.pats[part_of(program, *part)].kind {
                PatKind::Ascribe(_, ty) => Some(*ty),
                _ => None,
            };
            for (at, _) in ty.shape().items.iter().enumerate() {
                let Some(TypeKind::Array(dim, element)) = annotation.map(|ty| &program.ast.types[ty].kind) else { break };
                annotation = Some(*element);
                let surface::Dim::Expr(size) = dim else { continue };
                let Some(Res::Local(size)) = program.names.exprs.get(view::strip(&program.ast, *size)) else { continue };
                let Some(part) = parts.iter().position(|part| named_by(program, *part) == Some(*size)) else { continue };
                match named.iter_mut().find(|other| other.pat == *size) {
                    Some(other) => other.positions.push(position + at),
                    None => named.push(NamedSize { part, pat: *size, positions: vec![position + at] }),
                }
            }
            map_dims(ty, &mut |_| {
                position += 1;
                None
            });
        }
        named
    }
    /// The components of a loop's value by which sizes are named are these sizes.
    fn with_named_sizes(&mut self, named: &[NamedSize], value: Typed, span: Span) -> Typed {
        if named.is_empty() {
            return value;
        }
        let (value, ty) = self.shared(value, "l");
        let Atom::Tuple(types) = ty.atom() else { return (value, ty) };
        let part = |i: usize| match named.iter().find(|size| size.part == i).and_then(|size| nth_dim(&ty, size.positions[0])) {
            Some(dim) => Expr::new(ExprKind::ReifyDim(dim), span),
            None => project(&value, i, span),
        };
        let parts = (0..types.len()).map(part).collect();
        (Expr::new(ExprKind::Tuple(parts), span), ty)
    }
    /// A tuple of which each component can be mentioned again.
    fn shared_parts(&mut self, (value, ty): Typed) -> Expr {
        match (value.kind(), ty.atom()) {
            (ExprKind::Tuple(parts), Atom::Tuple(types)) => {
                let parts = parts.iter().zip(types).map(|(part, ty)| self.shared((part.clone(), ty.clone()), "l").0).collect();
                Expr::new(ExprKind::Tuple(parts), value.span())
            }
            _ => self.shared((value, ty), "l").0,
        }
    }
    fn bind_loop_value(&mut self, whole: &Loop, name: Symbol, ty: &Type, parts: Option<&[(Symbol, Type)]>) -> Result<()> {
        let Loop { size_binders, pat, span, .. } = *whole;
        if let (Some(parts), Some(pats)) = (parts, tuple_pattern(self.program, pat)) {
            for ((name, ty), pat) in parts.iter().zip(pats) {
                self.pattern_agrees(pat, ty)?;
                self.bind_pattern_var(pat, *name, ty)?;
            }
            return Ok(());
        }
        let value = self.open((Expr::new(ExprKind::Var(name), span), ty.clone()));
        let sizes: Vec<(PatId, Dim)> =
            whole.named.iter().filter_map(|size| Some((size.pat, nth_dim(&value.1, size.positions[0])?))).collect();
        self.names.locals.extend(sizes.iter().map(|(pat, dim)| (*pat, super::Local::Size(dim.clone()))));
        self.bind_pattern(size_binders, pat, value, span)?;
        self.names.locals.extend(sizes.into_iter().map(|(pat, dim)| (pat, super::Local::Size(dim))));
        Ok(())
    }
    fn loop_form(&mut self, header: &Header, cond: Option<Expr>, span: Span) -> Result<core::LoopForm> {
        match header {
            Header::While(_) => cond.map(core::LoopForm::While).ok_or_else(|| self.missing(span)),
            Header::For(var, (bound, bound_ty)) => {
                let at = self.program.ast.pats[*var].span;
                let Atom::Prim(prim) = *bound_ty.atom() else { return Err(self.missing(span)) };
                let counter = self.fresh_name(self.pat_name(*var));
                self.bind_param(counter, &Type::prim(PrimType::I64), at);
                let convert = |to: PrimType, from: PrimType, e: Expr| {
                    let fun = Expr::op(Op::Convert(from), to, at);
                    super::expr::call(fun, vec![e], at)
                };
                if prim == PrimType::I64 {
                    self.bind_pattern_var(*var, counter, bound_ty)?;
                    return Ok(core::LoopForm::For(counter, bound.clone()));
                }
                let value = convert(prim, PrimType::I64, Expr::new(ExprKind::Var(counter), at));
                let name = self.bind_let(self.pat_name(*var), value, bound_ty.clone(), at);
                self.bind_pattern_var(*var, name, bound_ty)?;
                let mut count = bound.clone();
                if prim == PrimType::U64 {
                    // What is no i64 is more iterations than ever end.
                    let most = Expr::new(ExprKind::Lit(Scalar::U64(i64::MAX as u64)), at);
                    count = super::expr::call(Expr::op(Op::Min, PrimType::U64, at), vec![count, most], at);
                }
                Ok(core::LoopForm::For(counter, convert(PrimType::I64, prim, count)))
            }
            Header::ForIn(pat, (array, ty)) => {
                let at = self.program.ast.pats[*pat].span;
                let n = super::scope::outer_dim(ty).ok_or_else(|| self.missing(span))?;
                let counter = self.fresh_name(Symbol::new("i"));
                self.bind_param(counter, &Type::prim(PrimType::I64), at);
                let value = self.index((array.clone(), ty.clone()), Expr::new(ExprKind::Var(counter), at), at)?;
                let value = self.open_row(value);
                self.bind_pattern(&[], *pat, value, at)?;
                Ok(core::LoopForm::For(counter, Expr::new(ExprKind::ReifyDim(n), span)))
            }
        }
    }
    /// Compares the type of the body's value with that of the loop's parameter.
    fn compare_loop(&mut self, param: &Type, body: &Type, to: &mut Comparison) -> Result<()> {
        let (xs, ys) = (&param.shape().items, &body.shape().items);
        if xs.len() != ys.len() {
            return Err(self.clash_types(super::sizes::Clash::Irregular, to.span, Some((param, body))).into());
        }
        for (x, y) in xs.iter().zip(ys) {
            let (ShapeItem::Dim(x), ShapeItem::Dim(y)) = (x, y) else { continue };
            let here = to.position;
            to.position += 1;
            if to.changing.class(here).is_some() {
                let Some(DimAtom::Var(k)) = x.as_atom() else { continue };
                match to.result.get(&k).cloned() {
                    Some(first) if !self.settle_equal(&first, y, to.span) => {
                        to.found.push(Found::Apart { position: here, size: y.clone() })
                    }
                    Some(_) => {}
                    None => {
                        to.result.insert(k, y.clone());
                    }
                }
            } else if !self.settle_equal(x, y, to.span) {
                to.found.push(Found::Changed { position: here });
            }
        }
        match (param.atom(), body.atom()) {
            (Atom::Tuple(xs), Atom::Tuple(ys)) if xs.len() == ys.len() => {
                for (x, y) in xs.iter().zip(ys) {
                    self.compare_loop(x, y, to)?;
                }
                Ok(())
            }
            (Atom::Record(xs), Atom::Record(ys)) | (Atom::Sum(xs), Atom::Sum(ys)) if xs.len() == ys.len() => {
                for ((_, x), (_, y)) in xs.iter().zip(ys) {
                    self.compare_loop(x, y, to)?;
                }
                Ok(())
            }
            (Atom::Fun(..), _) | (Atom::Sigma(..), _) => {
                let scalar = |t: &Type| Type::scalar(t.atom().clone());
                self.unify_at(&scalar(param), &scalar(body), to.span)
            }
            _ => Ok(()),
        }
    }
}

/// What an attempt found out about the sizes of a loop's values, by their positions.
enum Found {
    /// The body changes this one.
    Changed { position: usize },
    /// The body makes this one another than those that were equal to it before; its new value.
    Apart { position: usize, size: Dim },
}

/// The sizes that a loop changes, by their positions. Those of one class are one size if they have the same first value.
#[derive(Debug, Default)]
struct Changing {
    classes: FxHashMap<usize, usize>,
    last: usize,
}

impl Changing {
    fn class(&self, position: usize) -> Option<usize> {
        self.classes.get(&position).copied()
    }
    /// Takes in what was found; whether that was new.
    fn refine(&mut self, found: Vec<Found>) -> bool {
        let mut apart: Vec<(Dim, usize)> = Vec::new();
        let before = (self.classes.len(), self.last);
        for item in found {
            match item {
                Found::Changed { position } => {
                    self.classes.insert(position, 0);
                }
                Found::Apart { position, size } => {
                    let class = apart.iter().find(|(other, _)| *other == size).map(|(_, class)| *class).unwrap_or_else(|| {
                        self.last += 1;
                        apart.push((size, self.last));
                        self.last
                    });
                    self.classes.insert(position, class);
                }
            }
        }
        (self.classes.len(), self.last) != before
    }
}

/// A loop's values before and after its body, side by side.
struct Comparison<'x> {
    changing: &'x Changing,
    span: Span,
    /// Of the next size.
    position: usize,
    /// Sizes that changed, or are no longer equal to others.
    found: Vec<Found>,
    /// The new values of sizes that may change.
    result: FxHashMap<Symbol, Dim>,
}

/// A loop whose first values and header are elaborated.
struct Loop<'x> {
    size_binders: &'x [PatId],
    pat: PatId,
    init: &'x Typed,
    header: &'x Header,
    body: ExprId,
    span: Span,
    named: Vec<NamedSize>,
    /// How often it may run, if it has a condition and that is said.
    most: Option<i64>,
}

/// Classes of sizes from here on belong to components of a loop's value that are sizes.
const NAMED_CLASSES: usize = 1 << 32;

/// A component of a loop's value that is a size of others.
struct NamedSize {
    /// Which component.
    part: usize,
    /// Its name.
    pat: PatId,
    /// The positions of the sizes that it is, in the order of [`map_dims`].
    positions: Vec<usize>,
}

impl NamedSize {
    /// The variable that stands for it in the type of the loop's value.
    fn var(&self, opened: &Type) -> Option<Symbol> {
        match nth_dim(opened, self.positions[0])?.as_atom() {
            Some(DimAtom::Var(name)) => Some(name),
            _ => None,
        }
    }
}

/// A size of a type, by its position in the order of [`map_dims`].
fn nth_dim(ty: &Type, position: usize) -> Option<Dim> {
    let (mut at, mut found) = (0, None);
    map_dims(ty, &mut |dim| {
        if at == position {
            found = Some(dim.clone());
        }
        at += 1;
        None
    });
    found
}

/// A pattern without parentheses around it.
fn part_of(program: &crate::ir::tables::Program, mut pat: PatId) -> PatId {
    while let PatKind::Paren(inner) = program.ast.pats[pat].kind {
        pat = inner;
    }
    pat
}

/// The variable that is all of a pattern.
fn named_by(program: &crate::ir::tables::Program, pat: PatId) -> Option<PatId> {
    match program.ast.pats[pat].kind {
        PatKind::Name(_) => Some(pat),
        PatKind::Paren(inner) | PatKind::Ascribe(inner, _) => named_by(program, inner),
        _ => None,
    }
}

enum Header {
    For(PatId, Typed),
    ForIn(PatId, Typed),
    While(ExprId),
}

/// The parts of a tuple pattern.
pub(super) fn tuple_pattern(program: &crate::ir::tables::Program, pat: PatId) -> Option<Vec<PatId>> {
    match &program.ast.pats[pat].kind {
        PatKind::Tuple(parts) => Some(parts.clone()),
        PatKind::Paren(p) => tuple_pattern(program, *p),
        _ => None,
    }
}

fn project(tuple: &Expr, i: usize, span: Span) -> Expr {
    match tuple.kind() {
        ExprKind::Tuple(parts) => parts[i].clone(),
        _ => Expr::new(ExprKind::Proj(i, tuple.clone()), span),
    }
}

/// Replaces sizes in the arrays of a type (in tuples, records and sums, not in functions), in order of occurrence.
fn map_dims(ty: &Type, by: &mut dyn FnMut(&Dim) -> Option<Dim>) -> Type {
    let items = ty.shape().items.iter().map(|i| match i {
        ShapeItem::Dim(d) => ShapeItem::Dim(by(d).unwrap_or_else(|| d.clone())),
        ShapeItem::Var(v) => ShapeItem::Var(*v),
    });
    let shape = Shape { items: items.collect() };
    let atom = match ty.atom() {
        Atom::Tuple(ts) => Atom::Tuple(ts.iter().map(|t| map_dims(t, by)).collect()),
        Atom::Record(fs) => Atom::Record(fs.iter().map(|(l, t)| (*l, map_dims(t, by))).collect()),
        Atom::Sum(ps) => Atom::Sum(ps.iter().map(|(l, t)| (*l, map_dims(t, by))).collect()),
        other => other.clone(),
    };
    Type::new(atom, shape)
}
