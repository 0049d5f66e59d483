//! Surface programs for the properties of AUTOMAP: small groups of definitions whose last one is an entry point with
//! arguments. `make` makes them, `shrink` makes failing ones smaller.

pub mod helpers;
pub mod make;
pub mod shrink;

use std::fmt::Write;

/// A small deterministic generator of pseudo-random numbers (xorshift64*).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Any seed will do.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n.max(1)
    }

    /// True in so many cases of a hundred.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of some values.
    pub fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }

    /// An order of `n` things.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        (1..n).rev().for_each(|at| order.swap(at, self.below(at + 1)));
        order
    }
}

/// A parameter of a function: its name and its type, if that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    pub name: String,
    pub ty: Option<String>,
}

/// What an expression is; its parts are beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    Int(i64),
    Bool(bool),
    Name(String),
    /// The function, then its arguments.
    Apply,
    /// Two operands.
    Binary(String),
    Neg,
    Not,
    /// The body.
    Lambda(Vec<Param>),
    /// `(+)`.
    Operator(String),
    /// `(e +)`.
    LeftSection(String),
    /// `(+ e)`.
    RightSection(String),
    /// The value, then the body.
    Let(Param),
    /// The body of the function, then the body.
    LetFun(String, Vec<Param>),
    If,
    /// The first value, then the next one; so many times.
    Loop(String, usize),
    Tuple,
    /// Values of these labels.
    Record(Vec<String>),
    Field(String),
    Array,
    /// The array, then the indices.
    Index,
    /// The array, the index and the new value.
    With,
    /// The argument, then the function.
    Pipe,
    Ascribe(String),
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    pub form: Form,
    pub parts: Vec<Expr>,
}

impl Expr {
    pub fn new(form: Form, parts: Vec<Expr>) -> Expr {
        Expr { form, parts }
    }
    pub fn name(name: impl Into<String>) -> Expr {
        Expr::new(Form::Name(name.into()), Vec::new())
    }
    pub fn int(value: i64) -> Expr {
        Expr::new(Form::Int(value), Vec::new())
    }
    pub fn apply(function: Expr, args: Vec<Expr>) -> Expr {
        Expr::new(Form::Apply, std::iter::once(function).chain(args).collect())
    }
    pub fn call(function: &str, args: Vec<Expr>) -> Expr {
        Expr::apply(Expr::name(function), args)
    }
    pub fn binary(op: &str, a: Expr, b: Expr) -> Expr {
        Expr::new(Form::Binary(op.into()), vec![a, b])
    }
    pub fn lambda(params: &[&str], body: Expr) -> Expr {
        let params = params.iter().map(|name| Param { name: (*name).into(), ty: None }).collect();
        Expr::new(Form::Lambda(params), vec![body])
    }

    /// Number of nodes.
    pub fn size(&self) -> usize {
        1 + self.parts.iter().map(Expr::size).sum::<usize>()
    }

    /// The node with a number: numbers are in order of first visit, the root's is 0.
    pub fn node(&self, number: usize) -> Option<&Expr> {
        let Some(mut rest) = number.checked_sub(1) else { return Some(self) };
        for part in &self.parts {
            let size = part.size();
            if rest < size {
                return part.node(rest);
            }
            rest -= size;
        }
        None
    }

    /// The same expression with another node in place of the one with a number.
    pub fn replaced(&self, number: usize, by: &Expr) -> Expr {
        let Some(mut rest) = number.checked_sub(1) else { return by.clone() };
        let mut copy = self.clone();
        for part in &mut copy.parts {
            let size = part.size();
            if rest < size {
                *part = part.replaced(rest, by);
                break;
            }
            rest = rest.wrapping_sub(size);
        }
        copy
    }
}

/// A definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Without the suffix that tells definitions of different programs apart.
    pub name: String,
    /// Between the name and the parameters: `'a [n]`.
    pub binders: String,
    pub params: Vec<Param>,
    pub result: Option<String>,
    pub body: Expr,
}

/// An argument of the entry point: dimensions and elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    pub dims: Vec<usize>,
    pub items: Vec<i32>,
    /// Whether the elements are truth values.
    pub bools: bool,
}

/// Helpers and, last, the entry point with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    pub defs: Vec<Definition>,
    pub args: Vec<Argument>,
}

/// A printed program, and where each node of the entry point's body is in it.
#[derive(Clone, Debug, Default)]
pub struct Printed {
    pub text: String,
    /// By number of node: begin and end, without parentheses around it.
    pub places: Vec<(usize, usize)>,
}

impl Case {
    /// The entry point.
    pub fn entry(&self) -> &Definition {
        self.defs.last().expect("a case has an entry point")
    }

    /// The same program with another body of the entry point.
    pub fn with_body(&self, body: Expr) -> Case {
        let mut copy = self.clone();
        copy.defs.last_mut().expect("a case has an entry point").body = body;
        copy
    }

    /// The text, every name of a definition with the suffix. Places count from the beginning of the text.
    pub fn print(&self, suffix: &str) -> Printed {
        let names: Vec<&str> = self.defs.iter().map(|def| def.name.as_str()).collect();
        let mut printer = Printer { out: Printed::default(), names: &names, suffix };
        for (at, def) in self.defs.iter().enumerate() {
            printer.out.places.clear();
            printer.definition(def, if at + 1 == self.defs.len() { "entry" } else { "def" });
        }
        printer.out
    }
}

struct Printer<'a> {
    out: Printed,
    names: &'a [&'a str],
    suffix: &'a str,
}

impl Printer<'_> {
    fn push(&mut self, text: &str) {
        self.out.text.push_str(text);
    }

    fn definition(&mut self, def: &Definition, keyword: &str) {
        write!(self.out.text, "{keyword} {}{}", def.name, self.suffix).expect("strings take everything");
        if !def.binders.is_empty() {
            self.push(" ");
            self.push(&def.binders);
        }
        self.params(&def.params);
        if let Some(ty) = &def.result {
            write!(self.out.text, " : {ty}").expect("strings take everything");
        }
        self.push(" =\n  ");
        self.expr(&def.body);
        self.push("\n");
    }

    fn params(&mut self, params: &[Param]) {
        for Param { name, ty } in params {
            match ty {
                Some(ty) => write!(self.out.text, " ({name}: {ty})").expect("strings take everything"),
                None => write!(self.out.text, " {name}").expect("strings take everything"),
            }
        }
    }

    /// An operand: in parentheses unless it is a single token or has brackets of its own.
    fn atom(&mut self, expr: &Expr) {
        let plain = match &expr.form {
            Form::Int(value) => *value >= 0,
            Form::Bool(_) | Form::Name(_) | Form::Array | Form::Record(_) => true,
            _ => false,
        };
        let own = matches!(expr.form, Form::Tuple | Form::Operator(_) | Form::LeftSection(_) | Form::RightSection(_));
        if plain || own {
            self.expr(expr);
        } else {
            self.push("(");
            self.expr(expr);
            self.push(")");
        }
    }

    fn list(&mut self, items: &[Expr]) {
        for (at, item) in items.iter().enumerate() {
            self.push(if at > 0 { ", " } else { "" });
            self.expr(item);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        let number = self.out.places.len();
        self.out.places.push((self.out.text.len(), 0));
        self.form(expr);
        self.out.places[number].1 = self.out.text.len();
    }

    fn form(&mut self, expr: &Expr) {
        let parts = &expr.parts;
        match &expr.form {
            Form::Int(value) => self.push(&value.to_string()),
            Form::Bool(value) => self.push(&value.to_string()),
            Form::Name(name) => {
                self.push(name);
                if self.names.contains(&name.as_str()) {
                    self.push(self.suffix);
                }
            }
            Form::Apply => {
                for (at, part) in parts.iter().enumerate() {
                    self.push(if at > 0 { " " } else { "" });
                    self.atom(part);
                }
            }
            Form::Binary(op) => self.between(&parts[0], &format!(" {op} "), &parts[1]),
            Form::Pipe => self.between(&parts[0], " |> ", &parts[1]),
            Form::Neg => {
                self.push("-");
                self.atom(&parts[0]);
            }
            Form::Not => {
                self.push("!");
                self.atom(&parts[0]);
            }
            Form::Lambda(params) => {
                self.push("\\");
                let start = self.out.text.len();
                self.params(params);
                // No blank after the backslash.
                self.out.text.remove(start);
                self.push(" -> ");
                self.expr(&parts[0]);
            }
            Form::Operator(op) => self.push(&format!("({op})")),
            Form::LeftSection(op) => {
                self.push("(");
                self.atom(&parts[0]);
                self.push(&format!(" {op})"));
            }
            Form::RightSection(op) => {
                self.push(&format!("({op} "));
                self.atom(&parts[0]);
                self.push(")");
            }
            _ => self.statement(expr),
        }
    }

    fn between(&mut self, a: &Expr, text: &str, b: &Expr) {
        self.atom(a);
        self.push(text);
        self.atom(b);
    }

    /// Forms with keywords and brackets.
    fn statement(&mut self, expr: &Expr) {
        let parts = &expr.parts;
        match &expr.form {
            Form::Let(param) => {
                self.push("let");
                self.params(std::slice::from_ref(param));
                self.push(" = ");
                self.expr(&parts[0]);
                self.push(" in ");
                self.expr(&parts[1]);
            }
            Form::LetFun(name, params) => {
                self.push(&format!("let {name}"));
                self.params(params);
                self.push(" = ");
                self.expr(&parts[0]);
                self.push(" in ");
                self.expr(&parts[1]);
            }
            Form::If => {
                self.push("if ");
                self.expr(&parts[0]);
                self.push(" then ");
                self.expr(&parts[1]);
                self.push(" else ");
                self.expr(&parts[2]);
            }
            Form::Loop(name, count) => {
                self.push(&format!("loop {name} = "));
                self.atom(&parts[0]);
                self.push(&format!(" for _i < {count} do "));
                self.expr(&parts[1]);
            }
            Form::Tuple => {
                self.push("(");
                self.list(parts);
                self.push(")");
            }
            Form::Record(labels) => {
                self.push("{");
                for (at, (label, part)) in labels.iter().zip(parts).enumerate() {
                    self.push(&format!("{}{label} = ", if at > 0 { ", " } else { "" }));
                    self.expr(part);
                }
                self.push("}");
            }
            Form::Field(name) => {
                self.atom(&parts[0]);
                self.push(&format!(".{name}"));
            }
            Form::Array => {
                self.push("[");
                self.list(parts);
                self.push("]");
            }
            Form::With => {
                self.atom(&parts[0]);
                self.push(" with [");
                self.expr(&parts[1]);
                self.push("] = ");
                self.atom(&parts[2]);
            }
            Form::Index => {
                self.atom(&parts[0]);
                self.push("[");
                self.list(&parts[1..]);
                self.push("]");
            }
            Form::Ascribe(ty) => {
                self.atom(&parts[0]);
                self.push(&format!(" : {ty}"));
            }
            _ => unreachable!("printed as an operand"),
        }
    }
}
