//! Loops that collect values and use what they have collected so far, for compilers that know prefix operations.

use super::Processor;
use crate::back::text::{Emitter, Text, c_type, expr};
use crate::base::scalar::Op;
use crate::ir::imp::Scan;

impl Emitter<'_, Processor> {
    /// A loop that collects and uses what it has collected, in two blocks, as a prefix operation of OpenMP; returns whether all that it collects
    /// with is one. Minima and maxima of floats are collected as the integers that are in
    /// the same order: for those GCC has a prefix operation, and OpenMP's own for floats knows neither NaN nor the signs of zeros.
    pub(super) fn marked_scan(&mut self, text: &mut Text, scan: &Scan) -> bool {
        let (mut clauses, mut names, mut ranks) = (Vec::new(), Vec::new(), Vec::new());
        for (local, op) in &scan.sums {
            let name = self.local(*local);
            let order = [(Op::Min, "min"), (Op::Max, "max")].into_iter().find(|(of, _)| *of == op.op && op.prim.is_float());
            let (sum, sign) = match order {
                Some((_, sign)) => (format!("rank_{name}"), Some(sign)),
                None => (name.clone(), expr::sign(*op)),
            };
            let Some(sign) = sign else { return false };
            if order.is_some() {
                ranks.push((c_type(op.prim), sign, name, sum.clone()));
            }
            clauses.push(format!("reduction(inscan, {sign} : {sum})"));
            names.push(sum);
        }
        for (ty, sign, name, rank) in &ranks {
            text.line(&format!("remora_rank_{ty} {rank} = remora_rank_{sign}_{ty}({name});"));
        }
        text.line(&format!("REMORA_PREFIX(\"omp simd {}\")", clauses.join(" ")));
        let (var, from, to) = (self.local(scan.var), self.expr(&scan.from), self.nested(&scan.to));
        let begin = |text: &mut Text| {
            text.line("{");
            for (ty, _, name, rank) in &ranks {
                text.line(&format!("  {ty} {name} = remora_of_rank_{ty}({rank});"));
            }
        };
        text.line(&format!("for (int64_t {var} = {from}; {var} < {to}; {var}++) {{"));
        begin(text);
        self.inner(text, &scan.cell);
        for (ty, sign, name, rank) in &ranks {
            text.line(&format!("  {rank} = remora_rank_{sign}_{ty}({name});"));
        }
        text.line("}");
        text.line(&format!("REMORA_PREFIX(\"omp scan inclusive({})\")", names.join(", ")));
        begin(text);
        self.inner(text, &scan.done);
        text.line("}");
        text.line("}");
        for (ty, _, name, rank) in &ranks {
            text.line(&format!("{name} = remora_of_rank_{ty}({rank});"));
        }
        true
    }
}
