//! Literals, functions, boxes: expressions by the element type.

use super::{Gen, bool_ty, call, i64_ty, inst, int, local, make, var, with_outer};
use remora::base::{PrimType, Scalar, Symbol};
use remora::ir::core::free::Name;
use remora::ir::core::subst::{Replacement, Subst};
use remora::ir::core::{Atom, Dim, Expr, ExprKind, Index, Param, Shape, ShapeItem, Type};

impl Gen<'_> {
    pub fn scalar(&mut self, prim: PrimType) -> Scalar {
        let numbers = [1i128, 0, 2, 3, -1, 7];
        let n = self.choose(numbers.len());
        match prim {
            PrimType::Bool => Scalar::Bool(n.is_multiple_of(2)),
            PrimType::F64 | PrimType::F32 | PrimType::F16 => {
                let floats = [1.0, 0.0, 2.5, -0.0, f64::NAN, f64::INFINITY];
                Scalar::from_f64(prim, floats[n])
            }
            _ => Scalar::from_i128(prim, numbers[n]),
        }
    }

    /// The simplest expression of a type, closed but for names in the type.
    pub fn simple(&mut self, ty: &Type) -> Option<Expr> {
        if let Some(dims) = constants(ty.shape())
            && !dims.is_empty()
        {
            let count: u64 = dims.iter().product();
            if let (Atom::Prim(elem), true) = (ty.atom(), count <= 27) {
                let items = (0..count).map(|_| self.scalar(*elem)).collect();
                return Some(make(ExprKind::Array { dims, elem: *elem, items }));
            }
        }
        if !ty.shape().is_scalar() {
            let arg = self.simple(&Type::scalar(ty.atom().clone()))?;
            return Some(make(ExprKind::Rep { frame: ty.shape().clone(), arg }));
        }
        match ty.atom() {
            Atom::Prim(prim) => {
                let scalar = self.scalar(*prim);
                Some(make(ExprKind::Lit(scalar)))
            }
            Atom::Var(_) | Atom::Forall(..) | Atom::Pi(..) => None,
            Atom::Fun(params, ret) => self.lambda(params, ret, false),
            Atom::Tuple(types) => Some(make(ExprKind::Tuple(types.iter().map(|ty| self.simple(ty)).collect::<Option<_>>()?))),
            Atom::Record(fields) => {
                let fields = fields.iter().map(|(label, ty)| Some((*label, self.simple(ty)?))).collect::<Option<_>>()?;
                Some(make(ExprKind::Record(fields)))
            }
            Atom::Sum(payloads) => {
                let (label, payload) = payloads[self.choose(payloads.len())].clone();
                let payload = self.simple(&payload)?;
                Some(make(ExprKind::Inject { label, ty: ty.clone(), payload }))
            }
            Atom::Sigma(names, content) => self.boxed(names, content, false),
        }
    }

    /// A sum that is asked for its constructor, or for a payload: mostly where it is known to be there.
    pub fn taken_apart(&mut self, ty: &Type) -> Option<Expr> {
        let other = self.ty(1);
        let payloads = vec![(Symbol::new("c"), other), (Symbol::new("d"), ty.clone())];
        let sum = Type::scalar(Atom::Sum(payloads));
        let value = self.expr(&sum)?;
        let d = Symbol::new("d");
        if self.choose(6) == 0 {
            return Some(make(ExprKind::Payload(d, value)));
        }
        let name = self.name("v");
        self.scope.terms.push((name, sum.clone()));
        let cond = make(ExprKind::Is(d, var(name.as_str())));
        let then = make(ExprKind::Payload(d, var(name.as_str())));
        let els = self.expr(ty)?;
        let body = make(ExprKind::If { cond, then, els });
        Some(make(ExprKind::Let { name, ty: Some(sum), rhs: value, body }))
    }

    /// A `fn` of this type; its body is simple unless `full`.
    pub fn lambda(&mut self, params: &[Param], ret: &Type, full: bool) -> Option<Expr> {
        let before = self.scope.depth();
        let params: Vec<(Symbol, Type)> = params.iter().map(|param| (self.name("p"), param.ty.clone())).collect();
        self.scope.terms.extend(params.iter().cloned());
        let body = if full { self.expr(ret) } else { self.simple(ret) };
        self.scope.restore(before);
        Some(make(ExprKind::Fn { params, ret: ret.clone(), body: body? }))
    }

    /// A `box` of this type; what is in it is simple unless `full`.
    pub fn boxed(&mut self, names: &[Symbol], content: &Type, full: bool) -> Option<Expr> {
        let mut subst = Subst::default();
        let mut indices = Vec::new();
        for name in names {
            let index = if name.as_str().starts_with('@') { Index::Shape(self.shape(1)) } else { Index::Dim(self.dim()) };
            subst.insert(Name::Index(*name), Replacement::from(index.clone()));
            indices.push((*name, index));
        }
        let inner = self.substituted(&subst, content);
        let body = if full { self.expr(&inner)? } else { self.simple(&inner)? };
        Some(make(ExprKind::Box { indices, ty: content.clone(), body }))
    }

    /// Scalars that are computed.
    pub fn computed(&mut self, prim: PrimType) -> Option<Expr> {
        let ty = Type::prim(prim);
        match prim {
            PrimType::Bool => self.truth(),
            _ => match self.choose(8) {
                0..=2 => {
                    let ops = ["+", "-", "*", "max", "/", "%", "**"];
                    let n = self.choose(if prim.is_int() { 7 } else { 5 });
                    let (a, b) = (self.expr(&ty)?, self.expr(&ty)?);
                    Some(call(var(&format!("{prim}.{}", ops[n])), vec![a, b]))
                }
                3 => {
                    let from = self.prim();
                    let arg = self.expr(&Type::prim(from))?;
                    Some(call(var(&format!("{prim}.{from}")), vec![arg]))
                }
                4 => {
                    let n = self.dim();
                    let fold = ["sum", "product", "maximum"][self.choose(3)];
                    let arg = self.expr(&Type::new(Atom::Prim(prim), Shape::dims([n.clone()])))?;
                    let fun = var(&format!("{prim}.{fold}"));
                    let fun = make(ExprKind::Inst { fun, types: Vec::new(), indices: vec![Index::Dim(n)] });
                    Some(call(fun, vec![arg]))
                }
                5 => Some(var(&format!("{prim}.{}", ["lowest", "highest"][self.choose(2)]))),
                6 if prim == PrimType::I64 => {
                    let dim = self.dim();
                    Some(make(ExprKind::ReifyDim(dim)))
                }
                _ => None,
            },
        }
    }

    fn truth(&mut self) -> Option<Expr> {
        match self.choose(4) {
            0 | 1 => {
                let prim = self.prim();
                let op = ["==", "!=", "<", "<="][self.choose(4)];
                let (a, b) = (self.expr(&Type::prim(prim))?, self.expr(&Type::prim(prim))?);
                Some(call(var(&format!("{prim}.{op}")), vec![a, b]))
            }
            2 => {
                let op = ["&&", "||"][self.choose(2)];
                let (a, b) = (self.expr(&bool_ty())?, self.expr(&bool_ty())?);
                Some(call(var(&format!("bool.{op}")), vec![a, b]))
            }
            _ => {
                let ty = self.ty(1);
                let name = ["equal", "notequal"][self.choose(2)];
                let (a, b) = (self.expr(&ty)?, self.expr(&ty)?);
                Some(call(inst(name, ty.atom(), &[], ty.shape()), vec![a, b]))
            }
        }
    }

    /// Functions that are no `fn`: primitives and partial applications.
    pub fn function(&mut self, params: &[Param], ret: &Type) -> Option<Expr> {
        let types: Vec<&Type> = params.iter().map(|param| &param.ty).collect();
        match self.choose(3) {
            0 => {
                let first = self.ty(1);
                let all: Vec<Param> = [Param { name: None, ty: first.clone() }].into_iter().chain(params.iter().cloned()).collect();
                let fun = self.lambda(&all, ret, true)?;
                let arg = self.expr(&first)?;
                Some(call(fun, vec![arg]))
            }
            1 => match (types.as_slice(), ret.atom()) {
                ([a, b], Atom::Prim(prim)) if **a == **b && *a == ret && ret.shape().is_scalar() && prim.is_numeric() => {
                    let op = ["+", "*", "min"][self.choose(3)];
                    Some(var(&format!("{prim}.{op}")))
                }
                ([a], Atom::Prim(prim)) if *a == ret && ret.shape().is_scalar() && prim.is_numeric() => {
                    let op = ["+", "-", "max"][self.choose(3)];
                    let arg = self.expr(ret)?;
                    Some(call(var(&format!("{prim}.{op}")), vec![arg]))
                }
                _ => None,
            },
            _ => match types.as_slice() {
                [a] if *a == ret => match ret.shape().items.split_first() {
                    Some((ShapeItem::Dim(n), rest)) => Some(inst("reverse", ret.atom(), std::slice::from_ref(n), &super::shape(rest))),
                    _ => None,
                },
                _ => None,
            },
        }
    }

    /// Boxes that primitives make: of type `(Sigma (k) [a k ..])`.
    pub fn existential(&mut self, names: &[Symbol], content: &Type) -> Option<Expr> {
        let ([k], Some((ShapeItem::Dim(outer), rest))) = (names, content.shape().items.split_first()) else { return None };
        let mentions = self.free.of(&Type::new(content.atom().clone(), super::shape(rest))).contains(&Name::Index(*k));
        if k.as_str().starts_with('@') || *outer != Dim::var(*k) || mentions {
            return None;
        }
        let cell = Type::new(content.atom().clone(), super::shape(rest));
        let numbers = cell.shape().is_scalar() && matches!(cell.atom(), Atom::Prim(prim) if prim.is_int());
        match if numbers { 2 + self.choose(4) } else { self.choose(3) } {
            0 | 1 | 3 => {
                let n = self.dim();
                let test = self.lambda(&[Param { name: None, ty: cell.clone() }], &bool_ty(), true)?;
                let xs = self.expr(&with_outer(&n, &cell))?;
                Some(call(inst("filter", cell.atom(), &[n], cell.shape()), vec![test, xs]))
            }
            2 => {
                let n = self.dim();
                let xs = self.expr(&with_outer(&n, &cell))?;
                let bounds = [(0, 2, 1), (0, 1, 1), (1, -1, -1), (2, 0, 1), (0, 3, 2)];
                let (i, j, s) = bounds[self.choose(5)];
                Some(call(inst("slice_step", cell.atom(), &[n], cell.shape()), vec![xs, int(i), int(j), int(s)]))
            }
            _ => match (cell.atom(), cell.shape().is_scalar()) {
                (Atom::Prim(PrimType::I64), true) if !self.scope.shapes.is_empty() => {
                    let shapes = self.scope.shapes.clone();
                    let mut items = vec![ShapeItem::Dim(self.dim())];
                    items.extend(self.pick(&shapes).map(ShapeItem::Var));
                    Some(make(ExprKind::ReifyShape(Shape { items })))
                }
                (Atom::Prim(prim), true) if prim.is_int() => {
                    let name = ["range_upto", "range_through", "range_downto"][self.choose(3)];
                    let args = (0..3).map(|_| {
                        let small = [0i128, 1, 3, 2][self.choose(4)];
                        make(ExprKind::Lit(Scalar::from_i128(*prim, small)))
                    });
                    Some(call(inst(name, cell.atom(), &[], &Shape::default()), args.collect()))
                }
                _ => None,
            },
        }
    }

    /// A number below 4 that is computed.
    pub fn small(&mut self) -> Option<Expr> {
        let n = self.expr(&i64_ty())?;
        Some(call(var("i64.%"), vec![n, int(4)]))
    }

    /// A box of as many numbers as a computed number says.
    pub fn opaque_size(&mut self) -> Option<Expr> {
        let (m, k) = (self.name("m"), self.name("k"));
        let rhs = self.small()?;
        let ty = Type::new(Atom::Prim(PrimType::I64), Shape::dims([Dim::var(k)]));
        let body = call(var("iota"), vec![local(m)]);
        let body = make(ExprKind::Box { indices: vec![(k, Index::Dim(Dim::size(m)))], ty, body });
        Some(make(ExprKind::Let { name: m, ty: None, rhs, body }))
    }
}

/// The sizes of a shape without variables, none negative.
pub fn constants(shape: &Shape) -> Option<Vec<u64>> {
    let constant =
        |item: &ShapeItem| if let ShapeItem::Dim(dim) = item { dim.as_constant().and_then(|n| u64::try_from(n).ok()) } else { None };
    shape.items.iter().map(constant).collect()
}
