//! Functions as generalised universal functions of NumPy (`numpy.ufunc` with a signature): NumPy finds the loops around what a function is
//! written for, and has the function mapped over the innermost of them, by the instance that inference makes for that.

use crate::call::Function;
use crate::dtypes;
use crate::failures::{self, Kind};
use numpy::npyffi::{PY_UFUNC_API, PyUFuncGenericFunction, npy_intp};
use pyo3::prelude::*;
use remora::embed::{self, Failed, Instance, Operand, Output, Refused, Scalar, Signature};
use std::collections::HashMap;
use std::ffi::{CString, c_char, c_int, c_void};
use std::sync::{Arc, Mutex, PoisonError};

/// What the loop of a function needs. It lives as long as the process, as NumPy keeps the address.
struct Loop {
    program: Arc<embed::Program>,
    function: Arc<embed::Function>,
    signature: Signature,
    /// The names of sizes in NumPy's order: as they first occur.
    sizes: Vec<String>,
    /// Instances by which of the arguments are mapped over.
    instances: Mutex<HashMap<Vec<bool>, Arc<Instance>>>,
}

/// What NumPy keeps the addresses of.
struct Kept {
    of: Loop,
    functions: [PyUFuncGenericFunction; 1],
    data: [*mut c_void; 1],
    types: Vec<c_char>,
    name: CString,
    doc: CString,
    signature: CString,
}

/// Makes the function.
pub fn make<'py>(py: Python<'py>, function: &Function) -> PyResult<Bound<'py, PyAny>> {
    let (program, of) = function.parts();
    let Some(signature) = of.signature.clone() else {
        let text = format!(
            "{}() cannot be a gufunc: it has to take and return scalars and arrays, and every size of its results has to be a size of an \
             argument; its type is {}",
            of.name, of.ty
        );
        return Err(failures::argument(py, &text));
    };
    if signature.takes.is_empty() {
        return Err(failures::argument(py, &format!("{}() cannot be a gufunc: it takes nothing", of.name)));
    }
    let mut sizes: Vec<String> = Vec::new();
    for name in signature.takes.iter().flat_map(|(_, names)| names) {
        if !sizes.contains(name) {
            sizes.push(name.clone());
        }
    }
    let number = |name: &String| sizes.iter().position(|other| other == name).unwrap_or_default();
    // Names of the language need not be names of NumPy's.
    let shown = |(_, names): &embed::Named| format!("({})", names.iter().map(|n| format!("n{}", number(n))).collect::<Vec<_>>().join(","));
    let list = |all: &[embed::Named]| all.iter().map(shown).collect::<Vec<_>>().join(",");
    let text = format!("{}->{}", list(&signature.takes), list(&signature.returns));
    let types = signature.takes.iter().chain(&signature.returns).map(|(prim, _)| dtypes::number(*prim) as c_char).collect();
    let (takes, returns) = (signature.takes.len() as c_int, signature.returns.len() as c_int);
    let text_of = |text: &str| CString::new(text.replace('\0', "?")).unwrap_or_default();
    let doc = format!("{} : {}\n{}", of.name, of.ty, of.doc.as_deref().unwrap_or_default());
    let kept = Box::leak(Box::new(Kept {
        functions: [Some(run)],
        data: [std::ptr::null_mut()],
        types,
        name: text_of(&of.name),
        doc: text_of(&doc),
        signature: text_of(&text),
        of: Loop { program, function: of, signature, sizes, instances: Mutex::default() },
    }));
    kept.data[0] = std::ptr::from_ref(&kept.of).cast_mut().cast();
    // SAFETY: everything that NumPy gets addresses of lives as long as the process.
    unsafe {
        let made = PY_UFUNC_API.PyUFunc_FromFuncAndDataAndSignature(
            py,
            kept.functions.as_mut_ptr(),
            kept.data.as_mut_ptr(),
            kept.types.as_mut_ptr(),
            1,
            takes,
            returns,
            -1,
            kept.name.as_ptr(),
            kept.doc.as_ptr(),
            0,
            kept.signature.as_ptr(),
        );
        Bound::from_owned_ptr_or_err(py, made)
    }
}

/// An array of NumPy's within the loop: where it begins, how far it is from one call to the next, and its own sizes and steps.
struct View {
    data: *mut u8,
    step: isize,
    dims: Vec<usize>,
    steps: Vec<isize>,
    bytes: usize,
    /// What the address of an element is a multiple of: as of the parts of complex numbers.
    align: usize,
}

impl View {
    fn is_dense(&self, calls: usize) -> bool {
        let mut wanted = self.bytes as isize;
        for (size, step) in self.dims.iter().zip(&self.steps).rev() {
            if *size != 1 && *step != wanted {
                return false;
            }
            wanted *= *size as isize;
        }
        (calls == 1 || self.step == wanted) && self.data.addr().is_multiple_of(self.align)
    }
    /// Does something for each element of a call, in row-major order.
    fn each(&self, call: usize, visit: &mut dyn FnMut(*mut u8)) {
        fn go(at: *mut u8, dims: &[usize], steps: &[isize], visit: &mut dyn FnMut(*mut u8)) {
            match (dims, steps) {
                ([size, dims @ ..], [step, steps @ ..]) => {
                    (0..*size).for_each(|k| go(at.wrapping_offset(k as isize * step), dims, steps, visit))
                }
                _ => visit(at),
            }
        }
        go(self.data.wrapping_offset(call as isize * self.step), &self.dims, &self.steps, visit);
    }
    fn count(&self) -> usize {
        self.dims.iter().product()
    }
}

/// Elements in row-major order, aligned for any type.
struct Copy {
    words: Vec<u64>,
}

impl Copy {
    fn of(view: &View, calls: usize) -> Option<Copy> {
        let bytes = view.count().checked_mul(calls)?.checked_mul(view.bytes)?;
        let mut words: Vec<u64> = Vec::new();
        words.try_reserve_exact(bytes.div_ceil(8)).ok()?;
        words.resize(bytes.div_ceil(8), 0);
        let mut to = words.as_mut_ptr().cast::<u8>();
        for call in 0..calls {
            view.each(call, &mut |from| {
                // SAFETY: the element is in the array, and there is room for as many as the array has.
                unsafe {
                    std::ptr::copy_nonoverlapping(from, to, view.bytes);
                    to = to.add(view.bytes);
                }
            });
        }
        Some(Copy { words })
    }
}

/// Why a loop ends early.
enum Problem {
    Refused(Kind, Refused),
    Said(String),
}

impl Loop {
    fn instance(&self, mapped: &[bool]) -> Result<Arc<Instance>, Problem> {
        let known = || self.instances.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(instance) = known().get(mapped) {
            return Ok(instance.clone());
        }
        let given: Vec<embed::Given> =
            self.signature.takes.iter().zip(mapped).map(|((prim, names), more)| vec![(*prim, names.len() + usize::from(*more))]).collect();
        let made = self.program.instance(&self.function, &given).map_err(|refused| Problem::Refused(Kind::Rank, refused))?;
        let made = Arc::new(made);
        known().insert(mapped.to_vec(), made.clone());
        Ok(made)
    }

    /// # Safety
    /// As NumPy calls loops.
    unsafe fn views(&self, args: *mut *mut c_char, dimensions: *mut npy_intp, steps: *mut npy_intp) -> (usize, Vec<View>) {
        let all: Vec<&embed::Named> = self.signature.takes.iter().chain(&self.signature.returns).collect();
        // SAFETY: NumPy gives the number of calls, then the sizes in the order of their names in the signature; for each argument and result
        // an address and a step, and behind the steps those of the dimensions of each.
        let (calls, sizes, args, outer, mut inner) = unsafe {
            let calls = *dimensions as usize;
            let sizes: Vec<usize> = (0..self.sizes.len()).map(|k| *dimensions.add(1 + k) as usize).collect();
            (calls, sizes, std::slice::from_raw_parts(args, all.len()), std::slice::from_raw_parts(steps, all.len()), steps.add(all.len()))
        };
        let mut views = Vec::with_capacity(all.len());
        for (k, (prim, names)) in all.iter().enumerate() {
            let size = |name: &String| self.sizes.iter().position(|other| other == name).map_or(0, |at| sizes[at]);
            // SAFETY: see above.
            let own: Vec<isize> = unsafe { (0..names.len()).map(|axis| *inner.add(axis)).collect() };
            // SAFETY: see above.
            inner = unsafe { inner.add(names.len()) };
            views.push(View {
                data: args[k].cast(),
                step: outer[k],
                dims: names.iter().map(size).collect(),
                steps: own,
                bytes: prim.bytes(),
                align: prim.part().unwrap_or(*prim).bytes(),
            });
        }
        (calls, views)
    }

    fn run(&self, calls: usize, views: &[View]) -> Result<(), Problem> {
        let (takes, returns) = views.split_at(self.signature.takes.len());
        if calls == 0 {
            return Ok(());
        }
        let mapped: Vec<bool> = takes.iter().map(|view| calls > 1 && view.step != 0).collect();
        let any = mapped.contains(&true);
        let instance = self.instance(&mapped)?;
        if !instance.is_direct() {
            return Err(Problem::Said(format!("{}: there is no C compiler, without which a gufunc does not work", self.function.name)));
        }
        let mut copies = Vec::new();
        let mut shapes = Vec::with_capacity(takes.len());
        for (view, mapped) in takes.iter().zip(&mapped) {
            let times = if *mapped { calls } else { 1 };
            let truths = view.bytes == 1;
            let data = if view.is_dense(times) && !truths {
                view.data.cast_const()
            } else {
                let copy = Copy::of(view, times).ok_or_else(|| Problem::Said(format!("{}: out of memory", self.function.name)))?;
                copies.push(copy);
                copies.last().map_or(std::ptr::null(), |copy| copy.words.as_ptr().cast())
            };
            let dims: Vec<usize> = mapped.then_some(calls).into_iter().chain(view.dims.iter().copied()).collect();
            shapes.push((data, dims));
        }
        for ((data, dims), (prim, _)) in shapes.iter().zip(&self.signature.takes) {
            if *prim == embed::PrimType::Bool {
                // SAFETY: truth values are copied above, so that this is a copy of ours.
                let bytes = unsafe { std::slice::from_raw_parts_mut(data.cast_mut(), dims.iter().product()) };
                bytes.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
            }
        }
        let operand = |((data, dims), (prim, _)): (&(*const u8, Vec<usize>), &embed::Named)| match dims.as_slice() {
            [] => {
                // SAFETY: there is one element.
                let bytes = unsafe { std::slice::from_raw_parts(*data, prim.bytes()) };
                Operand::Scalar(Scalar::of_bytes(bytes, *prim).unwrap_or(Scalar::Bool(false)))
            }
            dims => Operand::Array(*data, unsafe { std::slice::from_raw_parts(dims.as_ptr(), dims.len()) }),
        };
        let operands: Vec<Operand> = shapes.iter().zip(&self.signature.takes).map(operand).collect();
        // SAFETY: the instance was made for these types and ranks, and the elements are dense.
        let outputs = unsafe { instance.call(&operands, None) }.map_err(|failed| match failed {
            Failed::Run(refused) => Problem::Refused(Kind::Run, refused),
            Failed::Size(_) | Failed::Stopped => Problem::Said(format!("{}: the sizes do not fit", self.function.name)),
        })?;
        for (output, view) in outputs.iter().zip(returns) {
            let bytes;
            let mut from = match output {
                Output::Array(owned) => owned.data().cast_const(),
                Output::Device(_) => return Err(Problem::Said(format!("{}: the result is on a device", self.function.name))),
                Output::Scalar(scalar) => {
                    bytes = scalar.bytes().0;
                    bytes.as_ptr()
                }
            };
            let start = from;
            for call in 0..calls {
                // Where nothing was mapped over, all calls have the same result.
                if !any {
                    from = start;
                }
                // SAFETY: the result has the sizes that the signature says, and NumPy has room for it.
                view.each(call, &mut |to| unsafe {
                    std::ptr::copy_nonoverlapping(from, to, view.bytes);
                    from = from.add(view.bytes);
                });
            }
        }
        Ok(())
    }
}

/// The loop that NumPy calls, without the interpreter.
unsafe extern "C" fn run(args: *mut *mut c_char, dimensions: *mut npy_intp, steps: *mut npy_intp, data: *mut c_void) {
    let work = || {
        // SAFETY: that is what was given to NumPy.
        let of = unsafe { &*data.cast_const().cast::<Loop>() };
        // SAFETY: NumPy calls this.
        let (calls, views) = unsafe { of.views(args, dimensions, steps) };
        of.run(calls, &views)
    };
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    let problem = match outcome {
        Ok(Ok(())) => return,
        Ok(Err(problem)) => problem,
        Err(_) => Problem::Said("internal error in the loop of a gufunc".into()),
    };
    Python::attach(|py| {
        let error = match problem {
            Problem::Refused(kind, refused) => failures::refused(py, kind, "", &refused),
            Problem::Said(text) => failures::argument(py, &text),
        };
        error.restore(py);
    });
}
