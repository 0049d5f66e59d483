//! Making expressions of an intended type.
//!
//! Every expression is made for a shape that it should have once maps and reps are inserted: operands of lower rank have a
//! suffix of the shape, as AUTOMAP's reps are outermost, and functions on cells are given arrays of cells. Now and then an
//! operand of an unrelated shape is made, which makes programs that are refused or ambiguous.

use super::helpers::Sig;
use super::{Expr, Form, Param, Random};

/// What is in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// `i32`.
    Int,
    /// `bool`.
    Bool,
    /// `(i32, i32)`.
    Pair,
}

/// A type: dimensions, as indices into [`Maker::dims`], and what is inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ty {
    pub shape: Vec<usize>,
    pub base: Base,
}

impl Ty {
    pub fn new(shape: &[usize], base: Base) -> Ty {
        Ty { shape: shape.to_vec(), base }
    }
    pub fn int(shape: &[usize]) -> Ty {
        Ty::new(shape, Base::Int)
    }
    pub fn bool(shape: &[usize]) -> Ty {
        Ty::new(shape, Base::Bool)
    }
}

/// Makes expressions.
pub struct Maker<'a> {
    pub random: &'a mut Random,
    /// How sizes are written.
    pub dims: Vec<String>,
    /// Variables in scope.
    pub vars: Vec<(String, Ty)>,
    /// Functions that can be called.
    pub helpers: &'a [Sig],
    /// How many of a hundred operands are of unrelated shape.
    pub noise: usize,
    /// How many of a hundred variables are of any shape at all: their types are not written.
    pub any: usize,
    pub fresh: usize,
}

/// What is needed to make a local function and to apply it.
struct Cells {
    params: Vec<Param>,
    vars: Vec<(String, Ty)>,
    args: Vec<Expr>,
    cell: Ty,
}

/// A way to make an expression of a type, with some depth left.
type Way<'a> = fn(&mut Maker<'a>, &Ty, usize) -> Option<Expr>;

impl<'a> Maker<'a> {
    /// A new name of a local variable.
    pub fn name(&mut self, stem: &str) -> String {
        self.fresh += 1;
        format!("{stem}{}", self.fresh)
    }

    /// A shape of so many dimensions.
    pub fn shape(&mut self, rank: usize) -> Vec<usize> {
        (0..rank).map(|_| self.random.below(self.dims.len())).collect()
    }

    /// A type as text.
    pub fn text(&self, ty: &Ty) -> String {
        let dims: String = ty.shape.iter().map(|&dim| format!("[{}]", self.dims[dim])).collect();
        let base = match ty.base {
            Base::Int => "i32",
            Base::Bool => "bool",
            Base::Pair => "(i32, i32)",
        };
        format!("{dims}{base}")
    }

    /// An operand of an intended shape; sometimes of another one.
    pub fn operand(&mut self, ty: &Ty, depth: usize) -> Expr {
        if !self.random.percent(self.noise) {
            return self.expr(ty, depth);
        }
        let rank = self.random.below(4);
        let other = Ty { shape: self.shape(rank), base: ty.base };
        self.expr(&other, depth)
    }

    /// An expression of an intended type.
    pub fn expr(&mut self, ty: &Ty, depth: usize) -> Expr {
        if depth == 0 {
            return self.leaf(ty);
        }
        let common: [Way; 14] = [
            Maker::let_value,
            Maker::let_function,
            Maker::lambda_applied,
            Maker::conditional,
            Maker::looped,
            Maker::projected,
            Maker::indexed,
            Maker::updated,
            Maker::explicit_map,
            Maker::called,
            Maker::called,
            Maker::polymorphic,
            Maker::rearranged,
            Maker::literal,
        ];
        let own: &[Way] = match ty.base {
            Base::Int => &[
                Maker::arithmetic,
                Maker::arithmetic,
                Maker::arithmetic,
                Maker::arithmetic,
                Maker::negated,
                Maker::reduced,
                Maker::reduced,
                Maker::piped,
                Maker::section,
                Maker::partial,
                Maker::scanned,
                Maker::counted,
                Maker::higher_order,
            ],
            Base::Bool => &[Maker::compared, Maker::compared, Maker::quantified, Maker::inverted],
            Base::Pair => &[Maker::zipped, Maker::zipped],
        };
        for _ in 0..8 {
            let at = self.random.below(own.len() + common.len());
            let way = if at < own.len() { own[at] } else { common[at - own.len()] };
            if let Some(made) = way(self, ty, depth - 1) {
                return made;
            }
        }
        self.leaf(ty)
    }

    /// A variable, a literal, or the shortest expression of the type.
    pub fn leaf(&mut self, ty: &Ty) -> Expr {
        if self.any > 0 && ty.base == Base::Int && self.random.percent(self.any) {
            let all: Vec<String> = self.vars.iter().filter(|(_, have)| have.base == Base::Int).map(|(name, _)| name.clone()).collect();
            if !all.is_empty() {
                return Expr::name(self.random.pick(&all));
            }
        }
        let fitting: Vec<String> = self.vars.iter().filter(|(_, have)| have == ty).map(|(name, _)| name.clone()).collect();
        if !fitting.is_empty() && self.random.percent(85) {
            return Expr::name(self.random.pick(&fitting));
        }
        match (ty.shape.split_first(), ty.base) {
            (None, Base::Int) => Expr::int(self.random.below(7) as i64 + 1),
            (None, Base::Bool) => Expr::new(Form::Bool(self.random.percent(50)), Vec::new()),
            (None, Base::Pair) => {
                let parts = vec![self.leaf(&Ty::int(&[])), self.leaf(&Ty::int(&[]))];
                Expr::new(Form::Tuple, parts)
            }
            (Some((&dim, rest)), base) => {
                let inner = self.leaf(&Ty::new(rest, base));
                Expr::call("replicate", vec![Expr::name(self.dims[dim].clone()), inner])
            }
        }
    }

    /// The shape, or one that it is a replication of.
    fn suffix(&mut self, shape: &[usize]) -> Vec<usize> {
        let drop = self.random.below(shape.len() + 1);
        shape[drop..].to_vec()
    }

    /// Two operands, one of the shape and one of a suffix of it.
    fn operands(&mut self, shape: &[usize], base: Base, depth: usize) -> (Expr, Expr) {
        let low = if self.random.percent(40) { shape.to_vec() } else { self.suffix(shape) };
        let (high, low) = (Ty::new(shape, base), Ty::new(&low, base));
        let (a, b) = if self.random.percent(50) { (&high, &low) } else { (&low, &high) };
        let first = self.operand(a, depth);
        (first, self.operand(b, depth))
    }

    fn arithmetic(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let (a, b) = self.operands(&ty.shape, Base::Int, depth);
        Some(match self.random.below(8) {
            0 => Expr::call(self.random.pick(&["i32.max", "i32.min"]), vec![a, b]),
            1 => {
                let op = self.random.pick(&["+", "-", "*"]);
                Expr::apply(Expr::new(Form::Operator(op.into()), Vec::new()), vec![a, b])
            }
            _ => Expr::binary(self.random.pick(&["+", "-", "*"]), a, b),
        })
    }

    fn negated(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let inner = self.operand(ty, depth);
        Some(if self.random.percent(50) { Expr::new(Form::Neg, vec![inner]) } else { Expr::call("i32.abs", vec![inner]) })
    }

    /// The type with a further innermost dimension.
    fn longer(&mut self, ty: &Ty) -> Ty {
        let dim = self.random.below(self.dims.len());
        Ty::new(&[&ty.shape[..], &[dim]].concat(), ty.base)
    }

    fn reduced(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let longer = self.longer(ty);
        let inner = self.operand(&longer, depth);
        let plus = || Expr::new(Form::Operator("+".into()), Vec::new());
        Some(match self.random.below(7) {
            0 => Expr::call("reduce", vec![plus(), Expr::int(0), inner]),
            1 => Expr::call("i32.maximum", vec![inner]),
            2 => {
                let body = Expr::binary("+", Expr::name("p"), Expr::name("q"));
                Expr::call("reduce", vec![Expr::lambda(&["p", "q"], body), Expr::int(0), inner])
            }
            3 if ty.shape.is_empty() => {
                let body = Expr::binary("+", Expr::name("p"), Expr::name("q"));
                Expr::call("foldl", vec![Expr::lambda(&["p", "q"], body), Expr::int(0), inner])
            }
            _ => Expr::call("i32.sum", vec![inner]),
        })
    }

    fn scanned(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        ty.shape.first()?;
        let inner = self.operand(ty, depth);
        Some(Expr::call("scan", vec![Expr::new(Form::Operator("+".into()), Vec::new()), Expr::int(0), inner]))
    }

    fn counted(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        match (self.random.below(3), &ty.shape[..]) {
            (0, _) => {
                let inner = self.operand(&Ty::bool(&ty.shape), depth);
                Some(Expr::call("i32.bool", vec![inner]))
            }
            (_, []) => {
                let shape = [self.random.below(self.dims.len())];
                let inner = self.operand(&Ty::int(&shape), depth);
                Some(Expr::call("i32.i64", vec![Expr::call("length", vec![inner])]))
            }
            (_, &[dim]) => Some(Expr::call("i32.i64", vec![Expr::call("iota", vec![Expr::name(self.dims[dim].clone())])])),
            _ => None,
        }
    }

    fn rearranged(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        if ty.shape.len() > 1 && self.random.percent(60) {
            let mut swapped = ty.clone();
            swapped.shape.swap(0, 1);
            let inner = self.operand(&swapped, depth);
            return Some(Expr::call("transpose", vec![inner]));
        }
        ty.shape.first()?;
        let inner = self.operand(ty, depth);
        Some(match self.random.below(3) {
            0 => Expr::call("rotate", vec![Expr::int(1), inner]),
            _ => Expr::call("reverse", vec![inner]),
        })
    }

    /// A variable in scope while something is made.
    fn within(&mut self, vars: Vec<(String, Ty)>, make: impl FnOnce(&mut Maker<'a>) -> Expr) -> Expr {
        let before = self.vars.len();
        self.vars.extend(vars);
        let made = make(self);
        self.vars.truncate(before);
        made
    }

    fn let_value(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let other = if self.random.percent(50) { Ty::int(&self.suffix(&ty.shape.clone())) } else { ty.clone() };
        let value = self.operand(&other, depth);
        let name = self.name("x");
        let written = self.random.percent(15).then(|| self.text(&other));
        let body = self.within(vec![(name.clone(), other)], |m| m.expr(ty, depth));
        Some(Expr::new(Form::Let(Param { name, ty: written }), vec![value, body]))
    }

    /// Parameters of a local function: cells of the shape, and the arguments for them.
    fn cells(&mut self, ty: &Ty, depth: usize) -> Cells {
        let frame = self.random.below(ty.shape.len() + 1);
        let cell = Ty::new(&ty.shape[frame..], ty.base);
        let count = 1 + self.random.below(2);
        let full = self.random.below(count);
        let (mut params, mut vars, mut args) = (Vec::new(), Vec::new(), Vec::new());
        for at in 0..count {
            let own = if self.random.percent(60) { Ty::int(&[]) } else { Ty::int(&cell.shape) };
            let outer = if at == full { ty.shape[..frame].to_vec() } else { self.suffix(&ty.shape[..frame]) };
            let arg = Ty::int(&[&outer[..], &own.shape[..]].concat());
            args.push(self.operand(&arg, depth));
            let name = self.name("p");
            let written = self.random.percent(35).then(|| self.text(&own));
            params.push(Param { name: name.clone(), ty: written });
            vars.push((name, own));
        }
        Cells { params, vars, args, cell }
    }

    fn let_function(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let Cells { params, vars, args, cell } = self.cells(ty, depth);
        let inner = self.within(vars, |m| m.expr(&cell, depth));
        let name = self.name("f");
        let use_ = Expr::call(&name, args);
        if self.random.percent(50) {
            let lambda = Expr::new(Form::Lambda(params), vec![inner]);
            return Some(Expr::new(Form::Let(Param { name, ty: None }), vec![lambda, use_]));
        }
        Some(Expr::new(Form::LetFun(name, params), vec![inner, use_]))
    }

    fn lambda_applied(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let Cells { params, vars, args, cell } = self.cells(ty, depth);
        let inner = self.within(vars, |m| m.expr(&cell, depth));
        Some(Expr::apply(Expr::new(Form::Lambda(params), vec![inner]), args))
    }

    fn conditional(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let cond = self.expr(&Ty::bool(&[]), depth.min(1));
        let parts = vec![cond, self.operand(ty, depth), self.operand(ty, depth)];
        Some(Expr::new(Form::If, parts))
    }

    fn looped(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let first = self.operand(ty, depth);
        let name = self.name("s");
        let next = self.within(vec![(name.clone(), ty.clone())], |m| m.operand(ty, depth));
        Some(Expr::new(Form::Loop(name, 1 + self.random.below(2)), vec![first, next]))
    }

    fn projected(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        if ty.base == Base::Int && self.random.percent(50) {
            let pair = self.operand(&Ty::new(&ty.shape, Base::Pair), depth);
            let field = self.random.pick(&["0", "1"]);
            return Some(Expr::new(Form::Field(field.into()), vec![pair]));
        }
        let (mine, other) = (self.operand(ty, depth), self.leaf(&Ty::int(&[])));
        if self.random.percent(50) {
            let tuple = Expr::new(Form::Tuple, vec![mine, other]);
            return Some(Expr::new(Form::Field("0".into()), vec![tuple]));
        }
        let record = Expr::new(Form::Record(vec!["u".into(), "v".into()]), vec![other, mine]);
        Some(Expr::new(Form::Field("v".into()), vec![record]))
    }

    fn indexed(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let dim = self.random.below(self.dims.len());
        let array = self.operand(&Ty::new(&[&[dim], &ty.shape[..]].concat(), ty.base), depth);
        Some(Expr::new(Form::Index, vec![array, self.position()]))
    }

    /// An index of an array of at least two elements; sometimes from the end.
    fn position(&mut self) -> Expr {
        Expr::int(self.random.pick(&[0, 0, 1, 1, -1, -2]))
    }

    /// An update of an element by a value that may have to be replicated.
    fn updated(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let (_, rest) = ty.shape.split_first()?;
        let array = self.operand(ty, depth);
        let value = Ty::new(&self.suffix(rest), ty.base);
        let value = self.operand(&value, depth);
        Some(Expr::new(Form::With, vec![array, self.position(), value]))
    }

    fn explicit_map(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let (&dim, rest) = ty.shape.split_first()?;
        let count = 1 + self.random.below(2);
        let (mut params, mut vars, mut args) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..count {
            let inner = if self.random.percent(50) { Ty::int(rest) } else { Ty::int(&self.suffix(rest)) };
            let arg = Ty::int(&[&[dim], &inner.shape[..]].concat());
            args.push(self.operand(&arg, depth));
            let name = self.name("e");
            params.push(Param { name: name.clone(), ty: None });
            vars.push((name, inner));
        }
        let body = self.within(vars, |m| m.expr(&Ty::new(rest, ty.base), depth));
        let mut all = vec![Expr::new(Form::Lambda(params), vec![body])];
        all.extend(args);
        Some(Expr::call(if count == 1 { "map" } else { "map2" }, all))
    }

    fn literal(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let (&dim, rest) = ty.shape.split_first()?;
        let count: usize = self.dims[dim].parse().ok()?;
        let inner = Ty::new(rest, ty.base);
        let items = (0..count).map(|_| self.operand(&inner, depth.min(1))).collect();
        Some(Expr::new(Form::Array, items))
    }

    /// A function of the scope, lifted over a frame.
    fn called(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let all = self.helpers;
        let fits = |sig: &&Sig| sig.result.base == ty.base && sig.result.shape.len() <= ty.shape.len();
        let fitting: Vec<&Sig> = all.iter().filter(fits).collect();
        if fitting.is_empty() {
            return None;
        }
        let sig = self.random.pick(&fitting);
        let frame = ty.shape.len() - sig.result.shape.len();
        let mut sizes: Vec<usize> = (0..sig.dims).map(|_| self.random.below(self.dims.len())).collect();
        for (&own, &wanted) in sig.result.shape.iter().zip(&ty.shape[frame..]) {
            sizes[own] = wanted;
        }
        let values = sig.params.iter().filter(|param| param.functions == 0).count();
        let full = self.random.below(values);
        let (mut args, mut at) = (Vec::new(), 0);
        for param in &sig.params {
            if param.functions > 0 {
                args.push(self.scalar_function(param.functions));
                continue;
            }
            let outer = if at == full { ty.shape[..frame].to_vec() } else { self.suffix(&ty.shape[..frame]) };
            at += 1;
            let own: Vec<usize> = param.ty.shape.iter().map(|&dim| sizes[dim]).collect();
            let arg = Ty::new(&[&outer[..], &own[..]].concat(), param.ty.base);
            args.push(self.operand(&arg, depth));
        }
        if args.len() > 1 && self.random.percent(12) {
            // A partial application with a name.
            let rest = args.split_off(1);
            let name = self.name("g");
            let value = Expr::call(&sig.name, args);
            return Some(Expr::new(Form::Let(Param { name: name.clone(), ty: None }), vec![value, Expr::call(&name, rest)]));
        }
        Some(Expr::call(&sig.name, args))
    }

    /// A function of so many numbers.
    pub fn scalar_function(&mut self, arity: usize) -> Expr {
        let op = self.random.pick(&["+", "-", "*"]);
        if arity == 2 {
            return match self.random.below(3) {
                0 => Expr::name(self.random.pick(&["i32.max", "i32.min"])),
                1 => Expr::new(Form::Operator(op.into()), Vec::new()),
                _ => Expr::lambda(&["u", "v"], Expr::binary(op, Expr::name("u"), Expr::name("v"))),
            };
        }
        let literal = Expr::int(self.random.below(5) as i64 + 1);
        match self.random.below(4) {
            0 => Expr::name("i32.abs"),
            // `(- 1)` is a number.
            1 if op != "-" => Expr::new(Form::RightSection(op.into()), vec![literal]),
            2 => Expr::new(Form::LeftSection(op.into()), vec![literal]),
            _ => Expr::lambda(&["u"], Expr::binary(op, Expr::name("u"), literal)),
        }
    }

    fn piped(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let (arg, function) = match self.random.below(3) {
            0 => (self.longer(ty), Expr::name("i32.sum")),
            1 => (ty.clone(), self.scalar_function(1)),
            _ => {
                let other = Ty::int(&self.suffix(&ty.shape.clone()));
                let operand = self.operand(&other, depth);
                let op = self.random.pick(&["+", "*"]);
                (ty.clone(), Expr::new(Form::RightSection(op.into()), vec![operand]))
            }
        };
        let arg = self.operand(&arg, depth);
        Some(Expr::new(Form::Pipe, vec![arg, function]))
    }

    fn section(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let (a, b) = self.operands(&ty.shape, Base::Int, depth);
        let form = match self.random.below(2) {
            0 => Form::LeftSection(self.random.pick(&["+", "-", "*"]).into()),
            _ => Form::RightSection(self.random.pick(&["+", "*"]).into()),
        };
        Some(Expr::apply(Expr::new(form, vec![a]), vec![b]))
    }

    /// `let g = (+) a in g b`.
    fn partial(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let (a, b) = self.operands(&ty.shape, Base::Int, depth);
        let op = self.random.pick(&["+", "-", "*"]);
        let value = match self.random.below(2) {
            0 => Expr::apply(Expr::new(Form::Operator(op.into()), Vec::new()), vec![a]),
            _ => Expr::new(Form::LeftSection(op.into()), vec![a]),
        };
        let name = self.name("g");
        Some(Expr::new(Form::Let(Param { name: name.clone(), ty: None }), vec![value, Expr::call(&name, vec![b])]))
    }

    /// A function of the library that takes a function on numbers.
    fn higher_order(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let inner = self.operand(ty, depth);
        Some(match self.random.below(4) {
            0 => {
                let function = self.scalar_function(1);
                Expr::call("iterate", vec![Expr::int(2), function, inner])
            }
            1 if !ty.shape.is_empty() => {
                let function = self.scalar_function(1);
                Expr::call("map", vec![function, inner])
            }
            2 => {
                let (f, g) = (self.scalar_function(1), self.scalar_function(1));
                Expr::apply(Expr::binary(">->", f, g), vec![inner])
            }
            _ => {
                let function = self.scalar_function(2);
                let other = Ty::int(&self.suffix(&ty.shape.clone()));
                let second = self.operand(&other, depth);
                Expr::call("flip", vec![function, inner, second])
            }
        })
    }

    fn polymorphic(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let inner = self.operand(ty, depth);
        Some(match self.random.below(3) {
            0 => Expr::call("id", vec![inner]),
            1 => {
                let other = self.leaf(&Ty::int(&[]));
                Expr::call("const", vec![inner, other])
            }
            _ => {
                let text = self.text(ty);
                Expr::new(Form::Ascribe(text), vec![inner])
            }
        })
    }

    fn compared(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let (a, b) = self.operands(&ty.shape, Base::Int, depth);
        Some(Expr::binary(self.random.pick(&["==", "<", "!=", ">="]), a, b))
    }

    fn quantified(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let longer = self.longer(ty);
        let inner = self.operand(&longer, depth);
        Some(Expr::call(self.random.pick(&["and", "or"]), vec![inner]))
    }

    fn inverted(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let inner = self.operand(ty, depth);
        Some(Expr::new(Form::Not, vec![inner]))
    }

    fn zipped(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        ty.shape.first()?;
        let (a, b) = self.operands(&ty.shape, Base::Int, depth);
        Some(Expr::call("zip", vec![a, b]))
    }
}
