//! NVRTC, NVIDIA's compiler of kernels, looked for when it is needed. What is missing is said; nothing panics.

#![allow(unsafe_code, reason = "calls of NVRTC")]

use std::ffi::{CStr, CString, OsString, c_char, c_int, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;

/// The oldest version that is used.
const OLDEST: c_int = 12;
/// The names of the library; the first is that of machines on which programs are built.
const NAMES: [&str; 3] = ["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"];
/// The variable that names the library itself.
pub const VARIABLE: &str = "REMORA_NVRTC";

type Program = *mut c_void;
type Size = unsafe extern "C" fn(Program, *mut usize) -> c_int;
type Get = unsafe extern "C" fn(Program, *mut c_char) -> c_int;

/// The functions of the library.
pub struct Nvrtc {
    version: (c_int, c_int),
    count: unsafe extern "C" fn(*mut c_int) -> c_int,
    list: unsafe extern "C" fn(*mut c_int) -> c_int,
    name: unsafe extern "C" fn(c_int) -> *const c_char,
    create: unsafe extern "C" fn(*mut Program, *const c_char, *const c_char, c_int, *const c_void, *const c_void) -> c_int,
    compile: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int,
    destroy: unsafe extern "C" fn(*mut Program) -> c_int,
    log: (Size, Get),
    machine: (Size, Get),
    ptx: (Size, Get),
    _library: libloading::Library,
}

/// The files that may be the library, best first.
fn places() -> Vec<OsString> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    if let Some(path) = set(VARIABLE) {
        return vec![path];
    }
    let folders = [set("CUDA_HOME").map(PathBuf::from), set("CUDA_PATH").map(PathBuf::from), Some(PathBuf::from("/usr/local/cuda"))];
    let folders = folders.into_iter().flatten().flat_map(|folder| [folder.join("lib64"), folder.join("lib")]);
    let inside = folders.flat_map(|folder| NAMES.map(|name| folder.join(name).into_os_string()));
    NAMES.map(OsString::from).into_iter().chain(inside).collect()
}

/// The library of this machine, or why there is none.
pub fn nvrtc() -> Result<&'static Nvrtc, &'static str> {
    static FOUND: OnceLock<Result<Nvrtc, String>> = OnceLock::new();
    FOUND.get_or_init(open).as_ref().map_err(String::as_str)
}

fn open() -> Result<Nvrtc, String> {
    let mut problem = String::new();
    for place in places() {
        // SAFETY: NVRTC has no initialisers that matter; who sets the variables says that it is NVRTC.
        let Ok(library) = (unsafe { libloading::Library::new(&place) }) else { continue };
        match Nvrtc::new(library) {
            Ok(found) => return Ok(found),
            Err(why) => problem = format!("`{}` is of no use: {why}", place.display()),
        }
    }
    if problem.is_empty() {
        problem = match std::env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
            Some(path) => format!("`{}`, which {VARIABLE} names, cannot be loaded", path.display()),
            None => "the library that compiles kernels (`libnvrtc.so.12` or newer) is not found".into(),
        };
    }
    Err(problem)
}

impl Nvrtc {
    fn new(library: libloading::Library) -> Result<Nvrtc, String> {
        macro_rules! function {
            ($name:literal) => {
                // SAFETY: nvrtc.h declares the function with this type.
                *unsafe { library.get(concat!($name, "\0").as_bytes()) }.map_err(|_| concat!("it has no function ", $name))?
            };
        }
        let version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int = function!("nvrtcVersion");
        let (mut major, mut minor) = (0, 0);
        // SAFETY: writes two numbers.
        if unsafe { version(&mut major, &mut minor) } != 0 || major < OLDEST {
            return Err(format!("it is too old: it has version {major}.{minor}, needed is {OLDEST}.0"));
        }
        Ok(Nvrtc {
            version: (major, minor),
            count: function!("nvrtcGetNumSupportedArchs"),
            list: function!("nvrtcGetSupportedArchs"),
            name: function!("nvrtcGetErrorString"),
            create: function!("nvrtcCreateProgram"),
            compile: function!("nvrtcCompileProgram"),
            destroy: function!("nvrtcDestroyProgram"),
            log: (function!("nvrtcGetProgramLogSize"), function!("nvrtcGetProgramLog")),
            machine: (function!("nvrtcGetCUBINSize"), function!("nvrtcGetCUBIN")),
            ptx: (function!("nvrtcGetPTXSize"), function!("nvrtcGetPTX")),
            _library: library,
        })
    }

    /// The version, as text.
    pub fn version(&self) -> String {
        format!("{}.{}", self.version.0, self.version.1)
    }

    /// The architectures that it makes code for (90 for `sm_90`).
    pub fn architectures(&self) -> Vec<i32> {
        let mut count = 0;
        // SAFETY: writes a number.
        if unsafe { (self.count)(&mut count) } != 0 {
            return Vec::new();
        }
        let mut found = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: there is room for as many numbers as it said.
        if unsafe { (self.list)(found.as_mut_ptr()) } == 0 { found } else { Vec::new() }
    }

    /// Machine code, or PTX if `machine` is false, of a text; or what it says against it.
    pub fn compile(&self, text: &str, options: &[String], machine: bool) -> Result<Vec<u8>, String> {
        let string = |text: &str| CString::new(text).map_err(|error| error.to_string());
        let text = string(text)?;
        let options = options.iter().map(|option| string(option)).collect::<Result<Vec<_>, _>>()?;
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let mut program = std::ptr::null_mut();
        // SAFETY: everything it is given lives until it returns; the program is destroyed at the end.
        unsafe {
            let none = std::ptr::null();
            self.check((self.create)(&mut program, text.as_ptr(), c"program.cu".as_ptr(), 0, none, none))?;
            let compiled = self.check((self.compile)(program, c_int::try_from(pointers.len()).unwrap_or(0), pointers.as_ptr()));
            let made = match compiled {
                Ok(()) => self.read(program, if machine { self.machine } else { self.ptx }),
                Err(name) => {
                    let log = self.read(program, self.log).unwrap_or_default();
                    let log: Vec<u8> = log.into_iter().take_while(|byte| *byte != 0).collect();
                    Err(format!("{name}\n{}", String::from_utf8_lossy(&log)))
                }
            };
            (self.destroy)(&mut program);
            made
        }
    }

    /// # Safety
    /// The program is one of NVRTC, and the functions read something of it.
    unsafe fn read(&self, program: Program, (size, get): (Size, Get)) -> Result<Vec<u8>, String> {
        let mut count = 0;
        // SAFETY: there is room for what it said.
        unsafe {
            self.check(size(program, &mut count))?;
            let mut bytes = vec![0u8; count];
            self.check(get(program, bytes.as_mut_ptr().cast()))?;
            Ok(bytes)
        }
    }

    fn check(&self, result: c_int) -> Result<(), String> {
        if result == 0 {
            return Ok(());
        }
        // SAFETY: it returns a constant text.
        let text = unsafe { (self.name)(result) };
        // SAFETY: see above.
        Err(if text.is_null() { format!("error {result}") } else { unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned() })
    }
}
