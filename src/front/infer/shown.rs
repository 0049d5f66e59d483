//! Types as they are shown: what was known of them at one moment, in the notation of the user.

use super::context::Context;
use super::types::{Base, Class, Node, Ty};
use crate::base::{PrimType, Symbol};
use crate::ir::surface::TypeParam;
use crate::rank::LinExpr;
use std::fmt::{self, Display, Formatter, Write};

/// Types are cut after this many nodes.
const SHOWN_NODES: usize = 1000;

/// A type as it was known at one moment, with abbreviations where the user wrote them.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// Number of array dimensions.
    rank: usize,
    form: Form,
}

/// A type that is no array.
#[derive(Debug, Clone, PartialEq)]
enum Form {
    /// The type is cut here.
    Cut,
    /// Not known, or wrong in a way that was reported.
    Unknown,
    /// One of a class.
    Class(Class),
    Prim(PrimType),
    /// A type parameter, an abstract type or an abbreviation with arguments, of which sizes are `None`.
    Named(Symbol, Vec<Option<Shown>>),
    Arrow(Box<(Shown, Shown)>),
    Tuple(Vec<Shown>),
    /// A label is missing where the type is cut.
    Record(Vec<(Option<Symbol>, Shown)>),
    Sum(Vec<(Symbol, Vec<Shown>)>),
}

/// Takes types of inference down.
struct Reader<'c, 'a> {
    ctx: &'c mut Context<'a>,
    values: Option<&'c [u32]>,
    budget: usize,
    /// Whether abbreviations are written for the types that they stand for.
    names: bool,
}

impl Reader<'_, '_> {
    fn ty(&mut self, ty: &Ty) -> Shown {
        if self.budget == 0 {
            return Shown { rank: 0, form: Form::Cut };
        }
        self.budget -= 1;
        Shown { rank: self.rank(&ty.rank), form: self.base(ty.base) }
    }

    /// Ranks that are not known count as 0.
    fn rank(&self, rank: &LinExpr) -> usize {
        let rank = match self.values {
            Some(values) => rank.eval(values).unwrap_or(0),
            None => i128::from(self.ctx.ranks.reduce(rank).constant),
        };
        usize::try_from(rank).unwrap_or(0)
    }

    fn base(&mut self, base: Base) -> Form {
        let node = self.ctx.bases.node(base);
        let names = std::mem::replace(&mut self.names, true);
        if names
            && matches!(node, Node::Record(_) | Node::Sum(_))
            && let Some(named) = self.abbreviation(base)
        {
            return named;
        }
        match node {
            Node::Var(class) => Form::Class(class),
            Node::Prim(prim) => Form::Prim(prim),
            Node::Param(param) => Form::Named(self.ctx.program.tparams[param].name, Vec::new()),
            Node::Arrow(parts) => {
                let from = self.ty(&parts.0);
                Form::Arrow(Box::new((from, self.ty(&parts.1))))
            }
            Node::Tuple(parts) => Form::Tuple(self.list(&parts, Self::ty, |cut| cut)),
            Node::Record(fields) => {
                Form::Record(self.list(&fields, |reader, (label, part)| (Some(*label), reader.ty(part)), |cut| (None, cut)))
            }
            Node::Abstract(_, name, args) => Form::Named(name, args.iter().map(|arg| Some(self.ty(arg))).collect()),
            Node::Sum(constructors) => {
                let payload = |payload: &[Ty], reader: &mut Self| payload.iter().map(|part| reader.ty(part)).collect();
                Form::Sum(constructors.iter().map(|(label, parts)| (*label, payload(parts, self))).collect())
            }
            Node::Link(_) | Node::Error => Form::Unknown,
        }
    }

    /// The parts of a tuple or record, with a mark where it is cut.
    fn list<T, R>(&mut self, parts: &[T], read: impl Fn(&mut Self, &T) -> R, cut: impl Fn(Shown) -> R) -> Vec<R> {
        let mut out = Vec::new();
        for part in parts {
            if self.budget == 0 {
                out.push(cut(Shown { rank: 0, form: Form::Cut }));
                break;
            }
            out.push(read(self, part));
        }
        out
    }

    /// The abbreviation that the user wrote for a type, if there is one.
    fn abbreviation(&mut self, base: Base) -> Option<Form> {
        let root = self.ctx.bases.find(base);
        let at = (0..self.ctx.annotated.abbreviations.len()).find(|at| {
            let named = self.ctx.annotated.abbreviations[*at].0;
            self.ctx.bases.find(named) == root
        })?;
        let (_, def, types) = self.ctx.annotated.abbreviations[at].clone();
        let program = self.ctx.program;
        let decl = &program.types[def].decl;
        let mut types = types.iter();
        let mut args = Vec::new();
        for param in &decl.tparams {
            match param {
                TypeParam::Size(_) => args.push(None),
                TypeParam::Type(_) => args.extend(types.next().map(|ty| Some(self.ty(ty)))),
            }
        }
        Some(Form::Named(decl.name.name, args))
    }
}

impl Context<'_> {
    /// A type as it is known now, or with these values of rank variables.
    pub(super) fn show(&mut self, ty: &Ty, values: Option<&[u32]>) -> Shown {
        Reader { ctx: self, values, budget: SHOWN_NODES, names: true }.ty(ty)
    }
    /// `show` without the abbreviation that is written for the type itself.
    pub(super) fn show_expanded(&mut self, ty: &Ty) -> Shown {
        Reader { ctx: self, values: None, budget: SHOWN_NODES, names: false }.ty(ty)
    }
}

impl Display for Shown {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write(f, false)
    }
}

impl Shown {
    /// Writes it, in parentheses if something may be applied to it or it stands in an application.
    pub(super) fn write(&self, out: &mut impl Write, atomic: bool) -> fmt::Result {
        match self.rank {
            0..=16 => (0..self.rank).try_for_each(|_| out.write_str("[]"))?,
            rank => write!(out, "[]^{rank}")?,
        }
        let atomic = atomic || self.rank > 0;
        match &self.form {
            Form::Cut => out.write_str("..."),
            Form::Unknown => out.write_str("_"),
            Form::Class(class) => out.write_str(class.placeholder()),
            Form::Prim(prim) => out.write_str(prim.name()),
            Form::Named(name, args) => parenthesised(out, atomic && !args.is_empty(), |out| {
                out.write_str(name.as_str())?;
                args.iter().try_for_each(|arg| {
                    out.write_str(" ")?;
                    match arg {
                        Some(ty) => ty.write(out, true),
                        None => out.write_str("[]"),
                    }
                })
            }),
            Form::Arrow(parts) => parenthesised(out, atomic, |out| {
                parts.0.write(out, matches!(parts.0.form, Form::Arrow(_)))?;
                out.write_str(" -> ")?;
                parts.1.write(out, false)
            }),
            Form::Tuple(parts) => {
                out.write_str("(")?;
                separated(out, ", ", parts, |out, part| part.write(out, false))?;
                out.write_str(")")
            }
            Form::Record(fields) => {
                out.write_str("{")?;
                separated(out, ", ", fields, |out, (label, part)| {
                    label.map_or(Ok(()), |label| write!(out, "{label}: "))?;
                    part.write(out, false)
                })?;
                out.write_str("}")
            }
            Form::Sum(constructors) => parenthesised(out, atomic, |out| {
                separated(out, " | ", constructors, |out, (label, payload)| {
                    write!(out, "#{label}")?;
                    payload.iter().try_for_each(|part| {
                        out.write_str(" ")?;
                        part.write(out, true)
                    })
                })
            }),
        }
    }
}

fn parenthesised<W: Write>(out: &mut W, parens: bool, inner: impl FnOnce(&mut W) -> fmt::Result) -> fmt::Result {
    out.write_str(if parens { "(" } else { "" })?;
    inner(out)?;
    out.write_str(if parens { ")" } else { "" })
}

fn separated<W: Write, T>(out: &mut W, by: &str, parts: &[T], write: impl Fn(&mut W, &T) -> fmt::Result) -> fmt::Result {
    parts.iter().enumerate().try_for_each(|(index, part)| {
        out.write_str(if index > 0 { by } else { "" })?;
        write(out, part)
    })
}
