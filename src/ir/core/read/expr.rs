//! Reading of expressions.

use super::{ErrorKind, Reader, Wanted};
use crate::base::{Scalar, Span, Symbol};
use crate::ir::core::print::evident_type;
use crate::ir::core::sexp::{Sexp, SexpKind};
use crate::ir::core::{Atom, Expr, ExprKind, LoopForm, LoopParam, Type, is_shape};

impl Reader<'_> {
    /// An expression.
    pub(super) fn expr(&mut self, item: &Sexp) -> Option<Expr> {
        let kind = match &item.kind {
            SexpKind::Symbol(name) if is_shape(*name) => {
                return self.error(item.span, ErrorKind::ShapeAsExpression(*name));
            }
            SexpKind::Symbol(name) | SexpKind::Quoted(name) => ExprKind::Var(*name),
            SexpKind::Scalar(value) => ExprKind::Lit(*value),
            SexpKind::Text(_) => return self.error(item.span, ErrorKind::TextAsExpression),
            SexpKind::Bracket(cells) => self.vector(item.span, cells)?,
            SexpKind::Inst { base, types, indices } => {
                let fun = self.expr(base)?;
                let types = types.iter().map(|ty| self.atom(ty)).collect::<Option<_>>()?;
                ExprKind::Inst { fun, types, indices: indices.iter().map(|index| self.index(index)).collect::<Option<_>>()? }
            }
            SexpKind::Paren(parts) => match parts.split_first() {
                None => return self.wanted(item.span, Wanted::Expression),
                Some((head, operands)) => match head.keyword() {
                    Some(word) => self.form(item.span, word, head, operands)?,
                    None => self.application(head, operands)?,
                },
            },
        };
        Some(Expr::new(kind, item.span))
    }

    fn exprs(&mut self, items: &[Sexp]) -> Option<Vec<Expr>> {
        items.iter().map(|item| self.expr(item)).collect()
    }

    fn application(&mut self, head: &Sexp, operands: &[Sexp]) -> Option<ExprKind> {
        Some(ExprKind::App { fun: self.expr(head)?, args: self.exprs(operands)? })
    }

    /// `[e ..]`.
    fn vector(&mut self, span: Span, cells: &[Sexp]) -> Option<ExprKind> {
        let cells = self.exprs(cells)?;
        match cells.first().map(evident_type) {
            Some(Some(cell)) => Some(ExprKind::Frame { dims: vec![cells.len() as u64], cell, cells }),
            Some(None) => self.error(span, ErrorKind::UntypedCells),
            None => self.error(span, ErrorKind::EmptyVector),
        }
    }

    fn form(&mut self, span: Span, word: &'static str, head: &Sexp, operands: &[Sexp]) -> Option<ExprKind> {
        match (word, operands) {
            ("array", [dims, items @ ..]) => self.array(span, dims, items),
            ("frame", [dims, colon, cell, cells @ ..]) if colon.keyword() == Some(":") => {
                Some(ExprKind::Frame { dims: self.literal_dims(dims)?, cell: self.ty(cell)?, cells: self.exprs(cells)? })
            }
            ("t-app", [fun, types @ ..]) => {
                let fun = self.expr(fun)?;
                let types = types.iter().map(|ty| self.atom(ty)).collect::<Option<_>>()?;
                Some(ExprKind::Inst { fun, types, indices: Vec::new() })
            }
            ("i-app", [fun, indices @ ..]) => {
                let fun = self.expr(fun)?;
                let indices = indices.iter().map(|index| self.index(index)).collect::<Option<_>>()?;
                Some(ExprKind::Inst { fun, types: Vec::new(), indices })
            }
            ("fn" | "λ", [params, colon, ret, body]) if colon.keyword() == Some(":") => {
                let params = self.parens(params, "parameters ([x T] ..)")?;
                let params: Option<Vec<(Symbol, Type)>> = params.iter().map(|param| self.fn_param(param)).collect();
                Some(ExprKind::Fn { params: params?, ret: self.ty(ret)?, body: self.expr(body)? })
            }
            ("i-fn" | "Iλ", [names, body]) => Some(ExprKind::IFn { params: self.index_names(names)?, body: self.expr(body)? }),
            ("t-fn" | "Tλ", [names, body]) => Some(ExprKind::TFn { params: self.type_names(names)?, body: self.expr(body)? }),
            ("let", [binding, body]) => self.binding(binding, body),
            ("if", [cond, then, els]) => Some(ExprKind::If { cond: self.expr(cond)?, then: self.expr(then)?, els: self.expr(els)? }),
            ("loop", [params, form, body]) => {
                let params = self.parens(params, "loop parameters ([x T e] ..)")?;
                let params: Option<Vec<LoopParam>> = params.iter().map(|param| self.loop_param(param)).collect();
                Some(ExprKind::Loop { params: params?, form: self.loop_form(form)?, body: self.expr(body)? })
            }
            ("map", [frame, args, body]) => {
                let frame = self.brackets(frame, "a frame [i ..]")?;
                let frame = self.shape_items(frame)?;
                let args = self.parens(args, "arrays ([x e] ..)")?;
                let args: Option<Vec<(Symbol, Expr)>> = args.iter().map(|arg| self.map_arg(arg)).collect();
                Some(ExprKind::Map { frame, args: args?, body: self.expr(body)? })
            }
            ("rep", [frame, arg]) => {
                let frame = self.brackets(frame, "a frame [i ..]")?;
                Some(ExprKind::Rep { frame: self.shape_items(frame)?, arg: self.expr(arg)? })
            }
            _ => self.data_form(span, word, head, operands),
        }
    }

    fn data_form(&mut self, span: Span, word: &'static str, head: &Sexp, operands: &[Sexp]) -> Option<ExprKind> {
        match (word, operands) {
            ("tuple", parts) => Some(ExprKind::Tuple(self.exprs(parts)?)),
            ("proj", [at, tuple]) => match at.kind {
                SexpKind::Scalar(Scalar::I64(k)) if k >= 0 => Some(ExprKind::Proj(usize::try_from(k).ok()?, self.expr(tuple)?)),
                _ => self.wanted(at.span, Wanted::Component),
            },
            ("rec", fields) => Some(ExprKind::Record(fields.iter().map(|field| self.field(field)).collect::<Option<_>>()?)),
            ("field", [label, record]) => Some(ExprKind::Field(self.term_name(label)?, self.expr(record)?)),
            ("inject", [label, ty, payload]) => {
                Some(ExprKind::Inject { label: self.term_name(label)?, ty: self.ty(ty)?, payload: self.expr(payload)? })
            }
            ("is", [label, sum]) => Some(ExprKind::Is(self.term_name(label)?, self.expr(sum)?)),
            ("payload", [label, sum]) => Some(ExprKind::Payload(self.term_name(label)?, self.expr(sum)?)),
            ("box", [indices, ty, body]) => {
                let indices = self.parens(indices, "hidden indices ((n i) ..)")?;
                let mut pairs = Vec::with_capacity(indices.len());
                for pair in indices {
                    match self.parens(pair, "a hidden index (n i)")? {
                        [name, index] => pairs.push((self.variable(name)?, self.index(index)?)),
                        _ => return self.expected(pair.span, "a hidden index (n i)"),
                    }
                }
                Some(ExprKind::Box { indices: pairs, ty: self.ty(ty)?, body: self.expr(body)? })
            }
            ("unbox", [boxed, names, body]) => {
                let boxed = self.expr(boxed)?;
                let [value, indices @ ..] = self.parens(names, "names (x n ..)")? else {
                    return self.expected(names.span, "names (x n ..)");
                };
                let value = self.term_name(value)?;
                let indices = indices.iter().map(|name| self.variable(name)).collect::<Option<_>>()?;
                Some(ExprKind::Unbox { boxed, value, indices, body: self.expr(body)? })
            }
            ("reify-dimension", [dim]) => Some(ExprKind::ReifyDim(self.dim(dim)?)),
            ("reify-shape", [shape]) => Some(ExprKind::ReifyShape(self.shape(shape)?)),
            ("coerce", [ty, expr]) => Some(ExprKind::Coerce { ty: self.ty(ty)?, expr: self.expr(expr)? }),
            ("assert", [cond, message, expr]) => {
                let cond = self.expr(cond)?;
                let SexpKind::Text(text) = &message.kind else { return self.wanted(message.span, Wanted::Text) };
                Some(ExprKind::Assert { cond, message: Symbol::new(text), expr: self.expr(expr)? })
            }
            _ if form_syntax(word).is_some() => self.error(span, ErrorKind::Form(word)),
            _ => self.application(head, operands),
        }
    }

    fn array(&mut self, span: Span, dims: &Sexp, items: &[Sexp]) -> Option<ExprKind> {
        let dims = self.literal_dims(dims)?;
        if let [elem] = items
            && elem.name().is_some()
        {
            return match self.atom(elem)? {
                Atom::Prim(elem) => Some(ExprKind::Array { dims, elem, items: Vec::new() }),
                _ => self.error(span, ErrorKind::ArrayOfNoScalars),
            };
        }
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            match item.kind {
                SexpKind::Scalar(value) => values.push(value),
                _ => return self.error(item.span, ErrorKind::ArrayOfNoLiterals),
            }
        }
        match values.first() {
            Some(first) => Some(ExprKind::Array { dims, elem: first.prim(), items: values }),
            None => self.error(span, ErrorKind::EmptyArray),
        }
    }

    fn literal_dims(&mut self, item: &Sexp) -> Option<Vec<u64>> {
        let (SexpKind::Bracket(parts) | SexpKind::Paren(parts)) = &item.kind else {
            return self.expected(item.span, "the shape of the literal, [n ..]");
        };
        let mut dims = Vec::with_capacity(parts.len());
        for part in parts {
            match part.kind {
                SexpKind::Scalar(Scalar::I64(n)) if n >= 0 => dims.push(n.unsigned_abs()),
                _ => return self.error(part.span, ErrorKind::LiteralShape),
            }
        }
        Some(dims)
    }

    fn fn_param(&mut self, item: &Sexp) -> Option<(Symbol, Type)> {
        match &item.kind {
            SexpKind::Bracket(parts) | SexpKind::Paren(parts) => match parts.as_slice() {
                [name, ty] => Some((self.term_name(name)?, self.ty(ty)?)),
                _ => self.expected(item.span, "a parameter [x T]"),
            },
            _ => self.expected(item.span, "a parameter [x T]"),
        }
    }

    fn binding(&mut self, binding: &Sexp, body: &Sexp) -> Option<ExprKind> {
        let (name, ty, rhs) = match self.brackets(binding, "a binding [x e] or [x : T e]")? {
            [name, rhs] => (name, None, rhs),
            [name, colon, ty, rhs] if colon.keyword() == Some(":") => (name, Some(self.ty(ty)?), rhs),
            _ => return self.expected(binding.span, "a binding [x e] or [x : T e]"),
        };
        Some(ExprKind::Let { name: self.term_name(name)?, ty, rhs: self.expr(rhs)?, body: self.expr(body)? })
    }

    fn loop_param(&mut self, item: &Sexp) -> Option<LoopParam> {
        match self.brackets(item, "a loop parameter [x T e]")? {
            [name, ty, init] => Some(LoopParam { name: self.term_name(name)?, ty: self.ty(ty)?, init: self.expr(init)? }),
            _ => self.expected(item.span, "a loop parameter [x T e]"),
        }
    }

    fn loop_form(&mut self, item: &Sexp) -> Option<LoopForm> {
        const FORM: &str = "(for i n) or (while c)";
        match self.parens(item, FORM)? {
            [head, name, count] if head.keyword() == Some("for") => Some(LoopForm::For(self.term_name(name)?, self.expr(count)?)),
            [head, cond] if head.keyword() == Some("while") => Some(LoopForm::While(self.expr(cond)?)),
            _ => self.expected(item.span, FORM),
        }
    }

    fn map_arg(&mut self, item: &Sexp) -> Option<(Symbol, Expr)> {
        match self.brackets(item, "an array [x e]")? {
            [name, arg] => Some((self.term_name(name)?, self.expr(arg)?)),
            _ => self.expected(item.span, "an array [x e]"),
        }
    }

    fn field(&mut self, item: &Sexp) -> Option<(Symbol, Expr)> {
        match self.parens(item, "a field (label e)")? {
            [label, e] => Some((self.term_name(label)?, self.expr(e)?)),
            _ => self.expected(item.span, "a field (label e)"),
        }
    }
}

/// What the form with this head looks like; none if it is no keyword.
pub(super) fn form_syntax(word: &str) -> Option<&'static str> {
    Some(match word {
        "array" => "(array [n ..] a ..) or (array [n ..] t)",
        "frame" => "(frame [n ..] : T e ..)",
        "t-app" => "(t-app e t ..)",
        "i-app" => "(i-app e i ..)",
        "fn" | "λ" => "(fn ([x T] ..) : T e)",
        "i-fn" | "Iλ" => "(i-fn (n ..) e)",
        "t-fn" | "Tλ" => "(t-fn (t ..) e)",
        "let" => "(let [x e] e) or (let [x : T e] e)",
        "if" => "(if e e e)",
        "loop" => "(loop ([x T e] ..) (for i n) e) or (loop ([x T e] ..) (while c) e)",
        "map" => "(map [i ..] ([x e] ..) e)",
        "rep" => "(rep [i ..] e)",
        "proj" => "(proj k e)",
        "field" => "(field label e)",
        "inject" => "(inject label T e)",
        "is" => "(is label e)",
        "payload" => "(payload label e)",
        "box" => "(box ((n i) ..) T e)",
        "unbox" => "(unbox e (x n ..) e)",
        "reify-dimension" => "(reify-dimension d)",
        "reify-shape" => "(reify-shape s)",
        "coerce" => "(coerce T e)",
        "assert" => "(assert e \"text\" e)",
        "define" | "entry" | "define-rec" | "entry-rec" => "an expression; definitions stand at the top level",
        _ => return None,
    })
}
