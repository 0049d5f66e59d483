//! The C interface of CBC, as far as the crate `coin_cbc` uses it.
//!
//! The library and the thirteen that it needs take longer to load than most programs take to check, and most programs have rank systems
//! that need no integer program. So it is loaded when it is first asked for ([`load`]), not when the process starts. With the feature
//! `linked` it is linked as usual.
#![allow(non_camel_case_types, non_snake_case, clippy::too_many_arguments)]

use std::ffi::{c_char, c_int};

/// A model of CBC, known by its address alone.
#[repr(C)]
pub struct Cbc_Model {
    _private: [u8; 0],
}

/// What positions in the matrix of a model are counted with.
pub type CoinBigIndex = c_int;

/// Declares each function of the interface: linked, or as one that calls what [`load`] has found.
macro_rules! interface {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) $(-> $result:ty)?;)*) => {
        #[cfg(feature = "linked")]
        #[link(name = "CbcSolver")]
        unsafe extern "C" {
            $(#[doc = concat!("`", stringify!($name), "` of the C interface.")] pub fn $name($($arg: $ty),*) $(-> $result)?;)*
        }

        /// The addresses of all functions.
        #[cfg(not(feature = "linked"))]
        struct Functions {
            $($name: unsafe extern "C" fn($($ty),*) $(-> $result)?,)*
        }

        #[cfg(not(feature = "linked"))]
        impl Functions {
            /// Looks all of them up, so that a library without one is refused before anything is asked of it.
            ///
            /// # Safety
            /// The library is CBC's: its functions have the types that are declared here.
            unsafe fn of(library: &libloading::Library) -> Result<Functions, libloading::Error> {
                Ok(Functions { $($name: *unsafe { library.get(concat!(stringify!($name), "\0")) }?,)* })
            }
        }

        $(
            #[doc = concat!("`", stringify!($name), "` of the C interface.")]
            ///
            /// # Safety
            /// [`load`] has succeeded, and the arguments are as CBC's documentation asks for.
            #[cfg(not(feature = "linked"))]
            pub unsafe fn $name($($arg: $ty),*) $(-> $result)? {
                unsafe { (loaded().$name)($($arg),*) }
            }
        )*
    };
}

interface! {
    fn Cbc_newModel() -> *mut Cbc_Model;
    fn Cbc_clone(model: *mut Cbc_Model) -> *mut Cbc_Model;
    fn Cbc_deleteModel(model: *mut Cbc_Model);
    fn Cbc_getVersion() -> *const c_char;

    fn Cbc_loadProblem(model: *mut Cbc_Model, columns: c_int, rows: c_int, start: *const CoinBigIndex, index: *const c_int, value: *const f64,
        column_lower: *const f64, column_upper: *const f64, objective: *const f64, row_lower: *const f64, row_upper: *const f64);
    fn Cbc_readMps(model: *mut Cbc_Model, file: *const c_char) -> c_int;
    fn Cbc_writeMps(model: *mut Cbc_Model, file: *const c_char);
    fn Cbc_printModel(model: *mut Cbc_Model, prefix: *const c_char);

    fn Cbc_getNumCols(model: *mut Cbc_Model) -> c_int;
    fn Cbc_getNumRows(model: *mut Cbc_Model) -> c_int;
    fn Cbc_getNumElements(model: *mut Cbc_Model) -> c_int;
    fn Cbc_getVectorStarts(model: *mut Cbc_Model) -> *const CoinBigIndex;
    fn Cbc_getIndices(model: *mut Cbc_Model) -> *const c_int;
    fn Cbc_getElements(model: *mut Cbc_Model) -> *const f64;
    fn Cbc_maxNameLength(model: *mut Cbc_Model) -> usize;

    fn Cbc_getObjSense(model: *mut Cbc_Model) -> f64;
    fn Cbc_setObjSense(model: *mut Cbc_Model, sense: f64);
    fn Cbc_getObjCoefficients(model: *mut Cbc_Model) -> *const f64;
    fn Cbc_setObjCoeff(model: *mut Cbc_Model, column: c_int, value: f64);
    fn Cbc_getRowLower(model: *mut Cbc_Model) -> *const f64;
    fn Cbc_setRowLower(model: *mut Cbc_Model, row: c_int, value: f64);
    fn Cbc_getRowUpper(model: *mut Cbc_Model) -> *const f64;
    fn Cbc_setRowUpper(model: *mut Cbc_Model, row: c_int, value: f64);
    fn Cbc_getColLower(model: *mut Cbc_Model) -> *const f64;
    fn Cbc_setColLower(model: *mut Cbc_Model, column: c_int, value: f64);
    fn Cbc_getColUpper(model: *mut Cbc_Model) -> *const f64;
    fn Cbc_setColUpper(model: *mut Cbc_Model, column: c_int, value: f64);
    fn Cbc_isInteger(model: *mut Cbc_Model, column: c_int) -> c_int;
    fn Cbc_setContinuous(model: *mut Cbc_Model, column: c_int);
    fn Cbc_setInteger(model: *mut Cbc_Model, column: c_int);
    fn Cbc_addSOS(model: *mut Cbc_Model, rows: c_int, starts: *const c_int, columns: *const c_int, weights: *const f64, kind: c_int);

    fn Cbc_setInitialSolution(model: *mut Cbc_Model, solution: *const f64);
    fn Cbc_setParameter(model: *mut Cbc_Model, name: *const c_char, value: *const c_char);
    fn Cbc_setLogLevel(model: *mut Cbc_Model, level: c_int);
    fn Cbc_solve(model: *mut Cbc_Model) -> c_int;

    fn Cbc_status(model: *mut Cbc_Model) -> c_int;
    fn Cbc_secondaryStatus(model: *mut Cbc_Model) -> c_int;
    fn Cbc_getIterationCount(model: *mut Cbc_Model) -> c_int;
    fn Cbc_checkSolution(model: *mut Cbc_Model);
    fn Cbc_sumPrimalInfeasibilities(model: *mut Cbc_Model) -> f64;
    fn Cbc_numberPrimalInfeasibilities(model: *mut Cbc_Model) -> c_int;
    fn Cbc_isAbandoned(model: *mut Cbc_Model) -> c_int;
    fn Cbc_isProvenOptimal(model: *mut Cbc_Model) -> c_int;
    fn Cbc_isProvenInfeasible(model: *mut Cbc_Model) -> c_int;
    fn Cbc_isContinuousUnbounded(model: *mut Cbc_Model) -> c_int;
    fn Cbc_isNodeLimitReached(model: *mut Cbc_Model) -> c_int;
    fn Cbc_isSecondsLimitReached(model: *mut Cbc_Model) -> c_int;
    fn Cbc_isSolutionLimitReached(model: *mut Cbc_Model) -> c_int;
    fn Cbc_isInitialSolveAbandoned(model: *mut Cbc_Model) -> c_int;
    fn Cbc_isInitialSolveProvenOptimal(model: *mut Cbc_Model) -> c_int;
    fn Cbc_isInitialSolveProvenPrimalInfeasible(model: *mut Cbc_Model) -> c_int;

    fn Cbc_getRowActivity(model: *mut Cbc_Model) -> *const f64;
    fn Cbc_getColSolution(model: *mut Cbc_Model) -> *const f64;
    fn Cbc_getReducedCost(model: *mut Cbc_Model) -> *const f64;
    fn Cbc_getObjValue(model: *mut Cbc_Model) -> f64;
    fn Cbc_getBestPossibleObjValue(model: *mut Cbc_Model) -> f64;
    fn Cbc_printSolution(model: *mut Cbc_Model);
}

/// Loads the library, once in a process. Where it is linked there is nothing to do.
///
/// # Errors
/// What the loader said: there is no such library, or it has not all functions.
#[cfg(feature = "linked")]
pub fn load() -> Result<(), &'static str> {
    Ok(())
}

/// Where the library is looked for before it is where the system keeps libraries: a package that brings it along says so before the first
/// [`load`]. Where it is linked there is nothing to look for.
#[cfg(feature = "linked")]
pub fn look_in(_folder: &std::path::Path) {}

#[cfg(not(feature = "linked"))]
pub use on_demand::{load, look_in};

#[cfg(not(feature = "linked"))]
use on_demand::loaded;

#[cfg(not(feature = "linked"))]
mod on_demand {
    use super::Functions;
    use libloading::Library;
    use std::error::Error as _;
    use std::path::{Path, PathBuf};
    use std::sync::OnceLock;

    /// What the library is called: first with the version of its interface, which is there without the files for developers.
    const NAMES: &[&str] = if cfg!(target_os = "macos") {
        &["libCbcSolver.3.dylib", "libCbcSolver.dylib"]
    } else if cfg!(windows) {
        &["CbcSolver.dll"]
    } else {
        &["libCbcSolver.so.3", "libCbcSolver.so"]
    };

    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    static FUNCTIONS: OnceLock<Result<Functions, String>> = OnceLock::new();

    fn functions() -> &'static Result<Functions, String> {
        FUNCTIONS.get_or_init(|| {
            let mut said = None;
            let brought = FOLDER.get().into_iter().flat_map(|folder| NAMES.iter().map(move |name| folder.join(name)));
            for name in brought.filter(|file| file.exists()).chain(NAMES.iter().map(PathBuf::from)) {
                // SAFETY: what CBC and its libraries run when they are loaded initialises their own data; `Functions` has its types.
                let found = unsafe { Library::new(&name).and_then(|library| Functions::of(&library).map(|found| (library, found))) };
                match found {
                    Ok((library, functions)) => {
                        // It stays for as long as the process.
                        std::mem::forget(library);
                        return Ok(functions);
                    }
                    Err(error) => _ = said.get_or_insert(error),
                }
            }
            Err(said.map_or_else(String::new, |error| words(&error)))
        })
    }

    /// Where the library is looked for before it is where the system keeps libraries: a package that brings it along says so before the
    /// first [`load`]; the first folder that is named counts.
    pub fn look_in(folder: &Path) {
        _ = FOLDER.set(folder.to_path_buf());
    }

    /// What the loader says is the source of what `libloading` says.
    fn words(error: &libloading::Error) -> String {
        error.source().map_or_else(|| error.to_string(), ToString::to_string)
    }

    /// Loads the library, once in a process.
    ///
    /// # Errors
    /// What the loader said: there is no such library, or it has not all functions.
    pub fn load() -> Result<(), &'static str> {
        functions().as_ref().map(|_| ()).map_err(String::as_str)
    }

    /// The functions that [`load`] has found.
    pub(super) fn loaded() -> &'static Functions {
        match functions() {
            Ok(functions) => functions,
            Err(error) => panic!("the solver CBC is asked before it was loaded, and cannot be: {error}"),
        }
    }
}

/// The version of the library.
///
/// # Errors
/// As [`load`].
pub fn version() -> Result<String, &'static str> {
    load()?;
    // SAFETY: the library is loaded, and the text is its own and stays.
    Ok(unsafe { std::ffi::CStr::from_ptr(Cbc_getVersion()) }.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest value of `5a + 4b + 3c` where `2a + 3b + c <= 5`, `4a + b + 2c <= 11` and all three are at most 3: 14 at `(1, 0, 3)`.
    #[test]
    fn a_small_program_is_solved() {
        load().expect("the library is there");
        let (start, index) = ([0, 2, 4, 6], [0, 1, 0, 1, 0, 1]);
        let value = [2.0, 4.0, 3.0, 1.0, 1.0, 2.0];
        let (lower, upper, objective) = ([0.0; 3], [3.0; 3], [5.0, 4.0, 3.0]);
        let (row_lower, row_upper) = ([f64::NEG_INFINITY; 2], [5.0, 11.0]);
        // SAFETY: the matrix has three columns and two rows, and the model is deleted once.
        unsafe {
            let model = Cbc_newModel();
            Cbc_setLogLevel(model, 0);
            Cbc_loadProblem(
                model,
                3,
                2,
                start.as_ptr(),
                index.as_ptr(),
                value.as_ptr(),
                lower.as_ptr(),
                upper.as_ptr(),
                objective.as_ptr(),
                row_lower.as_ptr(),
                row_upper.as_ptr(),
            );
            (0..3).for_each(|column| Cbc_setInteger(model, column));
            Cbc_setObjSense(model, -1.0);
            Cbc_solve(model);
            assert_eq!(Cbc_isProvenOptimal(model), 1);
            assert!((Cbc_getObjValue(model) - 14.0).abs() < 1e-9);
            let solution = std::slice::from_raw_parts(Cbc_getColSolution(model), 3);
            assert!(solution.iter().zip([1.0, 0.0, 3.0]).all(|(found, right)| (found - right).abs() < 1e-9), "{solution:?}");
            Cbc_deleteModel(model);
        }
    }
}
