//! Writes nests of maps.

use super::children::Level;
use super::names::map_name;
use super::nest::Form;
use super::plan::{Inline, Plan};
use super::write::Writer;
use crate::ir::surface::view::Head;
use crate::ir::surface::{ExprKind, UnaryOp};

/// Most arrays that a library map goes over; more are zipped.
const MAX_ARITY: usize = 5;

/// Nests of maps.
impl Writer<'_> {
    /// Writes a nest, with the variables that are bound before it.
    pub(super) fn nest(&mut self, plan: &Plan) {
        for (name, expr) in &plan.hoists {
            self.out.push_str("let ");
            self.out.push_str(name);
            self.out.push_str(" = ");
            self.moved(*expr, Level::Low);
            self.out.push_str(" in ");
        }
        if let Some(param) = &plan.lambda {
            self.out.push('\\');
            self.out.push_str(param);
            self.out.push_str(" -> ");
        }
        if plan.partial
            && let [(field, maps)] = plan.path[..]
        {
            self.projection(field.as_str(), maps, false);
        } else if plan.frame == 0 {
            self.body(plan);
        } else {
            self.maps(plan, plan.frame, !plan.partial);
        }
    }

    /// Writes the map at this depth, with its arrays if `applied`.
    fn maps(&mut self, plan: &Plan, level: u32, applied: bool) {
        let over = plan.participants(level);
        let groups = groups(over.len());
        let close = self.open_map(groups.len());
        self.function(plan, level);
        self.out.push_str(&close);
        if !applied {
            return;
        }
        let mut rest = &over[..];
        for size in groups {
            let (group, others) = rest.split_at(size);
            rest = others;
            self.out.push(' ');
            self.zipped(plan, level, group);
        }
    }

    fn zipped(&mut self, plan: &Plan, level: u32, group: &[usize]) {
        match group {
            [] => {}
            [one] => self.value(plan, *one, level, Level::Atom),
            [first, others @ ..] => {
                self.out.push('(');
                self.name("zip");
                self.out.push(' ');
                self.value(plan, *first, level, Level::Atom);
                self.out.push(' ');
                self.zipped(plan, level, others);
                self.out.push(')');
            }
        }
    }

    /// Writes a piece inside of the maps outside of this depth.
    fn value(&mut self, plan: &Plan, index: usize, level: u32, need: Level) {
        let slot = &plan.slots[index];
        if let Some(param) = slot.params.get(level as usize) {
            self.out.push_str(param);
            return;
        }
        self.replicated(slot.reps, need, |w, need| match &slot.inline {
            Inline::Expr(expr) => w.moved(*expr, need),
            Inline::Name(name) => w.out.push_str(name),
        });
    }

    /// Writes the function that the map at this depth maps, as an argument.
    fn function(&mut self, plan: &Plan, level: u32) {
        let over = plan.participants(level);
        let direct = over.len() <= MAX_ARITY;
        if level == 1 && direct && self.eta(plan, &over) {
            return;
        }
        if level > 1 && direct && plan.participants(level - 1) == over {
            self.out.push('(');
            self.maps(plan, level - 1, false);
            self.out.push(')');
            return;
        }
        self.out.push_str("(\\");
        let mut rest = &over[..];
        for (i, size) in groups(over.len()).into_iter().enumerate() {
            let (group, others) = rest.split_at(size);
            rest = others;
            if i > 0 {
                self.out.push(' ');
            }
            self.pattern(plan, level, group);
        }
        self.out.push_str(" -> ");
        if level == 1 {
            self.body(plan);
        } else {
            self.maps(plan, level - 1, true);
        }
        self.out.push(')');
    }

    fn pattern(&mut self, plan: &Plan, level: u32, group: &[usize]) {
        let param = |i: usize| plan.slots[i].params[level as usize - 1].as_str();
        match group {
            [] => {}
            [one] => self.out.push_str(param(*one)),
            [first, others @ ..] => {
                self.out.push('(');
                self.out.push_str(param(*first));
                self.out.push_str(", ");
                self.pattern(plan, level, others);
                self.out.push(')');
            }
        }
    }

    /// Writes the innermost body as a function without parameters of its own where that reads better, and returns whether it
    /// did.
    fn eta(&mut self, plan: &Plan, over: &[usize]) -> bool {
        let args: Vec<usize> = plan.args().collect();
        if plan.has_head && plan.slots[0].depth > 0 || args.iter().any(|&i| plan.slots[i].reps > 0) || !args.ends_with(over) {
            return false;
        }
        let constant = &args[..args.len() - over.len()];
        let all = constant.is_empty();
        match plan.form {
            Form::Function | Form::Head(Head::Expr(_)) if all => self.value(plan, 0, 0, Level::Atom),
            Form::Function | Form::Head(Head::Expr(_)) if self.is_named(&plan.slots[0].inline) => {
                self.out.push('(');
                self.value(plan, 0, 0, Level::Atom);
                for &i in constant {
                    self.out.push(' ');
                    self.value(plan, i, 0, Level::Atom);
                }
                self.out.push(')');
            }
            Form::Head(Head::Op(op)) if all => {
                self.out.push('(');
                self.out.push_str(op.name.as_str());
                self.out.push(')');
            }
            Form::Head(Head::Project(field)) if args.len() == 1 => {
                self.out.push_str("(.");
                self.out.push_str(field.name.as_str());
                self.out.push(')');
            }
            _ => return false,
        }
        true
    }

    fn is_named(&self, inline: &Inline) -> bool {
        match inline {
            Inline::Name(_) => true,
            Inline::Expr(e) => matches!(self.ast().exprs[*e].kind, ExprKind::Name(_) | ExprKind::Project { .. }),
        }
    }

    /// Writes the application to single elements.
    fn body(&mut self, plan: &Plan) {
        let args: Vec<usize> = plan.args().collect();
        let rest = match plan.form {
            Form::Function | Form::Head(Head::Expr(_)) => {
                self.value(plan, 0, 0, Level::Atom);
                &args[..]
            }
            Form::Head(Head::Constr(name)) => {
                self.out.push('#');
                self.out.push_str(name.name.as_str());
                &args[..]
            }
            Form::Head(Head::Op(op)) => {
                if let [left, right] = args[..] {
                    self.operand(plan, left);
                    self.out.push(' ');
                    self.out.push_str(op.name.as_str());
                    self.out.push(' ');
                    self.operand(plan, right);
                    return;
                }
                self.out.push('(');
                self.out.push_str(op.name.as_str());
                self.out.push(')');
                &args[..]
            }
            Form::Head(Head::Unary(op, _)) => {
                let rest = &args[1..];
                self.parenthesised(!rest.is_empty(), |w| {
                    w.out.push(if op == UnaryOp::Neg { '-' } else { '!' });
                    w.value(plan, args[0], 0, Level::Atom);
                });
                rest
            }
            Form::Head(Head::Project(field)) => {
                self.value(plan, args[0], 0, Level::Atom);
                self.out.push('.');
                self.out.push_str(field.name.as_str());
                &args[1..]
            }
            Form::ProjectSection(_) => {
                self.projected(plan, plan.path.len());
                &args[1..]
            }
            Form::Head(Head::Index(_)) | Form::IndexSection => {
                let count = plan.indices.min(args.len());
                self.value(plan, 0, 0, Level::Atom);
                self.indices(plan, &args[..count]);
                &args[count..]
            }
        };
        for &arg in rest {
            self.out.push(' ');
            self.value(plan, arg, 0, Level::Atom);
        }
    }

    /// Writes what is left of the missing operand of `(.x.y)` after this many of its projections.
    fn projected(&mut self, plan: &Plan, count: usize) {
        let Some((field, maps)) = count.checked_sub(1).and_then(|i| plan.path.get(i)).copied() else {
            return self.value(plan, 0, 0, Level::Atom);
        };
        if maps > 0 {
            self.projection(field.as_str(), maps, false);
            self.out.push(' ');
        }
        let parens = count > 1 && plan.path[count - 2].1 > 0;
        self.parenthesised(parens, |w| w.projected(plan, count - 1));
        if maps == 0 {
            self.out.push('.');
            self.out.push_str(field.as_str());
        }
    }

    /// Writes a projection under maps as a function.
    fn projection(&mut self, field: &str, maps: u32, atom: bool) {
        self.parenthesised(atom || maps == 0, |w| {
            if maps == 0 {
                w.out.push('.');
                w.out.push_str(field);
                return;
            }
            let close = w.open_map(1);
            w.projection(field, maps - 1, true);
            w.out.push_str(&close);
        });
    }

    /// An operand: what is moved there gets parentheses unless it is atomic, a `rep` does not.
    fn operand(&mut self, plan: &Plan, index: usize) {
        let need = if plan.slots[index].reps > 0 { Level::Apply } else { Level::Atom };
        self.value(plan, index, 0, need);
    }

    fn indices(&mut self, plan: &Plan, args: &[usize]) {
        self.out.push('[');
        for (i, &arg) in args.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.value(plan, arg, 0, Level::Low);
        }
        self.out.push(']');
    }

    /// Writes what comes before the function of a map over `arity` arrays, and returns what comes after it.
    fn open_map(&mut self, arity: usize) -> String {
        let spell = |n: usize| self.printer.hidden.spell(map_name(n), self.def);
        if let Some(name) = spell(arity) {
            self.insert(name);
            self.out.push(' ');
            return String::new();
        }
        // The name means something else here: another map of the library does the same.
        let fresh = |stem: &str, i: usize| {
            let mut name = format!("{stem}{i}");
            while self.words.contains(name.as_str()) {
                name.push('\'');
            }
            name
        };
        let arrays: Vec<String> = (0..arity).map(|i| fresh("as", i)).collect();
        let elements: Vec<String> = (0..arity).map(|i| fresh("a", i)).collect();
        let (arrays_text, elements_text) = (arrays.join(" "), elements.join(" "));
        let (open, close) = if let Some(more) = (arity + 1..=MAX_ARITY).find(|&n| spell(n).is_some()) {
            let padding = more - arity;
            let wild = " _".repeat(padding);
            let again = format!(" {}", arrays[0]).repeat(padding);
            (
                format!("(\\{arrays_text} -> {} (\\{elements_text}{wild} -> ", spell(more).unwrap_or_default()),
                format!(" {elements_text}) {arrays_text}{again})"),
            )
        } else {
            if arity == 1 {
                self.name("map");
                self.out.push(' ');
                return String::new();
            }
            let zip = self.printer.hidden.spell("zip", self.def).unwrap_or("zip");
            let last = arity - 1;
            let pairs = elements[..last].iter().rev().fold(elements[last].clone(), |inner, e| format!("({e}, {inner})"));
            let zips = arrays[1..last].iter().rev().fold(arrays[last].clone(), |inner, a| format!("({zip} {a} {inner})"));
            self.out.push_str(&format!("(\\{arrays_text} -> "));
            let outer = self.open_map(1);
            (format!("(\\{pairs} -> "), format!(" {elements_text}){outer} ({zip} {} {zips}))", arrays[0]))
        };
        self.out.push_str(&open);
        close
    }
}

/// How many arrays are zipped for each of the at most five arrays of a map over `count`.
fn groups(count: usize) -> Vec<usize> {
    let parts = count.min(MAX_ARITY);
    (0..parts).map(|i| count / parts + usize::from(i >= parts - count % parts)).collect()
}
