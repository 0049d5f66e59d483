//! Functions for certain ranks and types, compiled or not: calls.

#![allow(unsafe_code, reason = "calls with arrays of the caller's")]

use super::report::Refused;
use super::{Form, Inserted, Output, Returned, Settings, work};
use crate::base::{Code, MAX_SIZE, Scalar, SourceMap, Symbol};
use crate::cli::native::{Ended, Shared, Word};
use crate::cli::program::Loaded;
use crate::diag::Diagnostic;
use crate::driver;
use crate::driver::outside::{Extent, Plan};
use crate::ir::core::Define;
use crate::runtime::Value;
use std::sync::Arc;
use std::sync::atomic::AtomicI32;

/// A scalar, or an array of the caller's.
#[derive(Debug, Clone, Copy)]
pub enum Operand<'a> {
    /// A scalar.
    Scalar(Scalar),
    /// The address of the elements, in row-major order, and the sizes.
    Array(*const u8, &'a [usize]),
    /// The same on the device, with the stream (`CUstream`) in which somebody may still write to the elements.
    Device(*const u8, &'a [usize], Option<u64>),
}

/// An argument whose size does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SizeError {
    /// The number of the scalar or array, in the order of the parameters.
    pub operand: usize,
    /// Its dimension.
    pub axis: usize,
    /// The size there.
    pub found: usize,
    /// The size that is needed; nothing if there is none, or if it is larger than any array may be.
    pub wanted: Option<i64>,
    /// The scalar or array that has the size that is needed.
    pub from: Option<(usize, usize)>,
}

/// What a call of an instance ends with.
#[derive(Debug)]
pub enum Failed {
    /// The arguments do not fit.
    Size(SizeError),
    /// The program failed.
    Run(Refused),
    /// Somebody wanted it to end early.
    Stopped,
}

/// A function for certain ranks and types.
pub struct Instance {
    define: Define,
    names: Vec<Option<Symbol>>,
    compiled: Option<Shared>,
    /// What the evaluator runs.
    loaded: Option<Arc<Loaded>>,
    sources: Arc<SourceMap>,
    settings: Settings,
    plan: Plan,
    /// What the parameters look like.
    pub params: Vec<Form>,
    /// What the result looks like.
    pub returned: Returned,
    /// What calls the function, with its type and the maps that were inserted.
    pub inserted: Inserted,
    /// What is to be said of how it is run.
    pub notes: Vec<String>,
}

/// What an instance is made of besides the definition.
pub(super) struct Made {
    pub names: Vec<Option<Symbol>>,
    pub compiled: Option<Shared>,
    pub loaded: Option<Arc<Loaded>>,
    pub sources: Arc<SourceMap>,
    pub settings: Settings,
    pub inserted: Inserted,
    pub notes: Vec<String>,
}

impl Instance {
    /// Of a definition that has been compiled, or is evaluated.
    pub(super) fn new(define: &Define, made: Made) -> Instance {
        let (params, result) = define.ty.interface();
        let Made { names, compiled, loaded, sources, settings, inserted, notes } = made;
        Instance {
            names,
            compiled,
            loaded,
            sources,
            settings,
            plan: Plan::new(&define.ty),
            params: params.iter().map(|param| Form::new(&param.ty, 0)).collect(),
            returned: Returned::new(result),
            inserted,
            notes,
            define: define.clone(),
        }
    }

    /// Whether it is called with [`Instance::call`]; with [`Instance::call_values`] if not.
    pub fn is_direct(&self) -> bool {
        let whole = |shared: &Shared| shared.params() == self.plan.indices.len() + self.params.iter().map(Form::words).sum::<usize>();
        self.compiled.as_ref().is_some_and(whole) && self.params.iter().all(Form::is_plain) && self.returned.is_plain()
    }
    /// Whether the C compiler compiled it.
    pub fn is_compiled(&self) -> bool {
        self.compiled.is_some()
    }
    /// The number of scalars and arrays that it takes.
    pub fn operands(&self) -> usize {
        self.plan.taken.len()
    }
    /// The most bytes that arrays of the program took since the last call of this.
    pub fn peak_bytes(&self) -> Option<i64> {
        self.compiled.as_ref()?.peak_bytes()
    }

    /// Calls a function that [is direct](Instance::is_direct) with arrays where they lie.
    ///
    /// # Safety
    /// There are as many operands as [`Instance::operands`] says, of the types and ranks of `params`; arrays have the sizes that they say,
    /// their elements are in row-major order, aligned, and not written to before this returns; truth values are 0 or 1.
    ///
    /// Between parts of its work it looks at `stop`, and ends where that is not 0.
    ///
    /// # Errors
    /// Sizes that do not fit, and what the program fails with.
    pub unsafe fn call(&self, operands: &[Operand], stop: Option<&'static AtomicI32>) -> Result<Vec<Output>, Failed> {
        let Some(compiled) = &self.compiled else {
            return Err(Failed::Run(Refused::said(Code::MalformedCore, "the function is not compiled")));
        };
        let sizes = self.measure(operands).map_err(Failed::Size)?;
        let indices = self.plan.indices.iter().map(|number| sizes[*number] as u64);
        let mut words: Vec<u64> = indices.collect();
        for operand in operands {
            match *operand {
                Operand::Scalar(scalar) => words.extend(scalar.words()),
                Operand::Array(data, _) => words.push(data as u64),
                Operand::Device(..) => return Err(Failed::Run(Refused::said(Code::DeviceFailed, "an argument is on a device"))),
            }
        }
        // SAFETY: there are as many words as the function takes, see `is_direct`, and the sizes are those of the arrays.
        unsafe { compiled.call(&words, stop) }.map_err(|ended| match ended {
            Ended::Failed(failure) => Failed::Run(Refused::one(&self.sources, &failure)),
            Ended::Stopped => Failed::Stopped,
        })
    }

    /// Whether it runs on a device: [`Instance::call_resident`] is for it.
    pub fn is_on_device(&self) -> bool {
        self.compiled.as_ref().is_some_and(Shared::is_on_device)
    }

    /// Calls a function that [is direct](Instance::is_direct) on a device, where operands may be, and where results stay.
    ///
    /// # Safety
    /// As for [`Instance::call`]; arrays on the device are not written to by what is launched while this runs.
    ///
    /// # Errors
    /// Sizes that do not fit, and what the program fails with.
    pub unsafe fn call_resident(&self, operands: &[Operand]) -> Result<Vec<Output>, Failed> {
        let Some(compiled) = &self.compiled else {
            return Err(Failed::Run(Refused::said(Code::MalformedCore, "the function is not compiled")));
        };
        let sizes = self.measure(operands).map_err(Failed::Size)?;
        let mut words: Vec<Word> = self.plan.indices.iter().map(|number| Word::Plain(sizes[*number] as u64)).collect();
        for (operand, bytes) in operands.iter().zip(&self.plan.taken).map(|(operand, taken)| (operand, taken.bytes)) {
            match *operand {
                Operand::Scalar(scalar) => words.extend(scalar.words().map(Word::Plain)),
                // SAFETY: the caller says that the elements are there.
                Operand::Array(data, dims) => words.push(Word::Host(match dims.iter().product::<usize>() {
                    0 => &[],
                    count => unsafe { std::slice::from_raw_parts(data, count * bytes) },
                })),
                Operand::Device(place, _, stream) => words.push(Word::Device(place, stream)),
            }
        }
        // SAFETY: as in `call`.
        let called = unsafe { compiled.call_resident(&words) };
        called.map_err(|failure| Failed::Run(Refused::one(&self.sources, &failure)))
    }

    /// The sizes of arguments that fit together.
    fn measure(&self, operands: &[Operand]) -> Result<Vec<i64>, SizeError> {
        let mut sizes = vec![0i64; self.plan.seen.len()];
        let mut computed = false;
        for (at, (operand, taken)) in operands.iter().zip(&self.plan.taken).enumerate() {
            let dims = match *operand {
                Operand::Scalar(scalar) => {
                    if let (Some(number), Scalar::I64(value)) = (taken.value, scalar) {
                        sizes[number] = value;
                    }
                    continue;
                }
                Operand::Array(_, dims) | Operand::Device(_, dims, _) => dims,
            };
            for (axis, (extent, size)) in taken.extents.iter().zip(dims).enumerate() {
                if *size as u64 > MAX_SIZE as u64 {
                    return Err(SizeError { operand: at, axis, found: *size, wanted: None, from: None });
                }
                match extent {
                    Extent::New(number) => sizes[*number] = *size as i64,
                    Extent::Known(number) if self.plan.seen[*number].0 <= at => {
                        if sizes[*number] != *size as i64 {
                            return Err(self.differs((at, axis), *size, sizes[*number], Some(*number)));
                        }
                    }
                    Extent::Known(_) | Extent::Computed(_) => computed = true,
                }
            }
        }
        if computed {
            self.check_computed(operands, &sizes)?;
        }
        Ok(sizes)
    }

    /// Compares the sizes that are polynomials of others.
    #[cold]
    fn check_computed(&self, operands: &[Operand], sizes: &[i64]) -> Result<(), SizeError> {
        for (at, (operand, taken)) in operands.iter().zip(&self.plan.taken).enumerate() {
            let (Operand::Array(_, dims) | Operand::Device(_, dims, _)) = *operand else { continue };
            for (axis, (extent, size)) in taken.extents.iter().zip(dims).enumerate() {
                let (wanted, number) = match extent {
                    Extent::New(_) => continue,
                    Extent::Known(number) => (sizes.get(*number).copied(), Some(*number)),
                    Extent::Computed(dim) => {
                        (dim.evaluate(&mut |atom| self.plan.atoms.get(&atom).and_then(|number| sizes.get(*number).copied())), None)
                    }
                };
                if wanted != Some(*size as i64) {
                    return Err(match wanted {
                        Some(wanted) => self.differs((at, axis), *size, wanted, number),
                        None => SizeError { operand: at, axis, found: *size, wanted: None, from: None },
                    });
                }
            }
        }
        Ok(())
    }

    #[cold]
    fn differs(&self, (operand, axis): (usize, usize), found: usize, wanted: i64, number: Option<usize>) -> SizeError {
        SizeError { operand, axis, found, wanted: Some(wanted), from: number.map(|number| self.plan.seen[number]) }
    }

    /// Calls the function with values, compiled or not; everything is copied.
    ///
    /// # Errors
    /// What is wrong with the arguments, and what the program fails with.
    pub fn call_values(&self, args: Vec<Value>) -> Result<Value, Refused> {
        let refuse = |failure: Box<Diagnostic>| Refused::one(&self.sources, &failure);
        if let Some(compiled) = &self.compiled {
            return compiled.call_values(&self.names, args).map_err(refuse);
        }
        let Some(loaded) = &self.loaded else { return Err(Refused::said(Code::MalformedCore, "there is nothing to run")) };
        let threads = (self.settings.threads > 0).then_some(self.settings.threads);
        work(|| driver::run(&loaded.checked, self.define.name, args, threads).map_err(refuse))
    }
}
