//! Arrays of different sizes one after the other.

use super::super::failure::{broken, misfit};
use super::{Outcome, Run};
use crate::base::Span;
use crate::ir::soac::{Lambda, Size, Var};
use crate::runtime::{Builder, Value};

impl<'p> Run<'p> {
    /// The rows must fill the result, and none may overlap another.
    pub(super) fn rows(&mut self, width: &Size, inputs: &[Var], lambda: &'p Lambda, pat: &[Var], span: Span) -> Outcome<Vec<Value>> {
        let n = self.natural(width, span)?;
        let inputs = self.inputs(inputs);
        let mut rows: Vec<Vec<(i64, Value)>> = vec![Vec::with_capacity(n); pat.len()];
        for i in 0..n {
            let results = self.cell(lambda, &inputs, i)?;
            for (result, rows) in results.chunks(2).zip(&mut rows) {
                let start = result[0].as_i64().ok_or_else(|| broken("where a row begins"))?;
                rows.push((start, result[1].clone()));
            }
        }
        let program = self.program;
        let mut out = Vec::with_capacity(pat.len());
        for (var, mut rows) in pat.iter().zip(rows) {
            let shape = self.shape(&program.ty(*var).shape, span)?;
            // Rows without elements lie anywhere.
            rows.retain(|(_, row)| row.outer() != Some(0));
            rows.sort_by_key(|(start, _)| *start);
            let mut at = 0;
            let mut builder = Builder::new(shape[0]);
            for (start, row) in &rows {
                if *start != at {
                    return Err(broken("rows that overlap, or leave places free"));
                }
                let count = row.outer().ok_or_else(|| broken("a row that is no array"))?;
                at += count as i64;
                for i in 0..count {
                    builder.push(&row.cell(i).ok_or_else(|| broken("a row without its cells"))?).map_err(|m| misfit(m, span))?;
                }
            }
            if at != shape[0] as i64 {
                return Err(broken("rows that do not fill their array"));
            }
            out.push(match builder.finish(&shape[..1]) {
                Some(array) => array,
                None => self.empty(program.ty(*var))?,
            });
        }
        Ok(out)
    }
}
