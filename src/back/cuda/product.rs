//! Kernels of maps that are products, in tiles (`remora_product` of the device library).

use super::Host;
use super::kernel::Kernel;
use super::thread::Functor;
use crate::back::text::{Emitter, c_type};
use crate::ir::imp::variants::Product;
use crate::ir::imp::visit::Mention;
use crate::ir::imp::{Expr, Local};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// When the host takes another kernel, and how.
pub(super) struct Choice {
    /// The condition.
    pub pays: String,
    /// The call that launches it, without its last arguments.
    pub launch: String,
}

/// The names of the types of what the functors of a product take and return.
struct Types {
    left: String,
    right: String,
    total: String,
}

impl Emitter<'_, Host> {
    /// Writes the kernel of a map of this width that is a product.
    pub(super) fn product(&mut self, kernel: &Kernel, product: &Product, width: &Expr, index: Local) -> Choice {
        let name = format!("{}_product", kernel.name);
        let totals: Vec<Local> = product.totals.iter().map(|(local, _)| *local).collect();
        let types = Types {
            left: self.product_type(kernel, "left", &product.left.values),
            right: self.product_type(kernel, "right", &product.right.values),
            total: self.product_type(kernel, "total", &totals),
        };
        let Types { left, right, total } = &types;
        let mut params = kernel.params.to_vec();
        params.extend(["int64_t planes", "int64_t rows", "int64_t columns", "int64_t depth"].map(String::from));
        self.begin_kernel(&name, &params, kernel.launch);
        let neutral: Vec<Expr> = product.totals.iter().map(|(_, e)| e.clone()).collect();
        let neutral = self.thread().list(&neutral);
        let _ = writeln!(self.dialect.text, "  const {total} neutral = {{{neutral}}};");
        self.product_sides(product, &types, &kernel.outside);
        self.product_step(product, &totals, &types, &kernel.outside);
        self.product_done(product, &totals, index, total, &kernel.outside);
        let (a, b) = (product.left.along, product.right.along);
        let _ = writeln!(
            self.dialect.text,
            "  remora_product<{left}, {right}, {total}, {a}, {b}>(planes, rows, columns, depth, neutral, left, right, step, done);"
        );
        self.end_kernel(&name);
        let rows = product.planes.as_ref().map_or("0".to_string(), |planes| self.expr(&planes.rows));
        let sizes = format!("{}, {rows}, {}, {}", self.expr(width), self.expr(&product.columns), self.expr(&product.depth));
        Choice {
            pays: format!("remora_product_pays({sizes})"),
            launch: format!("remora_launch_product(th, \"{name}\", {sizes}, sizeof({total})"),
        }
    }

    /// The type of some values of a product.
    fn product_type(&mut self, kernel: &Kernel, what: &str, locals: &[Local]) -> String {
        let fields = locals.iter().enumerate().map(|(k, local)| format!("  {} v{k};\n", c_type(self.fun.locals[*local].prim)));
        let (ty, fields) = (format!("{}_{what}", kernel.name), fields.collect::<String>());
        let _ = write!(self.dialect.types, "\ntypedef struct {ty} {{\n{fields}}} {ty};\n");
        ty
    }
    /// The parameter of a functor for the number of the plane, which has a name where there are several.
    fn plane(&self, product: &Product) -> String {
        product.planes.as_ref().map_or("int64_t".to_string(), |planes| format!("int64_t {}", self.local(planes.plane)))
    }
    fn names(&self, locals: &[Local]) -> String {
        locals.iter().map(|local| self.local(*local)).collect::<Vec<_>>().join(", ")
    }
    /// Lines that take totals apart; they change.
    fn totals(&self, locals: &[Local], from: &str) -> Vec<String> {
        let each = locals.iter().enumerate();
        each.map(|(k, local)| format!("{} {} = {from}.v{k};", c_type(self.fun.locals[*local].prim), self.local(*local))).collect()
    }

    /// What is read for a row, and for a column.
    fn product_sides(&mut self, product: &Product, types: &Types, outside: &FxHashSet<Mention>) {
        let (plane, step) = (self.plane(product), self.local(product.step));
        for (what, ty, side, across) in
            [("left", &types.left, &product.left, product.row), ("right", &types.right, &product.right, product.column)]
        {
            let mut own = vec![across, product.step];
            own.extend(product.planes.as_ref().map(|planes| planes.plane));
            self.functor(Functor {
                head: format!("auto {what} = [&]({plane}, int64_t {}, int64_t {step}) -> {ty}", self.local(across)),
                first: Vec::new(),
                outside: with(outside, &own),
                elements: &[],
                body: &side.body,
                also: &[],
                last: Some(format!("return {ty}{{{}}};", self.names(&side.values))),
                exit: "return {};",
                order: "INT64_MAX".into(),
            });
        }
    }
    /// A step of the totals.
    fn product_step(&mut self, product: &Product, totals: &[Local], types: &Types, outside: &FxHashSet<Mention>) {
        let Types { left, right, total } = types;
        let mut first = self.totals(totals, "total_");
        first.extend(self.components(&product.left.values, "a_"));
        first.extend(self.components(&product.right.values, "b_"));
        self.functor(Functor {
            head: format!("auto step = [&]({total} total_, {left} a_, {right} b_) -> {total}"),
            first,
            outside: with(outside, &[totals, &product.left.values, &product.right.values].concat()),
            elements: &[],
            body: &product.combine,
            also: &[],
            last: Some(format!("return {total}{{{}}};", self.names(totals))),
            exit: "return total_;",
            order: "INT64_MAX".into(),
        });
    }
    /// What is done with the totals of a cell.
    fn product_done(&mut self, product: &Product, totals: &[Local], index: Local, total: &str, outside: &FxHashSet<Mention>) {
        let [row, column, cell] = [product.row, product.column, index].map(|local| self.local(local));
        let mut first = self.totals(totals, "sum_");
        let mut own = [totals, &[product.row, product.column, index]].concat();
        let mut all = row.clone();
        if let Some(planes) = &product.planes {
            all = self.local(planes.all);
            first.push(format!("const int64_t {all} = {} * rows + {row};", self.local(planes.plane)));
            own.extend([planes.plane, planes.all]);
        }
        first.push(format!("const int64_t {cell} = {all} * columns + {column};"));
        self.functor(Functor {
            head: format!("auto done = [&]({}, int64_t {row}, int64_t {column}, {total} sum_)", self.plane(product)),
            first,
            outside: with(outside, &own),
            elements: &[],
            body: &product.done,
            also: &[],
            last: None,
            exit: "return;",
            order: cell,
        });
    }
}

/// What a functor has from elsewhere: from the kernel, and these locals.
fn with(outside: &FxHashSet<Mention>, locals: &[Local]) -> FxHashSet<Mention> {
    outside.iter().copied().chain(locals.iter().map(|local| Mention::Set(*local))).collect()
}
