//! Maps: cell by cell, and by several threads once a map has proved to be long enough.

use super::code::Map;
use super::derive::Operators;
use super::run::Run;
use super::{Failure, Outcome};
use crate::base::{Code, ice};
use crate::interp::failure::{broken, misfit};
use crate::interp::interrupt;
use crate::runtime::{Builder, Value, dims};
use rayon::prelude::*;
use std::ops::Range;
use std::time::{Duration, Instant};

/// How long a map runs before it is considered for several threads.
const TRIAL: Duration = Duration::from_micros(100);
/// How long the rest must take for that.
const WORTH: f64 = 200e-6;
/// Pieces per thread, so that uneven cells spread.
const PIECES: usize = 8;

impl Run<'_> {
    /// Evaluates a map.
    pub fn map(&mut self, map: &Map) -> Outcome<Value> {
        let mut arrays = Vec::with_capacity(map.args.len());
        for (slot, arg) in &map.args {
            arrays.push((*slot, self.value(arg)?));
        }
        let frame = self.shape(&map.frame, map.span)?;
        if frame.is_empty() {
            for (slot, value) in arrays {
                self.set(slot, value);
            }
            return self.value(&map.body);
        }
        for (_, array) in &arrays {
            if !array.dims().starts_with(&frame) {
                let message =
                    format!("an array of shape {} is mapped over the frame {}", dims::Dims::new(array.dims()), dims::Dims::new(&frame));
                return Err(Failure::new(Code::SizesDiffer, map.span, message));
            }
        }
        let total = dims::count(&frame);
        if total == 0 {
            return self.empty(&map.cell, &frame, map.span);
        }
        if frame.len() > 1 {
            for (_, array) in &mut arrays {
                *array = array.reframed(frame.len(), &[total]).ok_or_else(|| broken("a frame does not fit"))?;
            }
        }
        let mut builder = match map.scalar {
            Some(prim) => Builder::scalars(prim, total).map_err(|s| Failure::shortage(s, map.span))?,
            None => Builder::new(total),
        };
        let done =
            if self.parallel && total > 1 && self.machine.threads() > 1 { self.trial(map, &arrays, total, &mut builder)? } else { 0 };
        if done < total {
            if done > 0 {
                self.spread(map, &arrays, done..total, &mut builder)?;
            } else {
                self.cells(map, &arrays, 0..total, &mut builder)?;
            }
        }
        builder.finish(&frame).ok_or_else(|| broken("a map with the wrong number of cells"))
    }
    /// Evaluates cells until they are done or several threads are worth while; returns how many are done.
    fn trial(&mut self, map: &Map, arrays: &[(u32, Value)], total: usize, builder: &mut Builder) -> Outcome<usize> {
        let start = Instant::now();
        let (mut done, mut step) = (0, 1);
        while done < total {
            let upto = total.min(done + step);
            self.cells(map, arrays, done..upto, builder)?;
            done = upto;
            let spent = start.elapsed();
            if spent < TRIAL {
                step *= 2;
            } else if spent.as_secs_f64() / done as f64 * (total - done) as f64 > WORTH {
                break;
            } else {
                step = total;
            }
        }
        Ok(done)
    }
    fn cells(&mut self, map: &Map, arrays: &[(u32, Value)], range: Range<usize>, builder: &mut Builder) -> Outcome<()> {
        for i in range {
            interrupt::check()?;
            for (slot, array) in arrays {
                let cell = array.cell(i).ok_or_else(|| broken("a cell is missing"))?;
                self.set(*slot, cell);
            }
            let cell = match map.scalar {
                Some(_) if !self.operators.follow() => Value::Scalar(self.plain(&map.body)?),
                _ => self.value(&map.body)?,
            };
            builder.push(&cell).map_err(|m| misfit(m, map.span))?;
        }
        Ok(())
    }
    /// Evaluates cells on all threads. Of several failures the first in order is reported.
    fn spread(&mut self, map: &Map, arrays: &[(u32, Value)], range: Range<usize>, builder: &mut Builder) -> Outcome<()> {
        let Some(pool) = self.machine.pool() else { return self.cells(map, arrays, range, builder) };
        let count = range.len();
        let pieces = (pool.current_num_threads() * PIECES).min(count).max(1);
        let frame = &self.stack[self.base..];
        let (machine, depth, pass) = (self.machine, self.depth, ice::running());
        let results: Vec<Outcome<Builder>> = pool.install(|| {
            (0..pieces)
                .into_par_iter()
                .map(|piece| {
                    let mut run = Run { machine, stack: frame.to_vec(), base: 0, parallel: false, operators: Operators::default(), depth };
                    let (from, to) = (range.start + count * piece / pieces, range.start + count * (piece + 1) / pieces);
                    let mut part = Builder::new(to - from);
                    ice::named(pass, || run.cells(map, arrays, from..to, &mut part))?;
                    Ok(part)
                })
                .collect()
        });
        for part in results {
            builder.append(part?).map_err(|m| misfit(m, map.span))?;
        }
        Ok(())
    }
}
