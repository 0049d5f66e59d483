//! What ghosts say: an array is in cells, and its elements are those that were there when it was made. So a cell that was written since
//! then does not belong to it any more, and nothing may use the array that needs the cell.

use super::Machine;
use super::fault::{Run, fault};
use super::frame::{Address, Frame};
use super::memory::BufferId;
use crate::base::Scalar;
use crate::ir::imp::Expr;
use crate::ir::imp::ghost::{Ghost, Name, Origin, View};
use rustc_hash::{FxHashMap, FxHashSet};

/// Of larger arrays as many cells are looked at, evenly spread, others each time.
const LARGE: usize = 1 << 12;
/// So many instead once more cells have been looked at than a few times those that were written: the checks are not to take longer than
/// the program.
const FEW: usize = 8;
const FREE: u64 = 1 << 16;

/// An array in memory.
#[derive(Debug, Clone)]
pub(super) struct Place {
    start: Address,
    /// Sizes and strides, of dimensions with several cells.
    dims: Vec<(i64, i64)>,
    /// When its elements were what they are to be.
    time: u64,
}

/// What ghosts say about arrays, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Ghosts(FxHashMap<usize, Place>);

impl Place {
    /// The number of cells, repeated ones once.
    fn count(&self) -> usize {
        self.dims.iter().fold(1usize, |all, (n, _)| all.saturating_mul(usize::try_from(*n).unwrap_or(0)))
    }
    /// The number in the buffer of cell `k` in row-major order.
    fn cell(&self, k: usize) -> i64 {
        let (mut rest, mut at) = (k as i64, self.start.1);
        for (n, stride) in self.dims.iter().rev() {
            // Where a check is still to fail, nobody says that the cells exist.
            at = at.wrapping_add((rest % n).wrapping_mul(*stride));
            rest /= n;
        }
        at
    }
    /// The cells that are looked at: at most so many, beginning with one that is another one at other times.
    fn cells(&self, most: usize, now: u64) -> impl Iterator<Item = i64> + '_ {
        let count = self.count();
        let step = count / most + 1;
        let first = now as usize % step;
        (first..count).step_by(step).map(|k| self.cell(k))
    }
}

impl<'p> Machine<'p> {
    pub fn ghost(&mut self, ghost: &'p Ghost, frame: &mut Frame<'p>) -> Run {
        match ghost {
            Ghost::Array(name, view, origin) => self.ghost_array(*name, view, *origin, frame),
            Ghost::Forget(name) => {
                frame.ghosts.0.remove(&name.number);
                Ok(())
            }
            Ghost::Use(names, span) => {
                self.place = *span;
                names.iter().try_for_each(|name| self.ghost_use(*name, None, frame))
            }
            Ghost::UseRest(name, view, span) => {
                self.place = *span;
                let rest = self.ghost_place(view, frame)?;
                let cells = rest.iter().flat_map(|rest| (0..rest.count()).map(|k| (rest.start.0, rest.cell(k)))).collect();
                self.ghost_use(*name, Some(&cells), frame)
            }
            Ghost::Read(name, ptr, index) => {
                let (Some(place), Some((buffer, start))) = (frame.ghosts.0.get(&name.number), frame.ptrs[ptr.raw()]) else { return Ok(()) };
                let time = place.time;
                let Some(index) = self.ghost_number(index, frame)? else { return Ok(()) };
                self.ghost_cell(*name, buffer, start.wrapping_add(index), time)
            }
        }
    }

    /// A number, if it is defined.
    fn ghost_number(&mut self, e: &'p Expr, frame: &Frame<'p>) -> Run<Option<i64>> {
        Ok(match self.expr(e, frame)? {
            Some(Scalar::I64(n)) => Some(n),
            _ => None,
        })
    }
    /// The cells of a view, as far as they are defined.
    fn ghost_place(&mut self, view: &'p View, frame: &Frame<'p>) -> Run<Option<Place>> {
        let Some((buffer, start)) = frame.ptrs[view.ptr.raw()] else { return Ok(None) };
        let Some(offset) = self.ghost_number(&view.offset, frame)? else { return Ok(None) };
        let mut dims = Vec::with_capacity(view.dims.len());
        for (n, stride) in &view.dims {
            let (Some(n), Some(stride)) = (self.ghost_number(n, frame)?, self.ghost_number(stride, frame)?) else { return Ok(None) };
            // Copies that share memory are looked at once.
            dims.push((if stride == 0 { n.min(1) } else { n }.max(0), stride));
        }
        let place = Place { start: (buffer, start.wrapping_add(offset)), dims, time: self.memory.time };
        // An array of a size that is impossible: a check is to fail before anything is done with it.
        Ok((place.count() <= self.memory.buffer(buffer).cells.len()).then_some(place))
    }

    fn ghost_array(&mut self, name: Name, view: &'p View, origin: Origin, frame: &mut Frame<'p>) -> Run {
        let mut place = self.ghost_place(view, frame)?;
        match origin {
            Origin::New => {}
            Origin::Of(other) => match (&mut place, frame.ghosts.0.get(&other.number)) {
                (Some(place), Some(other)) => place.time = other.time,
                // Nothing is known of the other one.
                _ => place = None,
            },
            Origin::Same(other) => {
                self.ghost_use(other, None, frame)?;
                if let (Some(new), Some(old)) = (&place, frame.ghosts.0.get(&other.number)) {
                    self.ghost_same(other, old, new)?;
                }
            }
        }
        match place {
            Some(place) => frame.ghosts.0.insert(name.number, place),
            None => frame.ghosts.0.remove(&name.number),
        };
        Ok(())
    }

    /// Two places hold the same.
    fn ghost_same(&self, name: Name, old: &Place, new: &Place) -> Run {
        let dims = |place: &Place| place.dims.iter().map(|(n, _)| *n).collect::<Vec<_>>();
        let same = old.start == new.start && old.dims == new.dims;
        if same || dims(old) != dims(new) || old.count() > LARGE || self.looked.get() > FREE + 2 * self.memory.time {
            return Ok(());
        }
        for k in 0..old.count() {
            let at = [old, new].map(|place| (place.start.0, place.cell(k)));
            let [a, b] = at.map(|(buffer, at)| self.memory.position(buffer, at, "used").map(|k| self.memory.peek(buffer, k)));
            if let (Some(a), Some(b)) = (a?, b?)
                && !a.same_bits(b)
            {
                return fault(format!("the array `{}` has element {k} {a}, and where it was moved to it is {b}", name.name));
            }
        }
        Ok(())
    }

    /// The cells of an array are still its own.
    fn ghost_use(&self, name: Name, but: Option<&FxHashSet<(BufferId, i64)>>, frame: &Frame<'p>) -> Run {
        let Some(place) = frame.ghosts.0.get(&name.number) else { return Ok(()) };
        let (buffer, now) = (place.start.0, self.memory.time);
        let spent = self.looked.get();
        let most = if spent > FREE + 2 * now { FEW } else { LARGE };
        self.looked.set(spent + place.count().min(most) as u64);
        place
            .cells(most, now)
            .filter(|at| but.is_none_or(|but| !but.contains(&(buffer, *at))))
            .try_for_each(|at| self.ghost_cell(name, buffer, at, place.time))
    }
    fn ghost_cell(&self, name: Name, buffer: BufferId, at: i64, time: u64) -> Run {
        if self.memory.written(buffer, at).is_some_and(|last| last <= time) {
            return Ok(());
        }
        let k = self.memory.position(buffer, at, &format!("used as one of the array `{}`", name.name))?;
        let shadow = self.memory.shadow(buffer, k);
        let (by, whose) = (self.writer(shadow.by), &self.memory.buffer(buffer).name);
        fault(format!(
            "the array `{}` is used after element {at} of the buffer `{whose}`, which belongs to it, was overwritten by `{by}`",
            name.name
        ))
    }
}
