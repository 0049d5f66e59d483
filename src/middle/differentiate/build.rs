//! Statements under construction, and the small programs that derivatives are made of: sums, zeros, copies in a frame.

use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::soac::{Body, Exp, Lambda, Operand, Operator, Program, Size, Soac, Stm, Type, Var};

/// A block that grows at its end.
pub(super) struct Build<'p> {
    pub program: &'p mut Program,
    /// The statements so far.
    pub stms: Vec<Stm>,
    /// Where new statements come from.
    pub span: Span,
}

impl Build<'_> {
    /// Adds a statement.
    pub fn push(&mut self, pat: Vec<Var>, exp: Exp) {
        self.stms.push(Stm { pat, exp, span: self.span });
    }
    /// A new variable.
    pub fn fresh(&mut self, name: Symbol, ty: Type) -> Var {
        self.program.fresh(name, ty)
    }
    /// Binds an expression to a new variable.
    pub fn bind(&mut self, name: &str, ty: Type, exp: Exp) -> Var {
        self.bind_as(Symbol::new(name), ty, exp)
    }
    /// `bind` with a name that is there already.
    pub fn bind_as(&mut self, name: Symbol, ty: Type, exp: Exp) -> Var {
        let var = self.fresh(name, ty);
        self.push(vec![var], exp);
        var
    }
    /// The name of something that belongs to a variable: `x_adj`, `x_tan`.
    pub fn derived(&self, var: Var, what: &str) -> Symbol {
        let name = self.program.vars[var].name.as_str();
        let stem = name.trim_end_matches(['.', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
        let stem = if stem.is_empty() { name } else { stem };
        let stem = stem.strip_suffix(what).unwrap_or(stem);
        Symbol::new(&format!("{stem}{what}"))
    }
    pub fn ty(&self, operand: Operand) -> Type {
        self.program.operand_ty(operand)
    }
    /// The operation of a type, on scalars.
    pub fn op(&mut self, op: Op, prim: PrimType, args: &[Operand]) -> Operand {
        self.scalar(ScalarOp::new(op, prim), args)
    }
    /// A scalar operation; on constants it is done now.
    pub fn scalar(&mut self, op: ScalarOp, args: &[Operand]) -> Operand {
        let constants: Option<Vec<Scalar>> =
            args.iter().map(|a| if let Operand::Const(scalar) = a { Some(*scalar) } else { None }).collect();
        if let Some(constants) = constants
            && let Ok(value) = op.apply(&constants)
        {
            return Operand::Const(value);
        }
        Operand::Var(self.bind("d", Type::scalar(op.result), Exp::Scalar(op, args.to_vec())))
    }
    /// A size as an operand.
    pub fn size(&mut self, size: &Size) -> Operand {
        let simple = size.as_operand();
        simple.unwrap_or_else(|| Operand::Var(self.bind("n", Type::scalar(PrimType::I64), Exp::Size(size.clone()))))
    }
    /// A number of this type.
    pub fn number(prim: PrimType, value: f64) -> Operand {
        Operand::Const(Scalar::from_f64(prim, value))
    }

    /// Statements in a block of their own.
    pub fn body(&mut self, make: impl FnOnce(&mut Self) -> Vec<Operand>) -> Body {
        let outer = std::mem::take(&mut self.stms);
        let result = make(self);
        Body { stms: std::mem::replace(&mut self.stms, outer), result }
    }
    /// One of two scalars of one type.
    pub fn select(&mut self, cond: Operand, then: Operand, els: Operand) -> Operand {
        let ty = self.ty(then);
        let body = |a| Body { stms: Vec::new(), result: vec![a] };
        Operand::Var(self.bind("d", ty, Exp::If { cond, then: body(then), els: body(els) }))
    }

    /// Zeros of a type.
    pub fn zeros(&mut self, ty: &Type) -> Operand {
        let zero = Operand::Const(Scalar::from_i128(ty.elem, 0));
        if ty.rank() == 0 { zero } else { Operand::Var(self.bind("zeros", ty.clone(), Exp::Rep(zero))) }
    }
    /// Zeros like a variable.
    pub fn zeros_like(&mut self, var: Var) -> Operand {
        let ty = self.program.ty(var).clone();
        self.zeros(&ty)
    }
    /// The array that an operand must be.
    pub fn array(&self, operand: Operand) -> Var {
        match operand {
            Operand::Var(var) => var,
            Operand::Const(scalar) => crate::ice!(self.span, "{scalar:?} is no array"),
        }
    }
    /// The operand as a value of a type that only names its sizes in another way.
    pub fn as_type(&mut self, operand: Operand, ty: &Type) -> Operand {
        let found = self.ty(operand);
        if found == *ty || ty.rank() == 0 {
            return operand;
        }
        let array = self.array(operand);
        Operand::Var(self.bind("same", ty.clone(), Exp::Coerce(array)))
    }

    /// `0, 1, ..` up to a size.
    pub fn iota(&mut self, width: &Size) -> Var {
        let ty = Type { elem: PrimType::I64, shape: vec![width.clone()] };
        self.bind("iota", ty, Exp::Iota { start: Operand::int(0), step: Operand::int(1) })
    }
    /// The cell at an index that is known to be in bounds.
    pub fn cell(&mut self, array: Var, at: &[Operand]) -> Operand {
        if at.is_empty() {
            return Operand::Var(array);
        }
        let ty = self.program.ty(array).cell(at.len());
        Operand::Var(self.bind("cell", ty, Exp::Index { array, at: at.to_vec(), checked: false }))
    }
    /// The cell at an index, or zeros where the condition does not hold.
    pub fn cell_or_zeros(&mut self, cond: Operand, array: Var, at: Operand) -> Operand {
        let ty = self.program.ty(array).cell(1);
        let then = self.body(|build| vec![build.cell(array, &[at])]);
        let els = self.body(|build| vec![build.zeros(&ty)]);
        self.either("adj", cond, then, els)[0]
    }
    /// What one of two bodies returns, in new variables of the types that the first one returns.
    pub fn either(&mut self, name: &str, cond: Operand, then: Body, els: Body) -> Vec<Operand> {
        let types: Vec<Type> = then.result.iter().map(|a| self.ty(*a)).collect();
        let pat: Vec<Var> = types.into_iter().map(|ty| self.fresh(Symbol::new(name), ty)).collect();
        if !pat.is_empty() {
            self.push(pat.clone(), Exp::If { cond, then, els });
        }
        pat.into_iter().map(Operand::Var).collect()
    }
    /// The last cell first.
    pub fn reversed(&mut self, array: Var) -> Var {
        let ty = self.program.ty(array).clone();
        let last = self.size(&ty.shape[0].sub(&Size::constant(1)));
        self.bind("reversed", ty, Exp::Slice { array, start: last, step: Operand::int(-1), checked: false })
    }

    /// A map over the cells of arrays of one outermost size; results that are no arrays yet get the size in front.
    pub fn map(&mut self, width: &Size, inputs: Vec<Var>, make: impl FnOnce(&mut Self, &[Var]) -> Vec<Operand>) -> Vec<Var> {
        let params: Vec<Var> = inputs.iter().map(|input| self.param(*input)).collect();
        let body = self.body(|this| make(this, &params));
        let lambda = Lambda { params, body };
        self.mapped(width, inputs, lambda)
    }
    /// The parameter that stands for a cell of an array.
    pub fn param(&mut self, input: Var) -> Var {
        let (name, ty) = (self.program.vars[input].name, self.program.ty(input).cell(1));
        self.fresh(name, ty)
    }
    /// The map with this lambda.
    pub fn mapped(&mut self, width: &Size, inputs: Vec<Var>, lambda: Lambda) -> Vec<Var> {
        let types: Vec<Type> = lambda.body.result.iter().map(|a| self.ty(*a).framed(std::slice::from_ref(width))).collect();
        let pat: Vec<Var> = types.into_iter().map(|ty| self.fresh(Symbol::new("d"), ty)).collect();
        let soac = Soac { width: width.clone(), inputs, lambda, scans: Vec::new(), reduces: Vec::new() };
        if !pat.is_empty() {
            self.push(pat.clone(), Exp::Soac(soac));
        }
        pat
    }
    /// An operation of two scalars on all elements.
    pub fn elementwise(&mut self, op: Op, a: Operand, b: Operand) -> Operand {
        let ty = self.ty(a);
        let Some(width) = ty.shape.first() else { return self.op(op, ty.elem, &[a, b]) };
        let b = self.as_type(b, &ty);
        let inputs = vec![self.array(a), self.array(b)];
        let sums =
            self.map(&width.clone(), inputs, |this, cells| vec![this.elementwise(op, Operand::Var(cells[0]), Operand::Var(cells[1]))]);
        Operand::Var(sums[0])
    }
    /// The sum of two values. Zeros that are known are left out.
    pub fn add(&mut self, a: Operand, b: Operand) -> Operand {
        match (is_zero(a), is_zero(b)) {
            (true, _) => b,
            (_, true) => a,
            (false, false) => self.elementwise(Op::Add, a, b),
        }
    }
    /// Addition of cells of a type as an operator.
    pub fn plus(&mut self, cell: &Type) -> Operator {
        let neutral = self.zeros(cell);
        self.commutative(cell, neutral, |this, [a, b]| this.elementwise(Op::Add, a, b))
    }
    /// The least or the greatest of integers as an operator.
    pub fn choosing(&mut self, op: Op, neutral: i64) -> Operator {
        self.commutative(&Type::scalar(PrimType::I64), Operand::int(neutral), |this, operands| this.op(op, PrimType::I64, &operands))
    }
    /// An operator on one value, which commutes.
    pub fn commutative(&mut self, cell: &Type, neutral: Operand, combine: impl FnOnce(&mut Self, [Operand; 2]) -> Operand) -> Operator {
        let params = ["a", "b"].map(|name| self.fresh(name.into(), cell.clone()));
        let body = self.body(|this| vec![combine(this, params.map(Operand::Var))]);
        Operator { lambda: Lambda { params: params.to_vec(), body }, neutral: vec![neutral], commutative: true }
    }
    /// A lambda that returns its parameters.
    pub fn identity(&mut self, inputs: &[Var]) -> Lambda {
        let params: Vec<Var> = inputs.iter().map(|input| self.param(*input)).collect();
        let result = params.iter().map(|param| Operand::Var(*param)).collect();
        Lambda { params, body: Body { stms: Vec::new(), result } }
    }
    /// Arrays reduced with an operator.
    pub fn reduce(&mut self, inputs: Vec<Var>, operator: Operator) -> Vec<Var> {
        let pat: Vec<Var> = inputs.iter().map(|input| self.param(*input)).collect();
        let (lambda, width) = (self.identity(&inputs), self.program.ty(inputs[0]).shape[0].clone());
        self.push(pat.clone(), Exp::Soac(Soac { width, inputs, lambda, scans: Vec::new(), reduces: vec![operator] }));
        pat
    }
    /// Arrays scanned with an operator.
    pub fn scan(&mut self, inputs: Vec<Var>, operator: Operator) -> Vec<Var> {
        let types: Vec<Type> = inputs.iter().map(|input| self.program.ty(*input).clone()).collect();
        let pat: Vec<Var> = types.into_iter().map(|ty| self.fresh(Symbol::new("d"), ty)).collect();
        let (lambda, width) = (self.identity(&inputs), self.program.ty(inputs[0]).shape[0].clone());
        self.push(pat.clone(), Exp::Soac(Soac { width, inputs, lambda, scans: vec![operator], reduces: Vec::new() }));
        pat
    }
    /// The sum of the cells of an array.
    pub fn sum(&mut self, array: Var) -> Operand {
        let cell = self.program.ty(array).cell(1);
        let plus = self.plus(&cell);
        Operand::Var(self.reduce(vec![array], plus)[0])
    }
    /// The array with its outermost dimensions made one.
    pub fn flat(&mut self, array: Var, depth: usize) -> Var {
        if depth == 1 {
            return array;
        }
        let ty = self.program.ty(array).clone();
        let count = Size::product(&ty.shape[..depth]);
        let flat = ty.cell(depth).framed(&[count]);
        self.bind("flat", flat, Exp::Reshape(array))
    }
}

/// Whether an operand is the constant zero.
pub(super) fn is_zero(a: Operand) -> bool {
    matches!(a, Operand::Const(scalar) if scalar.same_bits(Scalar::from_i128(scalar.prim(), 0)))
}

/// Whether an operand is the constant one.
pub(super) fn is_one(a: Operand) -> bool {
    matches!(a, Operand::Const(scalar) if scalar.same_bits(Scalar::from_i128(scalar.prim(), 1)))
}
