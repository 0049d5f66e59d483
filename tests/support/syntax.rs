//! Trees as s-expressions, diagnostics as lines.

use remora::base::SourceMap;
use remora::diag::Diagnostic;
use remora::front::syntax::print::Printer;
use remora::front::syntax::{self, precedence, validate::validate};
use remora::ir::surface::*;

/// A parsed text.
pub struct Parsed {
    pub ast: Ast,
    pub unit: SourceUnit,
    pub diagnostics: Vec<Diagnostic>,
    pub sources: SourceMap,
}

impl Parsed {
    /// Parses and validates.
    pub fn new(source: &str) -> Parsed {
        let mut sources = SourceMap::default();
        let file = sources.add("test", source);
        let mut ast = Ast::default();
        let (unit, diagnostics) = syntax::parse(&mut ast, file, source);
        if let Err(problem) = validate(&ast, &unit) {
            panic!("{problem}\n{}", &source[..source.len().min(2000)]);
        }
        Parsed { ast, unit, diagnostics, sources }
    }
    pub fn docs(&self) -> Vec<Option<&'static str>> {
        self.unit.decls.iter().filter_map(|d| if let Decl::Def(def) = d { Some(def.doc.map(|s| s.as_str())) } else { None }).collect()
    }
    pub fn print(&self) -> String {
        let printer = Printer::new(&self.ast);
        self.unit.decls.iter().map(|d| printer.decl(d) + "\n").collect()
    }
    /// Every definition as an s-expression without the parentheses that were written.
    pub fn dump_stripped(&self) -> String {
        let dump = Dump { ast: &self.ast, strip: true };
        self.unit.decls.iter().map(|d| dump.decl(d) + "\n").collect()
    }
}

pub fn parse_ok(source: &str) -> Parsed {
    let parsed = Parsed::new(source);
    assert_eq!(parsed.diagnostics, [], "{source}");
    parsed
}

/// The tree of an expression.
pub fn tree(source: &str) -> String {
    let parsed = parse_ok(&format!("def it = {source}"));
    let Some(Decl::Def(def)) = parsed.unit.decls.first() else { panic!("no definition") };
    assert_eq!(parsed.unit.decls.len(), 1);
    Dump { ast: &parsed.ast, strip: false }.expr(def.body)
}

pub fn dump_decls(parsed: &Parsed) -> String {
    parsed.print().trim_end().to_string()
}

/// The diagnostics, a line each.
pub fn errors(source: &str) -> String {
    let parsed = Parsed::new(source);
    let lines: Vec<String> = parsed
        .diagnostics
        .iter()
        .map(|d| {
            let (line, column) = parsed.sources.line_column(d.labels[0].span);
            format!("{} {line}:{column} {}", d.code, d.message)
        })
        .collect();
    lines.join("\n")
}

pub struct Dump<'a> {
    pub ast: &'a Ast,
    pub strip: bool,
}

impl Dump<'_> {
    fn decl(&self, decl: &Decl) -> String {
        match decl {
            Decl::Def(def) => format!("{}{}", Printer::new(self.ast).def_header(def), self.expr(def.body)),
            other => Printer::new(self.ast).decl(other),
        }
    }
    fn join(&self, items: &[ExprId], sep: &str) -> String {
        items.iter().map(|e| self.expr(*e)).collect::<Vec<_>>().join(sep)
    }
    fn pat(&self, pat: PatId) -> String {
        Printer::new(self.ast).pat(pat, false)
    }
    fn pats(&self, pats: &[PatId]) -> String {
        pats.iter().map(|p| Printer::new(self.ast).pat(*p, true)).collect::<Vec<_>>().join(" ")
    }
    fn ty(&self, ty: TypeId) -> String {
        Printer::new(self.ast).ty(ty)
    }
    fn op(&self, op: &Operator) -> String {
        match op.backtick {
            Some(f) => format!("`{}`", self.expr(f)),
            None => op.ident.name.to_string(),
        }
    }
    fn indices(&self, indices: &[IndexArg], sep: &str) -> String {
        let part = |e: &Option<ExprId>| e.map_or(String::new(), |e| self.expr(e));
        let one = |index: &IndexArg| match index {
            IndexArg::Index(e) => self.expr(*e),
            IndexArg::Slice { start, end, step, .. } => {
                let step = step.map_or(String::new(), |s| format!(":{}", self.expr(s)));
                format!("{}:{}{step}", part(start), part(end))
            }
        };
        indices.iter().map(one).collect::<Vec<_>>().join(sep)
    }
    fn path(&self, path: &[Access]) -> String {
        let access = |access: &Access| match access {
            Access::Field(field) => format!(".{}", field.name),
            Access::Index(indices) => format!("[{}]", self.indices(indices, ", ")),
        };
        path.iter().map(access).collect::<String>().trim_start_matches('.').to_string()
    }
    fn params(&self, tparams: &[TypeParam], params: &[PatId], ret: Option<TypeId>) -> String {
        let mut out = String::new();
        for p in tparams {
            match p {
                TypeParam::Size(n) => out += &format!(" [{}]", self.pat(*n)),
                TypeParam::Type(a) => out += &format!(" '{}", a.name),
            }
        }
        if !params.is_empty() {
            out += &format!(" {}", self.pats(params));
        }
        out + &ret.map_or(String::new(), |t| format!(" : {}", self.ty(t)))
    }
    pub fn expr(&self, expr: ExprId) -> String {
        let e = |id: &ExprId| self.expr(*id);
        match &self.ast.exprs[expr].kind {
            ExprKind::Error => "ERROR".into(),
            ExprKind::Hole => "???".into(),
            ExprKind::Paren(inner) if self.strip => e(inner),
            ExprKind::Paren(inner) => format!("(paren {})", e(inner)),
            ExprKind::Int { .. }
            | ExprKind::Float { .. }
            | ExprKind::Imaginary { .. }
            | ExprKind::Bool(_)
            | ExprKind::Str(_)
            | ExprKind::Name(_) => Printer::new(self.ast).expr(expr, precedence::ATOM),
            ExprKind::OpFn(op) => format!("(op {})", op.name),
            ExprKind::Tuple(items) => format!("({})", self.join(items, ", ")),
            ExprKind::Array(items) => format!("[{}]", self.join(items, ", ")),
            ExprKind::Record(fields) => {
                format!("{{{}}}", fields.iter().map(|(f, v)| format!("{} = {}", f.name, e(v))).collect::<Vec<_>>().join(", "))
            }
            ExprKind::Constr { name, args } if args.is_empty() => format!("#{}", name.name),
            ExprKind::Constr { name, args } => format!("(#{} {})", name.name, self.join(args, " ")),
            ExprKind::Project { expr, field } => format!("(. {} {})", e(expr), field.name),
            ExprKind::Index { array, indices } => format!("(index {} {})", e(array), self.indices(indices, " ")),
            ExprKind::Range { start, step, kind, end } => {
                let kind = match kind {
                    RangeKind::UpTo => "..<",
                    RangeKind::DownTo => "..>",
                    RangeKind::Through => "...",
                };
                let step = step.map_or(String::new(), |s| format!("{} ", self.expr(s)));
                format!("({kind} {} {step}{})", e(start), e(end))
            }
            ExprKind::Apply { fun, args } => format!("({} {})", e(fun), self.join(args, " ")),
            ExprKind::Binary { op, lhs, rhs } => format!("({} {} {})", self.op(op), e(lhs), e(rhs)),
            ExprKind::Unary { op: UnaryOp::Neg, expr, .. } => format!("(neg {})", e(expr)),
            ExprKind::Unary { op: UnaryOp::Not, expr, .. } => format!("(not {})", e(expr)),
            ExprKind::Lambda { params, ret, body } => format!("(\\{} {})", self.params(&[], params, *ret), e(body)),
            ExprKind::LeftSection { lhs, op } => format!("(left {} {})", e(lhs), self.op(op)),
            ExprKind::RightSection { op, rhs } => format!("(right {} {})", self.op(op), e(rhs)),
            ExprKind::ProjectSection(path) => format!("(section {})", path.iter().map(|f| format!(".{}", f.name)).collect::<String>()),
            ExprKind::IndexSection(indices) => format!("(section [{}])", self.indices(indices, ", ")),
            ExprKind::Let { sizes, pat, rhs, body } => {
                let sizes: String = sizes.iter().map(|s| format!("[{}] ", self.pat(*s))).collect();
                format!("(let {sizes}{} {} {})", self.pat(*pat), e(rhs), e(body))
            }
            ExprKind::LetFun(fun) => {
                let params = self.params(&fun.tparams, &fun.params, fun.ret);
                format!("(fun {}{params} = {} in {})", self.pat(fun.binder), e(&fun.rhs), e(&fun.body))
            }
            ExprKind::LetUpdate { base, path, value, body, .. } => {
                format!("(update {} {} {} {})", e(base), self.path(path), e(value), e(body))
            }
            ExprKind::If { cond, then, els } => format!("(if {} {} {})", e(cond), e(then), e(els)),
            ExprKind::Match { scrutinee, cases } => {
                let cases: String = cases.iter().map(|(p, b)| format!(" ({} {})", self.pat(*p), e(b))).collect();
                format!("(match {}{cases})", e(scrutinee))
            }
            ExprKind::Loop { sizes, pat, init, form, body } => {
                let sizes: String = sizes.iter().map(|s| format!("[{}] ", self.pat(*s))).collect();
                let form = match form {
                    LoopForm::For { var, bound } => format!("for {} < {}", self.pat(*var), e(bound)),
                    LoopForm::ForIn { pat, array } => format!("for {} in {}", self.pat(*pat), e(array)),
                    LoopForm::While(cond) => format!("while {}", e(cond)),
                };
                format!("(loop {sizes}{} = {} {form} do {})", self.pat(*pat), e(init), e(body))
            }
            ExprKind::With { base, path, value } => format!("(with {} {} {})", e(base), self.path(path), e(value)),
            ExprKind::Ascribe { expr, ty } => format!("(: {} {})", e(expr), self.ty(*ty)),
            ExprKind::Coerce { expr, ty } => format!("(:> {} {})", e(expr), self.ty(*ty)),
            ExprKind::Assert { cond, expr } => format!("(assert {} {})", e(cond), e(expr)),
            ExprKind::Attr { attr, expr } => format!("(#[{}] {})", attr.name, e(expr)),
            ExprKind::Open { module, expr } => {
                let path: Vec<&str> = module.iter().map(|part| part.name.as_str()).collect();
                format!("(open {} {})", path.join("."), e(expr))
            }
        }
    }
}
