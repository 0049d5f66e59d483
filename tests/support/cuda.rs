//! NVIDIA's compilers from their Python packages, which need no GPU: kernels as PTX and as machine code, what they take of a
//! multiprocessor, and tables of that. `.ci/setup` installs them in `.venv`.

#![allow(unsafe_code, reason = "calls of NVRTC")]

use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fmt::Write;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// The machines that code is made for, from one PTX.
const MACHINES: [&str; 2] = ["sm_80", "sm_90"];
const OPTIONS: [&str; 4] = ["--gpu-architecture=compute_80", "--std=c++17", "--device-int128", "--disable-warnings"];

/// What a kernel takes on a machine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct KernelResources {
    /// The name in the text.
    pub kernel: String,
    /// `sm_80`, ..
    pub machine: String,
    /// Of each thread.
    pub registers: u32,
    /// Bytes of static shared memory of each block.
    pub shared: u32,
    /// Bytes of the stack of each thread.
    pub stack: u32,
    /// Bytes that are written when registers do not suffice.
    pub spill_stores: u32,
    /// Bytes that are read back.
    pub spill_loads: u32,
}

/// NVRTC and ptxas.
pub struct Compilers {
    nvrtc: libloading::Library,
    ptxas: PathBuf,
    version: String,
}

/// The compilers; `None`, with a loud message, where they cannot be had.
///
/// # Panics
/// If they are not there although the set-up has run and could download them.
pub fn compilers() -> Option<&'static Compilers> {
    static COMPILERS: OnceLock<Option<Compilers>> = OnceLock::new();
    COMPILERS.get_or_init(find).as_ref()
}

/// NVRTC and ptxas in the virtual environment.
fn installed() -> Option<(PathBuf, PathBuf)> {
    let lib = Path::new(ROOT).join(".venv/lib");
    let packages = std::fs::read_dir(lib).into_iter().flatten().flatten().map(|entry| entry.path().join("site-packages/nvidia"));
    let mut found = packages.map(|nvidia| (nvidia.join("cuda_nvrtc/lib/libnvrtc.so.12"), nvidia.join("cuda_nvcc/bin/ptxas")));
    found.find(|(nvrtc, ptxas)| nvrtc.is_file() && ptxas.is_file())
}

/// The folder of NVRTC.
pub fn nvrtc_folder() -> Option<PathBuf> {
    Some(installed()?.0.parent()?.to_path_buf())
}

fn find() -> Option<Compilers> {
    let venv = Path::new(ROOT).join(".venv");
    if let Some((nvrtc, ptxas)) = installed() {
        // SAFETY: NVRTC has no conditions.
        let nvrtc = unsafe { libloading::Library::new(&nvrtc) }.unwrap_or_else(|error| panic!("{}: {error}", nvrtc.display()));
        let output = Command::new(&ptxas).arg("--version").output().unwrap_or_else(|error| panic!("{}: {error}", ptxas.display()));
        return Some(Compilers { nvrtc, ptxas, version: String::from_utf8_lossy(&output.stdout).into_owned() });
    }
    let loudly = |why: &str| eprintln!("\n*** KERNELS ARE NOT CHECKED WITH NVIDIA'S COMPILERS: {why} ***\n");
    match std::fs::read_to_string(venv.join("no-cuda-compilers")) {
        Ok(why) => loudly(&format!("they could not be downloaded: {}", why.trim())),
        Err(_) if venv.is_dir() || std::env::var_os("CI").is_some() => panic!("NVIDIA's compilers are not in .venv: run .ci/setup"),
        Err(_) => loudly("there is no .venv; run .ci/setup"),
    }
    None
}

/// What the kernels of a text take on each of the machines, sorted. `None` where the compilers cannot be had.
///
/// # Panics
/// If the text is refused.
pub fn compile_cuda(name: &str, text: &str) -> Option<Vec<KernelResources>> {
    let compilers = compilers()?;
    Some(compilers.compile(name, text).unwrap_or_else(|error| panic!("{name}: {error}")))
}

/// The same for many texts, in parallel; the rows of all with the names of the texts, in their order.
///
/// # Panics
/// If a text is refused.
pub fn compile_all(texts: &[(String, String)]) -> Option<Vec<(String, KernelResources)>> {
    let compilers = compilers()?;
    let results: Vec<Result<Vec<KernelResources>, String>> = texts.par_iter().map(|(name, text)| compilers.compile(name, text)).collect();
    let problems: Vec<String> =
        texts.iter().zip(&results).filter_map(|((name, _), r)| r.as_ref().err().map(|e| format!("{name}: {e}"))).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
    let rows =
        texts.iter().zip(results).flat_map(|((name, _), rows)| rows.unwrap_or_default().into_iter().map(move |row| (name.clone(), row)));
    Some(rows.collect())
}

/// The kernels of many programs, each once: many are the same but for names.
pub struct Kernels {
    /// How many there are in the programs.
    pub count: usize,
    units: Vec<Unit>,
}

/// What is compiled for itself or with others.
struct Unit {
    /// A program and its kernel, for messages.
    name: String,
    /// The kernel with the types that it needs, or a whole program.
    text: String,
    /// What stands before it: the device library, or nothing.
    front: String,
    /// What the compilers would see, their options and their version as one number.
    key: u64,
}

impl Kernels {
    /// The kernels of programs (name, text).
    pub fn of(texts: &[(String, String)]) -> Kernels {
        let (mut count, mut kernels, mut units) = (0, BTreeMap::new(), Vec::new());
        let mut library = "";
        for (name, text) in texts {
            match text.split_once(MADE) {
                // Constant arrays stand in front of a program's kernels and belong to all of them.
                Some((front, made)) if !made.contains("remora_table_") && (library.is_empty() || front == library) => {
                    library = front;
                    for (kernel, text) in kernels_of(made) {
                        count += 1;
                        kernels.entry(text).or_insert_with(|| format!("{name}: {kernel}"));
                    }
                }
                parts => {
                    count += parts.map_or(1, |(_, made)| kernels_of(made).len());
                    units.push(Unit { name: name.clone(), text: text.clone(), front: String::new(), key: 0 });
                }
            }
        }
        units.extend(kernels.into_iter().map(|(text, name)| Unit { name, text, front: library.to_string(), key: 0 }));
        let version = compilers().map_or("", |compilers| &compilers.version);
        for unit in &mut units {
            unit.key = sum(&(OPTIONS, MACHINES, version, &unit.front, &unit.text));
        }
        Kernels { count, units }
    }

    /// How many differ.
    pub fn different(&self) -> usize {
        self.units.len()
    }

    /// Those that are compiled now: what is not known to compile, and a thirty-second of the rest.
    fn pending(&self) -> Vec<&Unit> {
        let known = std::fs::read_to_string(known_path()).unwrap_or_default();
        let keys: HashSet<u64> = known.lines().filter_map(|line| u64::from_str_radix(line, 16).ok()).collect();
        let sample = sum(&known) % SAMPLES;
        self.units.iter().filter(|unit| !keys.contains(&unit.key) || unit.key % SAMPLES == sample).collect()
    }

    /// Compiles one of two shares of those that are not known to compile, and of a sample of the others; returns how many that were. Several
    /// are compiled as one text, so that the device library is read once for all of them.
    ///
    /// # Panics
    /// If a kernel is refused.
    pub fn compile(&self, share: usize) -> Option<usize> {
        let compilers = compilers()?;
        let pending = self.pending();
        let (alone, mut together): (Vec<&Unit>, Vec<&Unit>) = pending.into_iter().partition(|unit| unit.front.is_empty());
        together.sort_by_key(|unit| unit.key);
        let groups = together.chunks(GROUP).chain(alone.chunks(1)).skip(share).step_by(2);
        let groups: Vec<&[&Unit]> = groups.collect();
        let problems: Vec<String> = groups
            .par_iter()
            .filter_map(|group| {
                let texts: Vec<&str> = group.iter().map(|unit| unit.text.as_str()).collect();
                let all = compilers.compile("kernels", &(group[0].front.clone() + &texts.concat())).err()?;
                // Which one it is.
                let one = group.iter().find_map(|unit| compilers.compile(&unit.name, &(unit.front.clone() + &unit.text)).err());
                Some(one.unwrap_or(all))
            })
            .collect();
        assert!(problems.is_empty(), "{}", problems.join("\n\n"));
        Some(groups.iter().map(|group| group.len()).sum())
    }

    /// Writes down what is known to compile if `REMORA_BLESS` is 1: all of these, after they were compiled. Says how many are not known else.
    ///
    /// # Panics
    /// If the file cannot be written.
    pub fn keep(&self) {
        if is_blessing() {
            let mut keys: Vec<u64> = self.units.iter().map(|unit| unit.key).collect();
            keys.sort_unstable();
            let text: String = keys.iter().map(|key| format!("{key:016x}\n")).collect();
            std::fs::write(known_path(), KNOWN_HEADER.to_string() + &text).expect("the file can be written");
        }
    }
}

/// What NVIDIA's compilers took, a line for each text.
fn known_path() -> PathBuf {
    Path::new(ROOT).join("tests/data/cuda/compiled.txt")
}

const KNOWN_HEADER: &str = "\
# Kernels of the corpus and of the published algorithms that NVIDIA's compilers took for all machines of tests/support/cuda.rs: a line is the
# text of a kernel, the device library, the options and the version as one number. What is not here is compiled by every run of the tests, and
# of what is here one in 32, which changes with this file. REMORA_BLESS=1 cargo test --test it -- kernels_of_the_corpus rewrites it.
";
/// Of so many kernels that are known to compile one is compiled again.
const SAMPLES: u64 = 32;
/// So many kernels are compiled as one text.
const GROUP: usize = 32;

fn is_blessing() -> bool {
    std::env::var("REMORA_BLESS").is_ok_and(|value| value == "1")
}

/// What stands between the device library and what is made of a program.
const MADE: &str = "/* ---- What is made of the program ---- */";

fn sum(what: &impl Hash) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    what.hash(&mut hasher);
    hasher.finish()
}

/// The kernels of a program with their names: each with the types that it needs, and with other names, those of types and of itself made of
/// what it is.
fn kernels_of(made: &str) -> Vec<(String, String)> {
    let types = regex::Regex::new(r"(?s)\ntypedef struct (remora_\w+) \{.*?\n\} \w+;\n").expect("a pattern");
    let kernels = regex::Regex::new(r#"(?s)\nextern "C" __global__ .*?\nREMORA_ENTRY\((\w+)\)\n"#).expect("a pattern");
    let name = regex::Regex::new(r"[A-Za-z_]\w*").expect("a pattern");
    let own = regex::Regex::new(r"^remora_\w+_k\d+\w*$|^remora_value_\d+$|^\w+_p?\d+$").expect("a pattern");
    let number = regex::Regex::new(r"(remora_fail\(failure, launch, [^;]*?, )\d+(, |\))").expect("a pattern");
    let types: Vec<(String, &str)> =
        types.captures_iter(made).map(|found| (found[1].to_string(), found.get(0).map_or("", |m| m.as_str()))).collect();
    let mut out = Vec::new();
    for found in kernels.captures_iter(made) {
        let kernel = &found[0];
        let words: HashSet<&str> = name.find_iter(kernel).map(|word| word.as_str()).collect();
        let used: String = types.iter().filter(|(name, _)| words.contains(name.as_str())).map(|(_, text)| *text).collect();
        // Numbers of failures do not matter to the compilers.
        let text = number.replace_all(&(used + kernel), "${1}0$2").into_owned();
        let mut names: HashMap<String, String> = HashMap::new();
        let renamed = name.replace_all(&text, |word: &regex::Captures| {
            let word = &word[0];
            if !own.is_match(word) {
                return word.to_string();
            }
            let next = names.len();
            let global = if word.starts_with("remora_") { "_THIS" } else { "" };
            names.entry(word.to_string()).or_insert_with(|| format!("v{next}{global}")).clone()
        });
        let unique = format!("_{:016x}", sum(&renamed));
        out.push((found[1].to_string(), renamed.replace("_THIS", &unique)));
    }
    out
}

/// What the kernels of texts (name, text) take, compared with the table in `tests/data/cuda/GROUP.txt`, or written there if `REMORA_BLESS` is 1. Texts that are those of
/// the table are not compiled, but for one in so many (`samples`), which changes with the table. `None` where the compilers cannot be had.
///
/// # Panics
/// If the table says something else, or a text is refused.
pub fn check_table(group: &str, texts: &[(String, String)], samples: u64) -> Option<Vec<(String, KernelResources)>> {
    let compilers = compilers()?;
    let path = Path::new(ROOT).join(format!("tests/data/cuda/{group}.txt"));
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let key = |text: &str| sum(&(OPTIONS, MACHINES, &compilers.version, text));
    let keys: Vec<String> = texts.iter().map(|(name, text)| format!("# {name} {:016x}", key(text))).collect();
    let known = |at: usize| {
        let sampled = (at as u64 + sum(&expected)).is_multiple_of(samples);
        !is_blessing() && !sampled && expected.lines().any(|line| line == keys[at])
    };
    let (old, new): (Vec<usize>, Vec<usize>) = (0..texts.len()).partition(|at| known(*at));
    let new: Vec<(String, String)> = new.into_iter().map(|at| texts[at].clone()).collect();
    let mut rows = compile_all(&new)?;
    for at in old {
        rows.extend(expected.lines().filter_map(row).filter(|(name, _)| *name == texts[at].0));
    }
    let place = |name: &str| texts.iter().position(|(other, _)| other == name);
    rows.sort_by_key(|(name, row)| (place(name), row.clone()));
    let mut text = TABLE_HEADER.to_string();
    for (name, row) in &rows {
        let KernelResources { kernel, machine, registers, shared, stack, spill_stores, spill_loads } = row;
        writeln!(text, "{name:<20} {kernel:<32} {machine:<7} {registers:>9} {shared:>6} {stack:>5} {spill_stores:>12} {spill_loads:>11}")
            .ok();
    }
    text += &(keys.join("\n") + "\n");
    if is_blessing() {
        std::fs::write(&path, &text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        return Some(rows);
    }
    // A text that is another one may well take the same.
    let table = |text: &str| text.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect::<String>();
    let different =
        |a: &str, b: &str| a.lines().filter(|line| !b.lines().any(|other| other == *line)).map(|l| format!("{l}\n")).collect::<String>();
    let (text, expected) = (table(&text), table(&expected));
    assert!(
        expected == text,
        "tests/data/cuda/{group}.txt is not what the compilers say (REMORA_BLESS=1 rewrites it).\nnew:\n{}old:\n{}",
        different(&text, &expected),
        different(&expected, &text)
    );
    Some(rows)
}

const TABLE_HEADER: &str =
    "text                 kernel                           machine registers shared stack spill-stores spill-loads\n";

/// A row of a table.
fn row(line: &str) -> Option<(String, KernelResources)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name, kernel, machine, numbers @ ..] = words.as_slice() else { return None };
    let numbers: Vec<u32> = numbers.iter().map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let [registers, shared, stack, spill_stores, spill_loads] = numbers[..] else { return None };
    let (kernel, machine) = (kernel.to_string(), machine.to_string());
    Some((name.to_string(), KernelResources { kernel, machine, registers, shared, stack, spill_stores, spill_loads }))
}

impl Compilers {
    /// The rows of a text, from the last time if it was compiled before; or what the compilers have against it.
    pub fn compile(&self, name: &str, text: &str) -> Result<Vec<KernelResources>, String> {
        // Compilers of the same version say the same about the same text.
        let mut hasher = rustc_hash::FxHasher::default();
        (text, OPTIONS, MACHINES, &self.version).hash(&mut hasher);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cuda");
        let kept = folder.join(format!("{:016x}", hasher.finish()));
        let key = format!("{}\n", text.len());
        if let Some(log) = std::fs::read_to_string(&kept).ok().as_deref().and_then(|log| log.strip_prefix(&key)) {
            return parse(log);
        }
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let unique = format!("{}.{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let io = |error: std::io::Error| format!("{}: {error}", folder.display());
        std::fs::create_dir_all(&folder).map_err(io)?;
        let ptx = folder.join(format!("{unique}.ptx"));
        std::fs::write(&ptx, self.ptx(name, text)?).map_err(io)?;
        let logs = MACHINES.par_iter().map(|machine| self.assemble(&ptx, machine, &folder.join(format!("{unique}.{machine}"))));
        let logs: Result<Vec<String>, String> = logs.collect();
        std::fs::remove_file(&ptx).map_err(io)?;
        let log = logs?.concat();
        let temporary = folder.join(unique);
        std::fs::write(&temporary, key + &log).and_then(|()| std::fs::rename(&temporary, &kept)).map_err(io)?;
        parse(&log)
    }

    /// The machine code, which is not kept; what ptxas says.
    fn assemble(&self, ptx: &Path, machine: &str, target: &Path) -> Result<String, String> {
        let mut command = Command::new(&self.ptxas);
        let output = command.args(["-v", "-arch", machine]).arg(ptx).arg("-o").arg(target).output();
        let output = output.map_err(|error| format!("{}: {error}", self.ptxas.display()))?;
        let log = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        std::fs::remove_file(target).ok();
        if output.status.success() { Ok(log) } else { Err(format!("ptxas, {machine}: {log}")) }
    }

    /// # Safety
    /// The function of NVRTC has this type.
    unsafe fn function<F: Copy>(&self, name: &str) -> Result<F, String> {
        // SAFETY: see above.
        unsafe { self.nvrtc.get::<F>(name.as_bytes()) }.map(|function| *function).map_err(|error| error.to_string())
    }

    fn ptx(&self, name: &str, text: &str) -> Result<Vec<u8>, String> {
        type Program = *mut c_void;
        type Create = unsafe extern "C" fn(*mut Program, *const c_char, *const c_char, c_int, *const c_void, *const c_void) -> c_int;
        type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int;
        type Size = unsafe extern "C" fn(Program, *mut usize) -> c_int;
        type Get = unsafe extern "C" fn(Program, *mut c_char) -> c_int;
        type Destroy = unsafe extern "C" fn(*mut Program) -> c_int;
        let string = |text: &str| CString::new(text).map_err(|error| error.to_string());
        let (text, name) = (string(text)?, string(&format!("{name}.cu"))?);
        let options = OPTIONS.map(|option| CString::new(option).unwrap_or_default());
        let pointers = options.each_ref().map(|option| option.as_ptr());
        // SAFETY: the functions have these types in nvrtc.h; everything they are given lives until they return.
        unsafe {
            let read = |program: Program, what: &str| {
                let size: Size = self.function(&format!("nvrtcGet{what}Size"))?;
                let get: Get = self.function(&format!("nvrtcGet{what}"))?;
                let mut count = 0;
                size(program, &mut count);
                let mut bytes = vec![0u8; count + 1];
                get(program, bytes.as_mut_ptr().cast());
                Ok::<_, String>(CStr::from_ptr(bytes.as_ptr().cast()).to_bytes().to_vec())
            };
            let mut program = std::ptr::null_mut();
            let create: Create = self.function("nvrtcCreateProgram")?;
            if create(&mut program, text.as_ptr(), name.as_ptr(), 0, std::ptr::null(), std::ptr::null()) != 0 {
                return Err("NVRTC makes no program".into());
            }
            let compile: Compile = self.function("nvrtcCompileProgram")?;
            let failed = compile(program, pointers.len() as c_int, pointers.as_ptr()) != 0;
            let result = read(program, if failed { "ProgramLog" } else { "PTX" });
            self.function::<Destroy>("nvrtcDestroyProgram")?(&mut program);
            if failed { Err(format!("NVRTC: {}", String::from_utf8_lossy(&result?))) } else { result }
        }
    }
}

/// The rows in what `ptxas -v` says.
fn parse(log: &str) -> Result<Vec<KernelResources>, String> {
    let number_before = |line: &str, what: &str| -> u32 {
        let before = line.split(what).next().filter(|before| before.len() < line.len());
        before
            .and_then(|before| before.split(|c: char| !c.is_ascii_digit()).rfind(|word| !word.is_empty()))
            .and_then(|n| n.parse().ok())
            .unwrap_or(0)
    };
    let mut rows: Vec<KernelResources> = Vec::new();
    for line in log.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let (kernel, rest) = rest.split_once('\'').ok_or(line)?;
            let machine = rest.split('\'').nth(1).ok_or(line)?;
            let (kernel, machine) = (kernel.to_string(), machine.to_string());
            rows.push(KernelResources { kernel, machine, registers: 0, shared: 0, stack: 0, spill_stores: 0, spill_loads: 0 });
        } else if let Some(row) = rows.last_mut() {
            if line.contains("bytes stack frame") {
                row.stack = number_before(line, " bytes stack frame");
                row.spill_stores = number_before(line, " bytes spill stores");
                row.spill_loads = number_before(line, " bytes spill loads");
            } else if line.contains(" registers") {
                row.registers = number_before(line, " registers");
                row.shared = number_before(line, " bytes smem");
            }
        }
    }
    if rows.iter().any(|row| row.registers == 0) {
        return Err(format!("ptxas says something else than before:\n{log}"));
    }
    rows.sort();
    Ok(rows)
}
