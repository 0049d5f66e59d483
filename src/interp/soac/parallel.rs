//! Parallel expressions, one cell after the other.

use super::super::arrays::outer;
use super::super::failure::{Failure, Outcome, broken, misfit};
use crate::base::{Scalar, Span};
use crate::ir::soac::{Lambda, Operator, Seg, Size, Soac, Var};
use crate::runtime::{Builder, Value};

use super::Run;

impl<'p> Run<'p> {
    pub(super) fn inputs(&self, inputs: &[Var]) -> Vec<Value> {
        inputs.iter().map(|input| self.get(*input).clone()).collect()
    }

    /// The arrays of what was collected, with the types of the variables; empty ones by their types.
    pub(super) fn collected(&self, builders: Vec<Builder>, count: usize, vars: &[Var]) -> Outcome<Vec<Value>> {
        let arrays = builders.into_iter().zip(vars).map(|(builder, var)| {
            if count == 0 {
                return self.empty(self.program.ty(*var));
            }
            builder.finish(&[count]).ok_or_else(|| broken("an array without cells"))
        });
        arrays.collect()
    }

    pub(super) fn soac(&mut self, soac: &'p Soac, pat: &[Var], span: Span) -> Outcome<Vec<Value>> {
        let n = self.natural(&soac.width, span)?;
        let inputs = self.inputs(&soac.inputs);
        let operators: Vec<&'p Operator> = soac.operators().collect();
        let mut sums: Vec<Vec<Value>> = operators.iter().map(|op| op.neutral.iter().map(|a| self.operand(*a)).collect()).collect();
        let (scanned, combined) = (soac.scanned(), soac.combined());
        let mut scans: Vec<Builder> = (0..scanned).map(|_| Builder::new(n)).collect();
        let mut maps: Vec<Builder> = (combined..pat.len()).map(|_| Builder::new(n)).collect();
        for i in 0..n {
            let mut results = self.cell(&soac.lambda, &inputs, i)?;
            let mapped = results.split_off(combined);
            let mut results = results.into_iter();
            let mut scan = scans.iter_mut();
            for (k, operator) in operators.iter().enumerate() {
                let cell: Vec<Value> = results.by_ref().take(operator.neutral.len()).collect();
                let sum = std::mem::take(&mut sums[k]);
                sums[k] = self.combine(operator, sum, cell)?;
                if k < soac.scans.len() {
                    for value in &sums[k] {
                        let builder = scan.next().ok_or_else(|| broken("more sums than results"))?;
                        builder.push(value).map_err(|m| misfit(m, span))?;
                    }
                }
            }
            for (builder, value) in maps.iter_mut().zip(&mapped) {
                builder.push(value).map_err(|m| misfit(m, span))?;
            }
        }
        let mut out = self.collected(scans, n, &pat[..scanned])?;
        out.extend(sums.into_iter().skip(soac.scans.len()).flatten());
        out.extend(self.collected(maps, n, &pat[combined..])?);
        Ok(out)
    }

    /// One index after the other, in row-major order.
    pub(super) fn seg(&mut self, seg: &'p Seg, pat: &[Var], span: Span) -> Outcome<Vec<Value>> {
        let mut sizes = Vec::with_capacity(seg.sizes.len());
        for size in &seg.sizes {
            let n = self.size(size)?;
            // Inner sizes of what does not exist may be negative.
            let none = sizes.contains(&0);
            sizes.push(if none { usize::try_from(n).unwrap_or(0) } else { self.natural(size, span)? });
        }
        let scan = seg.kind.keeps_inner_dimension();
        let operators = seg.kind.operators();
        let (inner, outer) = sizes.split_last().ok_or_else(|| broken("a space without dimensions"))?;
        let segments: usize = outer.iter().product();
        let combined: usize = operators.iter().map(|op| op.neutral.len()).sum();
        let cells = segments * inner;
        // A reduction of everything returns no array.
        let mut whole: Vec<Value> = Vec::new();
        let mut builders: Vec<Builder> =
            (0..pat.len()).map(|k| Builder::new(if k < combined && !scan { segments } else { cells })).collect();
        for segment in 0..segments {
            let mut sums: Vec<Vec<Value>> = operators.iter().map(|op| op.neutral.iter().map(|a| self.operand(*a)).collect()).collect();
            for j in 0..*inner {
                let mut rest = segment * inner + j;
                for (var, n) in seg.space.iter().zip(&sizes).rev() {
                    self.set(*var, Value::Scalar(Scalar::I64((rest % n) as i64)));
                    rest /= n;
                }
                let mut results = self.body(&seg.body)?.into_iter();
                let mut at = 0;
                for (operator, sum) in operators.iter().zip(&mut sums) {
                    let cell: Vec<Value> = results.by_ref().take(operator.neutral.len()).collect();
                    *sum = self.combine(operator, std::mem::take(sum), cell)?;
                    for value in sum.iter().filter(|_| scan) {
                        builders[at].push(value).map_err(|m| misfit(m, span))?;
                        at += 1;
                    }
                }
                for (builder, value) in builders[combined..].iter_mut().zip(results) {
                    builder.push(&value).map_err(|m| misfit(m, span))?;
                }
            }
            if !scan && outer.is_empty() {
                whole = sums.into_iter().flatten().collect();
            } else if !scan {
                for (builder, value) in builders.iter_mut().zip(sums.iter().flatten()) {
                    builder.push(value).map_err(|m| misfit(m, span))?;
                }
            }
        }
        let mut whole = whole.into_iter();
        let results = builders.into_iter().zip(pat).enumerate().map(|(k, (builder, var))| {
            if let Some(value) = whole.next() {
                return Ok(value);
            }
            let (frame, count) = if k < combined && !scan { (outer, segments) } else { (&sizes[..], cells) };
            match count {
                0 => self.empty(self.program.ty(*var)),
                _ => builder.finish(frame).ok_or_else(|| broken("an array without cells")),
            }
        });
        results.collect()
    }

    pub(super) fn filter(&mut self, width: &Size, inputs: &[Var], lambda: &'p Lambda, pat: &[Var], span: Span) -> Outcome<Vec<Value>> {
        let n = self.natural(width, span)?;
        let inputs = self.inputs(inputs);
        let mut builders: Vec<Builder> = pat.iter().skip(1).map(|_| Builder::new(0)).collect();
        let mut count = 0;
        for i in 0..n {
            let results = self.cell(lambda, &inputs, i)?;
            if results.first().and_then(Value::as_bool).ok_or_else(|| broken("a truth value was expected"))? {
                count += 1;
                for (builder, value) in builders.iter_mut().zip(&results[1..]) {
                    builder.push(value).map_err(|m| misfit(m, span))?;
                }
            }
        }
        let kept = Value::Scalar(Scalar::I64(count as i64));
        self.set(pat[0], kept.clone());
        let mut out = vec![kept];
        out.extend(self.collected(builders, count, &pat[1..])?);
        Ok(out)
    }

    /// Scatter, and histogram where there is an operator.
    pub(super) fn write(
        &mut self,
        width: &Size,
        inputs: &[Var],
        lambda: &'p Lambda,
        dests: &[Var],
        operator: Option<&'p Operator>,
        span: Span,
    ) -> Outcome<Vec<Value>> {
        let n = self.natural(width, span)?;
        let inputs = self.inputs(inputs);
        let mut arrays = self.inputs(dests);
        for i in 0..n {
            let mut results = self.cell(lambda, &inputs, i)?.into_iter();
            let at = results.next().and_then(|v| v.as_i64()).ok_or_else(|| broken("an index was expected"))?;
            let size = outer(arrays.first().ok_or_else(|| broken("nothing to write to"))?)?;
            let Some(at) = usize::try_from(at).ok().filter(|at| *at < size) else { continue };
            let mut values: Vec<Value> = results.collect();
            if let Some(operator) = operator {
                let old = arrays.iter().map(|array| array.cell(at).ok_or_else(|| broken("a bin"))).collect::<Outcome<Vec<_>>>()?;
                values = self.combine(operator, old, values)?;
            }
            for (array, value) in arrays.iter_mut().zip(&values) {
                if !array.set_cell(at, value).map_err(|s| Failure::shortage(s, span))? {
                    return Err(broken("a cell does not fit"));
                }
            }
        }
        Ok(arrays)
    }
}
