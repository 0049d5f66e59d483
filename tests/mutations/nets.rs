//! What finds mistakes: `remora test` on the programs of the corpus on each back end, and generated programs.

use super::generated;
use crate::support::{programs, sanitizers, shim};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A way to look for mistakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Net {
    /// The corpus in the evaluators of programs before and after flattening, with the validators of all passes before.
    Evaluators,
    /// The corpus in the evaluators of programs with explicit memory, for processors and for devices, which follow every cell.
    Imp,
    /// The corpus compiled.
    Cpu,
    /// The corpus on the stand-in device.
    Device,
    /// The corpus compiled with sanitizers.
    Sanitized,
    /// Generated programs in the evaluators, compiled, on the stand-in device, and with sanitizers.
    GeneratedEvaluators,
    GeneratedCpu,
    GeneratedDevice,
    GeneratedSanitized,
}
use Net::*;

const NETS: &[(Net, &str)] = &[
    (Evaluators, "evaluators"),
    (Imp, "imp"),
    (GeneratedEvaluators, "generated"),
    (Cpu, "cpu"),
    (GeneratedCpu, "generated-cpu"),
    (Device, "device"),
    (GeneratedDevice, "generated-device"),
    (Sanitized, "sanitized"),
    (GeneratedSanitized, "generated-sanitized"),
];

/// How a mistake showed.
pub struct Caught {
    /// The program, or the seed.
    pub program: String,
    /// What was said.
    pub what: String,
}

impl Caught {
    pub fn line(&self) -> String {
        format!("{}: {}", self.program, self.what)
    }
}

/// Programs that one process tests.
const TOGETHER: usize = 6;
/// How long they may take.
const PATIENCE: Duration = Duration::from_secs(180);

impl Net {
    pub fn name(self) -> &'static str {
        NETS.iter().find(|(net, _)| *net == self).expect("all have names").1
    }
    pub fn named(name: &str) -> Option<Net> {
        NETS.iter().find(|(_, of)| *of == name).map(|(net, _)| *net)
    }
    pub fn is_generated(self) -> bool {
        matches!(self, GeneratedEvaluators | GeneratedCpu | GeneratedDevice | GeneratedSanitized)
    }
    /// Whether it takes no C compiler.
    pub fn is_quick(self) -> bool {
        matches!(self, Evaluators | Imp)
    }
    /// The nets for a source file, the cheapest first: those that run what is made of it.
    pub fn of(file: &str) -> Vec<Net> {
        let device = ["middle/flatten", "back/cuda", "back/variants", "back/lower/kernels", "back/lower/bins", "back/lower/scratch"]
            .iter()
            .any(|part| file.starts_with(part));
        let evaluated = file.starts_with("middle");
        let mut out: Vec<Net> = NETS.iter().map(|(net, _)| *net).collect();
        out.retain(|net| evaluated || !matches!(net, Evaluators | GeneratedEvaluators));
        out.retain(|net| !device || matches!(net, Evaluators | Imp | GeneratedEvaluators | Device | GeneratedDevice));
        out.retain(|net| !["back/text", "back/c/", "back/cuda"].iter().any(|part| file.starts_with(part)) || *net != Imp);
        out
    }

    /// Whether it finds a mutation with the program that found it before.
    pub fn again(self, mutation: &str, program: &str) -> Option<Caught> {
        if self.is_generated() {
            return generated::run(self, mutation, Instant::now() + PATIENCE, program.parse().ok());
        }
        self.test(mutation, &[program.to_string()])
    }

    /// Looks until a time; programs with many hits first.
    pub fn run(self, mutation: &str, end: Instant, hits: &BTreeMap<String, usize>) -> Option<Caught> {
        if self.is_generated() {
            return generated::run(self, mutation, end, None);
        }
        let mut names = subset();
        names.sort_by_key(|name| std::cmp::Reverse(hits.get(name).copied().unwrap_or(0)));
        // Those that have found much alone, the others in groups.
        let known = names.iter().take_while(|name| hits.contains_key(*name) || name.starts_with(TRAPS)).count();
        let (first, rest) = names.split_at(known);
        for group in first.chunks(1).chain(rest.chunks(TOGETHER)) {
            if Instant::now() > end {
                return None;
            }
            if let Some(caught) = self.test(mutation, group) {
                return Some(caught);
            }
        }
        None
    }

    /// Tests programs with the mutation. What they do without it is looked at only when they fail.
    fn test(self, mutation: &str, names: &[String]) -> Option<Caught> {
        let what = self.remora(Some(mutation), names).err()?;
        if names.len() > 1 {
            return names.iter().find_map(|name| self.test(mutation, std::slice::from_ref(name)));
        }
        match self.remora(None, names) {
            Ok(()) => Some(Caught { program: names[0].clone(), what }),
            Err(_) => None,
        }
    }

    /// On the device the traps are run once more while each access to memory is watched.
    fn remora(self, mutation: Option<&str>, names: &[String]) -> Result<(), String> {
        self.once(mutation, names, false)?;
        let watched = self == Device && names.iter().all(|name| name.starts_with(TRAPS));
        if watched { self.once(mutation, names, true) } else { Ok(()) }
    }
    fn once(self, mutation: Option<&str>, names: &[String], watched: bool) -> Result<(), String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_remora"));
        command.stdin(Stdio::null()).current_dir(folder).arg("test").args(["--exact", "--jobs", "2"]);
        self.prepare(&mut command);
        command.envs(watched.then_some(("REMORA_SHIM_WATCH", "1")));
        if self == Sanitized {
            // Programs from standard input are tested in the process itself, which looks for leaks at its end.
            let [name] = names else { return names.iter().try_for_each(|name| self.once(mutation, std::slice::from_ref(name), watched)) };
            let path = folder.join(name);
            command.current_dir(path.parent().unwrap_or(folder)).arg("-").stdin(File::open(&path).expect("it is there"));
        } else {
            command.args(names);
        }
        match mutation {
            Some(name) => command.env("REMORA_MUTATION", name),
            None => command.env_remove("REMORA_MUTATION"),
        };
        finish(command, PATIENCE).map_err(|said| telling(&said))
    }

    fn prepare(self, command: &mut Command) {
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR"));
        command.env("REMORA_CACHE", kept.join("mutations-cache")).env("REMORA_CFLAGS", "-O1");
        match self {
            Evaluators => _ = command.args(["--backend", "soac,kernel"]),
            Imp => _ = command.args(["--backend", "imp,imp-device"]),
            Device => {
                let folder = kept.join("shim");
                command.args(["--backend", "cuda"]).env("REMORA_CFLAGS", "-O0");
                command.env("REMORA_DEVICE", shim::device().expect("the device is made"));
                command.env("REMORA_SHIM_LIBRARY", shim::runtime().expect("the device is made"));
                command.env("REMORA_SHIM_HEADER", Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/shim/shim.h"));
                command.env("REMORA_SHIM_FOLDER", folder).env("REMORA_SHIM_SEED", "7");
            }
            Sanitized => {
                command.args(["--backend", "cpu", "--threads", "2"]);
                // Sums that wrap around say so themselves; with the option that programs are compiled with the sanitizer would not look.
                sanitizers::prepare(command, "-O1 -fno-wrapv").expect("the C compiler has sanitizers");
            }
            _ => _ = command.args(["--backend", "cpu", "--threads", "2"]),
        }
    }
}

/// Whether a process ends well and in time; if not, why.
pub fn finish(mut command: Command, patience: Duration) -> Result<(), String> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let reader = |mut from: Box<dyn Read + Send>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            from.read_to_end(&mut bytes).ok();
            String::from_utf8_lossy(&bytes).into_owned()
        })
    };
    let out = reader(Box::new(child.stdout.take().expect("piped")));
    let err = reader(Box::new(child.stderr.take().expect("piped")));
    let start = Instant::now();
    let status = loop {
        match child.try_wait().expect("a child") {
            Some(status) => break Some(status),
            None if start.elapsed() > patience => {
                child.kill().ok();
                child.wait().ok();
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let Some(status) = status else { return Err("it does not end".into()) };
    if status.success() {
        return Ok(());
    }
    let (out, err) = (out.join().unwrap_or_default(), err.join().unwrap_or_default());
    Err(format!("{status}\n{out}{err}"))
}

/// What is worth knowing of what a process said.
pub fn telling(said: &str) -> String {
    let words = [
        "broke its contract",
        "panicked at",
        "ERROR: AddressSanitizer",
        "runtime error",
        "LeakSanitizer",
        "shim:",
        "error[",
        "expected",
        "failed",
    ];
    let found = words.iter().find_map(|word| said.lines().find(|line| line.contains(word)));
    let status = said.lines().next().unwrap_or_default();
    format!("{status}: {}", found.unwrap_or_default().trim()).chars().take(160).collect()
}

/// The programs that are there for mutations, each of which is tested by itself at first.
const TRAPS: &str = "tests/data/corpus/traps";

/// The programs of the corpus that run, those about what the compiler does first, small ones before large ones.
fn subset() -> Vec<String> {
    let first = [
        TRAPS,
        "tests/data/corpus/updates",
        "tests/data/corpus/compiled",
        "tests/data/corpus/scalars",
        "tests/data/corpus/language",
        "tests/data/corpus",
    ];
    let rank = |name: &str| first.iter().position(|folder| name.starts_with(folder)).unwrap_or(first.len());
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
    let mut names: Vec<(usize, u64, String)> = programs::accepted(&["tests/data/corpus", "examples"])
        .into_iter()
        .map(|source| (rank(&source.name), size(&source.path), source.name))
        .collect();
    names.sort();
    // Those among the first ones that are to fail were left out.
    let traps = programs::programs(&[TRAPS]).into_iter().map(|source| source.name);
    let others = names.into_iter().map(|(.., name)| name).filter(|name| !name.starts_with(TRAPS));
    traps.chain(others).collect()
}
