//! The walks of [`visit`](super::visit) for those who change what they see.

use super::{Body, Check, Exp, Lambda, LoopForm, Operand, Operator, Program, Size, Stm, Type, Var};
use rustc_hash::FxHashMap;

/// Something in an expression that can be changed.
#[derive(Debug)]
pub enum PartMut<'a> {
    /// An operand.
    Operand(&'a mut Operand),
    /// A variable that must be an array.
    Array(&'a mut Var),
    /// A size.
    Size(&'a mut Size),
    /// Variables that are bound for the body that follows.
    Bound(&'a mut Var),
    /// A body.
    Body(&'a mut Body),
}

impl Check {
    fn parts_mut(&mut self, see: &mut dyn FnMut(PartMut)) {
        match self {
            Check::Bounds(i, n) => {
                see(PartMut::Operand(i));
                see(PartMut::Size(n));
            }
            Check::Coerce(found, wanted) => found.iter_mut().chain(wanted).for_each(|size| see(PartMut::Size(size))),
            Check::NonNegative(n) => see(PartMut::Size(n)),
            Check::Range(a, b) => [a, b].into_iter().for_each(|a| see(PartMut::Operand(a))),
            Check::Product(n, m) => [n, m].into_iter().for_each(|size| see(PartMut::Size(size))),
            Check::Unflatten(a, b, c) => [a, b, c].into_iter().for_each(|size| see(PartMut::Size(size))),
            Check::Assert(cond, _) => see(PartMut::Operand(cond)),
        }
    }
}

impl Exp {
    /// Calls `see` with the direct parts of the expression, in order.
    pub fn parts_mut(&mut self, see: &mut dyn FnMut(PartMut)) {
        fn all(operands: &mut [Operand], see: &mut dyn FnMut(PartMut)) {
            operands.iter_mut().for_each(|a| see(PartMut::Operand(a)));
        }
        fn arrays(vars: &mut [Var], see: &mut dyn FnMut(PartMut)) {
            vars.iter_mut().for_each(|var| see(PartMut::Array(var)));
        }
        fn lambda(lambda: &mut Lambda, see: &mut dyn FnMut(PartMut)) {
            lambda.params.iter_mut().for_each(|var| see(PartMut::Bound(var)));
            see(PartMut::Body(&mut lambda.body));
        }
        fn operator(operator: &mut Operator, see: &mut dyn FnMut(PartMut)) {
            all(&mut operator.neutral, see);
            lambda(&mut operator.lambda, see);
        }
        match self {
            Exp::Copy(a) | Exp::Rep(a) => see(PartMut::Operand(a)),
            Exp::Scalar(_, args) | Exp::Stack(args) | Exp::Call(_, args) => all(args, see),
            Exp::Size(size) => see(PartMut::Size(size)),
            Exp::Literal(_) => {}
            Exp::Index { array, at, .. } => {
                see(PartMut::Array(array));
                all(at, see);
            }
            Exp::Slice { array, start, step, .. } => {
                see(PartMut::Array(array));
                see(PartMut::Operand(start));
                see(PartMut::Operand(step));
            }
            Exp::Rotate { array, by } => {
                see(PartMut::Array(array));
                see(PartMut::Operand(by));
            }
            Exp::Rearrange { array, .. } | Exp::Reshape(array) | Exp::Coerce(array) => see(PartMut::Array(array)),
            Exp::Iota { start, step } => {
                see(PartMut::Operand(start));
                see(PartMut::Operand(step));
            }
            Exp::Concat(parts) => arrays(parts, see),
            Exp::Update { array, at, value, .. } => {
                see(PartMut::Array(array));
                all(at, see);
                see(PartMut::Operand(value));
            }
            Exp::UpdateSlice { array, start, step, value, .. } => {
                see(PartMut::Array(array));
                see(PartMut::Operand(start));
                see(PartMut::Operand(step));
                see(PartMut::Array(value));
            }
            Exp::RangeCount { kind: _, start, step, end } => [start, step, end].into_iter().for_each(|a| see(PartMut::Operand(a))),
            Exp::SliceCount { start, end, step, size } => {
                [start, end, step].into_iter().for_each(|a| see(PartMut::Operand(a)));
                see(PartMut::Size(size));
            }
            Exp::Check(check) => check.parts_mut(see),
            Exp::Soac(soac) => {
                see(PartMut::Size(&mut soac.width));
                arrays(&mut soac.inputs, see);
                lambda(&mut soac.lambda, see);
                soac.scans.iter_mut().chain(&mut soac.reduces).for_each(|op| operator(op, see));
            }
            Exp::Seg(seg) => {
                seg.sizes.iter_mut().for_each(|size| see(PartMut::Size(size)));
                seg.space.iter_mut().for_each(|var| see(PartMut::Bound(var)));
                see(PartMut::Body(&mut seg.body));
                seg.kind.operators_mut().iter_mut().for_each(|op| operator(op, see));
            }
            Exp::Filter { width, inputs, lambda: f } | Exp::Rows { width, inputs, lambda: f } => {
                see(PartMut::Size(width));
                arrays(inputs, see);
                lambda(f, see);
            }
            Exp::Scatter { width, inputs, lambda: f, dests } => {
                see(PartMut::Size(width));
                arrays(inputs, see);
                arrays(dests, see);
                lambda(f, see);
            }
            Exp::Hist { width, inputs, lambda: f, dests, operator: op } => {
                see(PartMut::Size(width));
                arrays(inputs, see);
                arrays(dests, see);
                lambda(f, see);
                operator(op, see);
            }
            Exp::If { cond, then, els } => {
                see(PartMut::Operand(cond));
                see(PartMut::Body(then));
                see(PartMut::Body(els));
            }
            Exp::Loop { params, form, body } => looping(params, form, body, see),
        }
    }
    /// Calls `see` with the direct inner bodies.
    pub fn bodies_mut(&mut self, see: &mut dyn FnMut(&mut Body)) {
        self.parts_mut(&mut |part| {
            if let PartMut::Body(body) = part {
                see(body);
            }
        });
    }
}

/// What takes the place of variables. Chains are followed: a replacement may be replaced itself.
#[derive(Debug, Default, Clone)]
pub struct Subst {
    /// Operands for variables.
    pub operands: FxHashMap<Var, Operand>,
    /// Sizes for variables of type `i64` that stay; only sizes change.
    pub sizes: FxHashMap<Var, Size>,
}

impl Subst {
    /// What a variable became.
    pub fn var(&self, var: Var) -> Operand {
        let mut operand = Operand::Var(var);
        while let Operand::Var(var) = operand {
            match self.operands.get(&var) {
                Some(next) => operand = *next,
                None => break,
            }
        }
        operand
    }
    /// What an operand became.
    pub fn operand(&self, operand: Operand) -> Operand {
        operand.var().map_or(operand, |var| self.var(var))
    }
    /// What an array became; arrays are only replaced by arrays.
    pub fn array(&self, var: Var) -> Var {
        self.var(var).var().unwrap_or(var)
    }
    /// A size with its variables replaced.
    pub fn size(&self, size: &Size) -> Size {
        let untouched = size.vars().all(|var| !self.operands.contains_key(&var) && !self.sizes.contains_key(&var));
        if untouched {
            return size.clone();
        }
        size.subst(&mut |var| match self.var(var) {
            constant @ Operand::Const(_) => Some(constant.as_size()),
            Operand::Var(new) => match self.sizes.get(&new) {
                Some(size) => Some(size.clone()),
                None => (new != var).then(|| Size::var(new)),
            },
        })
    }
    /// A type with its sizes replaced.
    pub fn ty(&self, ty: &Type) -> Type {
        Type { elem: ty.elem, shape: ty.shape.iter().map(|size| self.size(size)).collect() }
    }
    /// Whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        self.operands.is_empty() && self.sizes.is_empty()
    }
    /// Changes the direct parts of an expression, not what is in bodies.
    pub fn parts(&self, exp: &mut Exp) {
        exp.parts_mut(&mut |part| match part {
            PartMut::Operand(a) => *a = self.operand(*a),
            PartMut::Array(var) => *var = self.array(*var),
            PartMut::Size(size) => *size = self.size(size),
            PartMut::Bound(_) | PartMut::Body(_) => {}
        });
    }
    /// Changes a body, inner bodies included; the types of what is bound stay.
    pub fn body(&self, body: &mut Body) {
        body.stms.iter_mut().for_each(|stm| self.stm(stm));
        body.result.iter_mut().for_each(|a| *a = self.operand(*a));
    }
    /// Changes a statement, inner bodies included; the types of what is bound stay.
    pub fn stm(&self, stm: &mut Stm) {
        self.parts(&mut stm.exp);
        stm.exp.bodies_mut(&mut |body| self.body(body));
    }
    /// Changes a whole program, types included.
    pub fn program(&self, program: &mut Program) {
        if self.is_empty() {
            return;
        }
        program.consts.iter_mut().for_each(|stm| self.stm(stm));
        program.each_body(|_, body| self.body(body));
        self.types(program);
    }
    /// Changes the types of all variables.
    pub fn types(&self, program: &mut Program) {
        for raw in 0..program.vars.len() {
            let var = Var::new(raw);
            if program.vars[var].ty.rank() > 0 {
                let ty = self.ty(&program.vars[var].ty);
                program.vars[var].ty = ty;
            }
        }
    }
}

/// A copy of a lambda's body in which everything that it binds is new. `subst` says what its parameters become, and gets what the rest became.
pub fn fresh_body(program: &mut Program, body: &Body, subst: &mut Subst) -> Body {
    let mut copy = body.clone();
    rebind(program, &mut copy, subst);
    subst.body(&mut copy);
    copy
}

/// Gives everything that a body binds a new variable.
fn rebind(program: &mut Program, body: &mut Body, subst: &mut Subst) {
    for stm in &mut body.stms {
        rebind_exp(program, &mut stm.exp, subst);
        rebind_all(program, stm.pat.iter_mut(), subst);
    }
}
fn rebind_exp(program: &mut Program, exp: &mut Exp, subst: &mut Subst) {
    // Types of variables that are bound together may mention each other: new variables first, then their types.
    let mut bound = Vec::new();
    exp.parts_mut(&mut |part| match part {
        PartMut::Bound(var) => {
            bound.push(*var);
            let VarCopy { new, .. } = copied(program, *var, subst);
            *var = new;
        }
        PartMut::Body(body) => {
            retype(program, &mut bound, subst);
            rebind(program, body, subst);
        }
        PartMut::Operand(_) | PartMut::Array(_) | PartMut::Size(_) => {}
    });
    retype(program, &mut bound, subst);
}
struct VarCopy {
    new: Var,
}
fn copied(program: &mut Program, var: Var, subst: &mut Subst) -> VarCopy {
    let info = program.vars[var].clone();
    let new = program.vars.alloc(info);
    subst.operands.insert(var, Operand::Var(new));
    VarCopy { new }
}
fn retype(program: &mut Program, bound: &mut Vec<Var>, subst: &Subst) {
    for var in bound.drain(..) {
        if let Operand::Var(new) = subst.var(var)
            && program.vars[new].ty.rank() > 0
        {
            let ty = subst.ty(&program.vars[new].ty);
            program.vars[new].ty = ty;
        }
    }
}
/// Gives these variables, which are bound together, new ones.
pub fn rebind_all<'a>(program: &mut Program, vars: impl Iterator<Item = &'a mut Var>, subst: &mut Subst) {
    let mut bound = Vec::new();
    for var in vars {
        bound.push(*var);
        *var = copied(program, *var, subst).new;
    }
    retype(program, &mut bound, subst);
}

/// Numbers the variables in the order in which they are printed; those that are bound nowhere disappear.
pub fn renumber(program: &mut Program) {
    let old = std::mem::take(&mut program.vars);
    let mut renumbering = Renumbering { map: vec![None; old.len()], order: Vec::new() };
    program.consts.iter_mut().for_each(|stm| renumbering.stm(stm));
    for id in program.fun_ids() {
        let fun = &mut program.funs[id];
        fun.params.iter_mut().chain(&mut fun.results).for_each(|var| renumbering.bind(var));
        renumbering.body(&mut fun.body);
    }
    for var in &renumbering.order {
        let mut info = old[*var].clone();
        for size in &mut info.ty.shape {
            *size = size.subst(&mut |var| renumbering.get(var).map(Size::var));
        }
        program.vars.alloc(info);
    }
}

struct Renumbering {
    map: Vec<Option<Var>>,
    order: Vec<Var>,
}

impl Renumbering {
    fn get(&self, var: Var) -> Option<Var> {
        self.map.get(var.raw()).copied().flatten()
    }
    fn bind(&mut self, var: &mut Var) {
        let new = Var::new(self.order.len());
        self.order.push(*var);
        self.map[var.raw()] = Some(new);
        *var = new;
    }
    fn used(&self, var: &mut Var) {
        *var = self.get(*var).unwrap_or(*var);
    }
    fn stm(&mut self, stm: &mut Stm) {
        stm.pat.iter_mut().for_each(|var| self.bind(var));
        stm.exp.parts_mut(&mut |part| match part {
            PartMut::Operand(Operand::Var(var)) | PartMut::Array(var) => self.used(var),
            PartMut::Operand(Operand::Const(_)) => {}
            PartMut::Size(size) => *size = size.subst(&mut |var| self.get(var).map(Size::var)),
            PartMut::Bound(var) => self.bind(var),
            PartMut::Body(body) => self.body(body),
        });
    }
    fn body(&mut self, body: &mut Body) {
        body.stms.iter_mut().for_each(|stm| self.stm(stm));
        for operand in &mut body.result {
            if let Operand::Var(var) = operand {
                self.used(var);
            }
        }
    }
}

fn looping(params: &mut [(Var, Operand)], form: &mut LoopForm, body: &mut Body, see: &mut dyn FnMut(PartMut)) {
    params.iter_mut().for_each(|(_, init)| see(PartMut::Operand(init)));
    if let LoopForm::For(_, n) = form {
        see(PartMut::Operand(n));
    }
    params.iter_mut().for_each(|(var, _)| see(PartMut::Bound(var)));
    match form {
        LoopForm::For(i, _) => see(PartMut::Bound(i)),
        LoopForm::While(cond) => see(PartMut::Body(cond)),
    }
    see(PartMut::Body(body));
}
