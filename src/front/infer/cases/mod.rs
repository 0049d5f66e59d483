//! Which values the patterns of a definition match: cases that are missing and cases that are never reached.
//!
//! The algorithm is that of Maranget, Warnings for pattern matching (JFP 17, 2007): a row of patterns is *useful* after others if it
//! matches values that none of them matches (section 3), and a row that is missing is built on the way (section 5). Patterns
//! of tuples and records have one constructor, literals of numbers have infinitely many.

mod error;
mod report;

pub use error::CaseError;

use crate::base::{Span, Symbol};
use crate::ir::surface::children::{Node, children_of};
use crate::ir::surface::{Ast, ExprId, ExprKind, LoopForm, PatId, PatKind, UnaryOp, view};
use crate::ir::tables::{DefId, DefKind, Program, RBase, RType, Tables};
use error::{CaseErrorKind, Maker, PatternPlace, Shape};
use rustc_hash::FxHashSet;

/// Comparisons of patterns in one definition before the search is given up.
const BUDGET: usize = 1 << 20;
/// Missing cases that a message shows.
const SHOWN: usize = 3;

/// The search was given up.
#[derive(Debug)]
struct TooMuch;

type Outcome<T> = Result<T, TooMuch>;

/// Errors about values without a case, and warnings about cases that are never reached, for all patterns of a definition whose types
/// are known.
pub fn check_cases(program: &Program, tables: &Tables, def: DefId) -> Vec<CaseError> {
    let DefKind::Def(decl) = &program.defs[def].decl else { return Vec::new() };
    let mut search = Search { program, tables, steps: 0, errors: Vec::new() };
    decl.params.iter().for_each(|pat| search.irrefutable(*pat, PatternPlace::Parameter));
    let mut work = vec![Node::Expr(decl.body)];
    let mut children = Vec::new();
    while let Some(node) = work.pop() {
        if let Node::Expr(expr) = node {
            search.expr(expr);
        }
        children.clear();
        children_of(&program.ast, node, &mut children);
        work.extend(children.iter().rev());
    }
    search.errors
}

struct Search<'a> {
    program: &'a Program,
    tables: &'a Tables,
    steps: usize,
    errors: Vec<CaseError>,
}

impl Search<'_> {
    fn expr(&mut self, expr: ExprId) {
        let program = self.program;
        match &program.ast.exprs[expr].kind {
            ExprKind::Match { scrutinee, cases } => self.cases(expr, *scrutinee, cases),
            ExprKind::Let { pat, .. } => self.irrefutable(*pat, PatternPlace::Let),
            ExprKind::LetFun(fun) => fun.params.iter().for_each(|pat| self.irrefutable(*pat, PatternPlace::Parameter)),
            ExprKind::Lambda { params, .. } => params.iter().for_each(|pat| self.irrefutable(*pat, PatternPlace::Parameter)),
            ExprKind::Loop { pat, form, .. } => {
                self.irrefutable(*pat, PatternPlace::Loop);
                if let LoopForm::ForIn { pat, .. } = form {
                    self.irrefutable(*pat, PatternPlace::Loop);
                }
            }
            _ => {}
        }
    }

    fn error(&mut self, at: Span, kind: CaseErrorKind) {
        self.errors.push(CaseError { at, kind });
    }

    /// A pattern that has to match every value.
    fn irrefutable(&mut self, pat: PatId, place: PatternPlace) {
        let shape = shape(&self.program.ast, pat);
        let Some(ty) = self.tables.pats.get(pat).filter(|_| shape != Shape::Any) else { return };
        let at = self.program.ast.pats[pat].span;
        match self.missing_value(&[vec![shape]], ty) {
            Ok(None) => {}
            Ok(Some(missing)) => self.error(at, CaseErrorKind::Refutable { place, missing }),
            Err(TooMuch) => self.error(at, CaseErrorKind::TooMany),
        }
    }

    fn cases(&mut self, expr: ExprId, scrutinee: ExprId, cases: &[(PatId, ExprId)]) {
        let ast = &self.program.ast;
        let Some(ty) = self.tables.exprs.get(scrutinee).cloned() else { return };
        let types = [ty];
        let mut rows: Vec<Vec<Shape>> = Vec::with_capacity(cases.len());
        for (at, (pat, _)) in cases.iter().enumerate() {
            let row = vec![shape(ast, *pat)];
            match self.useful(&rows, &row, &types) {
                Ok(true) => {}
                Ok(false) => {
                    let covering = cases[..at].iter().zip(&rows).find(|(_, earlier)| covers(&earlier[0], &row[0]));
                    let covering = covering.map(|((earlier, _), _)| ast.pats[*earlier].span);
                    self.error(ast.pats[*pat].span, CaseErrorKind::Unreachable { covering });
                }
                Err(TooMuch) => return self.error(ast.exprs[expr].span, CaseErrorKind::TooMany),
            }
            rows.push(row);
        }
        let mut values = Vec::new();
        while values.len() <= SHOWN {
            match self.missing_value(&rows, &types[0]) {
                Ok(None) => break,
                Ok(Some(value)) => {
                    rows.push(vec![value.generalised()]);
                    values.push(value);
                }
                Err(TooMuch) => return self.error(ast.exprs[expr].span, CaseErrorKind::TooMany),
            }
        }
        if let (false, Some((last, _))) = (values.is_empty(), cases.last()) {
            let more = values.len() > SHOWN;
            values.truncate(SHOWN);
            self.error(ast.exprs[scrutinee].span, CaseErrorKind::Missing { values, more, last: ast.pats[*last].span });
        }
    }

    /// A comparison with rows, of which few match.
    fn step(&mut self, rows: usize) -> Outcome<()> {
        self.steps += 1 + rows / 256;
        if self.steps > BUDGET { Err(TooMuch) } else { Ok(()) }
    }

    /// Whether the row matches a value that no earlier row matches.
    fn useful(&mut self, rows: &[Vec<Shape>], row: &[Shape], types: &[RType]) -> Outcome<bool> {
        self.step(rows.len())?;
        let (Some((first, rest)), Some((ty, other))) = (row.split_first(), types.split_first()) else { return Ok(rows.is_empty()) };
        if let Shape::Made(maker, parts) = first {
            let types = [&part_types(maker, ty)[..], other].concat();
            let row = [&parts[..], rest].concat();
            let rows = self.specialised(rows, maker, parts.len())?;
            return self.useful(&rows, &row, &types);
        }
        if let Some(makers) = complete(rows, ty) {
            for maker in makers {
                let parts = part_types(&maker, ty);
                let row = [&vec![Shape::Any; parts.len()][..], rest].concat();
                let rows = self.specialised(rows, &maker, parts.len())?;
                if self.useful(&rows, &row, &[&parts[..], other].concat())? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        self.useful(&defaults(rows), rest, other)
    }

    /// A pattern for values that no row matches.
    fn missing_value(&mut self, rows: &[Vec<Shape>], ty: &RType) -> Outcome<Option<Shape>> {
        let row = self.missing(rows, std::slice::from_ref(ty))?;
        Ok(row.and_then(|row| row.into_iter().next()))
    }
    /// A row of patterns for values that no row matches.
    fn missing(&mut self, rows: &[Vec<Shape>], types: &[RType]) -> Outcome<Option<Vec<Shape>>> {
        self.step(rows.len())?;
        let Some((ty, other)) = types.split_first() else { return Ok(rows.is_empty().then(Vec::new)) };
        if let Some(makers) = complete(rows, ty) {
            for maker in makers {
                let parts = part_types(&maker, ty);
                let rows = self.specialised(rows, &maker, parts.len())?;
                if let Some(mut found) = self.missing(&rows, &[&parts[..], other].concat())? {
                    let rest = found.split_off(parts.len());
                    return Ok(Some(std::iter::once(Shape::Made(maker, found)).chain(rest).collect()));
                }
            }
            return Ok(None);
        }
        let Some(rest) = self.missing(&defaults(rows), other)? else { return Ok(None) };
        Ok(Some(std::iter::once(absent(rows, ty)).chain(rest).collect()))
    }

    /// The rows that match what this constructor makes, with its parts in the place of the first column.
    fn specialised(&mut self, rows: &[Vec<Shape>], maker: &Maker, parts: usize) -> Outcome<Vec<Vec<Shape>>> {
        self.step(rows.len())?;
        let mut out = Vec::new();
        for row in rows {
            let Some((first, rest)) = row.split_first() else { continue };
            match first {
                Shape::Any => out.push([&vec![Shape::Any; parts][..], rest].concat()),
                Shape::Made(own, inner) if own == maker => out.push([&inner[..], rest].concat()),
                Shape::Made(..) => {}
            }
        }
        Ok(out)
    }
}

/// The rows whose first pattern matches everything, without it.
fn defaults(rows: &[Vec<Shape>]) -> Vec<Vec<Shape>> {
    rows.iter().filter(|row| row.first() == Some(&Shape::Any)).map(|row| row[1..].to_vec()).collect()
}

/// All constructors of the type, if the first column has each of them.
fn complete(rows: &[Vec<Shape>], ty: &RType) -> Option<Vec<Maker>> {
    let all = makers(ty)?;
    let used = |maker: &Maker| rows.iter().any(|row| matches!(row.first(), Some(Shape::Made(own, _)) if own == maker));
    all.iter().all(used).then_some(all)
}

/// All constructors of a type, if they are finitely many.
fn makers(ty: &RType) -> Option<Vec<Maker>> {
    if ty.rank > 0 {
        return None;
    }
    match &*ty.base {
        RBase::Tuple(_) => Some(vec![Maker::Tuple(None)]),
        RBase::Record(fields) => Some(vec![Maker::Tuple(Some(fields.iter().map(|(label, _)| *label).collect()))]),
        RBase::Sum(constructors) => Some(constructors.iter().map(|(label, _)| Maker::Constr(*label)).collect()),
        RBase::Prim(crate::base::PrimType::Bool) => Some(vec![Maker::Bool(false), Maker::Bool(true)]),
        RBase::Prim(_) | RBase::Param(_) | RBase::Abstract { .. } | RBase::Arrow(..) => None,
    }
}

/// The types of the parts of what a constructor makes.
fn part_types(maker: &Maker, ty: &RType) -> Vec<RType> {
    match (maker, &*ty.base) {
        (Maker::Tuple(_), RBase::Tuple(parts)) => parts.clone(),
        (Maker::Tuple(_), RBase::Record(fields)) => fields.iter().map(|(_, part)| part.clone()).collect(),
        (Maker::Constr(name), RBase::Sum(constructors)) => {
            constructors.iter().find(|(label, _)| label == name).map(|(_, payload)| payload.clone()).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// A pattern for values that the first column does not match.
fn absent(rows: &[Vec<Shape>], ty: &RType) -> Shape {
    let used = |maker: &Maker| rows.iter().any(|row| matches!(row.first(), Some(Shape::Made(own, _)) if own == maker));
    let any = rows.iter().any(|row| matches!(row.first(), Some(Shape::Made(..))));
    if !any {
        return Shape::Any;
    }
    let number = matches!(&*ty.base, RBase::Prim(prim) if prim.is_int());
    let found = match makers(ty) {
        Some(all) => all.into_iter().find(|maker| !used(maker)),
        None if number => {
            let number = |row: &Vec<Shape>| if let Some(Shape::Made(Maker::Int(n), _)) = row.first() { Some(*n) } else { None };
            let numbers: FxHashSet<i128> = rows.iter().filter_map(number).collect();
            (0..).find(|n| !numbers.contains(n)).map(Maker::Other)
        }
        None => None,
    };
    match found {
        Some(maker) => {
            let parts = part_types(&maker, ty).len();
            Shape::Made(maker, vec![Shape::Any; parts])
        }
        None => Shape::Any,
    }
}

/// Whether the first pattern matches everything that the second does.
fn covers(general: &Shape, special: &Shape) -> bool {
    match (general, special) {
        (Shape::Any, _) => true,
        (Shape::Made(a, xs), Shape::Made(b, ys)) => a == b && xs.iter().zip(ys).all(|(x, y)| covers(x, y)),
        (Shape::Made(Maker::Tuple(_), parts), Shape::Any) => parts.iter().all(|part| covers(part, &Shape::Any)),
        (Shape::Made(..), Shape::Any) => false,
    }
}

/// The form of a pattern. What could not be read matches everything: it was reported.
fn shape(ast: &Ast, pat: PatId) -> Shape {
    match &ast.pats[pat].kind {
        PatKind::Error | PatKind::Name(_) | PatKind::Wild => Shape::Any,
        PatKind::Paren(inner) | PatKind::Ascribe(inner, _) => shape(ast, *inner),
        PatKind::Tuple(parts) => Shape::Made(Maker::Tuple(None), parts.iter().map(|part| shape(ast, *part)).collect()),
        PatKind::Record(fields) => {
            let mut fields: Vec<(Symbol, Shape)> = fields.iter().map(|(label, part)| (label.name, shape(ast, *part))).collect();
            fields.sort_by_key(|(label, _)| *label);
            let (labels, parts) = fields.into_iter().unzip();
            Shape::Made(Maker::Tuple(Some(labels)), parts)
        }
        PatKind::Lit(literal) => literal_shape(ast, *literal),
        PatKind::Constr(name, args) => Shape::Made(Maker::Constr(name.name), args.iter().map(|arg| shape(ast, *arg)).collect()),
    }
}

fn literal_shape(ast: &Ast, literal: ExprId) -> Shape {
    let maker = match &ast.exprs[view::strip(ast, literal)].kind {
        ExprKind::Int { value, .. } => Maker::Int(i128::from(*value)),
        ExprKind::Float { value, .. } => Maker::Float(value.to_bits()),
        ExprKind::Imaginary { value, .. } => Maker::Imaginary(value.to_bits()),
        ExprKind::Bool(truth) => Maker::Bool(*truth),
        ExprKind::Unary { op: UnaryOp::Neg, expr, .. } => match literal_shape(ast, *expr) {
            Shape::Made(Maker::Int(value), _) => Maker::Int(-value),
            Shape::Made(Maker::Float(bits), _) => Maker::Float((-f64::from_bits(bits)).to_bits()),
            Shape::Made(Maker::Imaginary(bits), _) => Maker::Imaginary((-f64::from_bits(bits)).to_bits()),
            other => return other,
        },
        _ => return Shape::Any,
    };
    Shape::Made(maker, Vec::new())
}
