//! What compiling and running programs needs of a machine, and whether it is there.

use super::{build, compiler::Compiler, cuda};
use crate::diag::Diagnostic;

/// Something that is needed, or of use.
pub struct Part {
    /// What it is called.
    pub name: &'static str,
    /// What there is, or why it cannot be used.
    pub found: Result<String, String>,
    /// Whether programs cannot be compiled without it.
    pub needed: bool,
    /// How it is had.
    pub install: Vec<String>,
}

/// All parts.
pub fn parts() -> Vec<Part> {
    let compiler = c_compiler();
    // Nothing can be said of the library where the compiler makes no program.
    let library = compiler.found.is_ok().then(library);
    std::iter::once(compiler).chain(library).chain([cache(), driver(), nvrtc()]).collect()
}

fn said(diagnostic: &Diagnostic) -> String {
    diagnostic.message.clone()
}

/// It has to say what it is, and to make a library of a function that needs no header.
fn c_compiler() -> Part {
    let found = Compiler::find(false).map_err(|diagnostic| said(&diagnostic)).and_then(|compiler| {
        let named = format!("{}: {}", compiler.called(), compiler.version());
        let made = build::library("int remora_compiles(void) { return 0; }\n", false, None);
        made.map(|_| named.clone()).map_err(|diagnostic| format!("{named}: it does not work: {}", said(&diagnostic)))
    });
    let install = vec!["apt-get install gcc libc6-dev".into(), "or name another in CC, such as CC=clang".into()];
    Part { name: "C compiler", found, needed: true, install }
}

/// A small program is compiled, which takes the headers and the libraries that programs need.
fn library() -> Part {
    let text = "#include <math.h>\n#include <pthread.h>\n\
                double remora_doctor(double x) { return exp(x) + (double)(pthread_self() == pthread_self()); }\n";
    let found =
        build::library(text, false, None).map(|_| "compiles and links, with threads".to_string()).map_err(|diagnostic| said(&diagnostic));
    let install = vec!["apt-get install gcc libc6-dev".into()];
    Part { name: "C library", found, needed: true, install }
}

fn cache() -> Part {
    let found = match build::cache() {
        None => Err("there is no folder for it: neither REMORA_CACHE nor XDG_CACHE_HOME nor HOME is set".into()),
        Some((folder, entries, bytes)) => {
            let size = bytes as f64 / f64::from(1 << 20);
            let trial = folder.join(format!(".doctor.{}", std::process::id()));
            let missing: Vec<_> = folder.ancestors().take_while(|part| !part.exists()).collect();
            let written =
                std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&trial, "")).and_then(|()| std::fs::remove_file(&trial));
            // It only looks: folders that were made for the trial go again, unless somebody else put something into them.
            missing.iter().for_each(|part| drop(std::fs::remove_dir(part)));
            match written {
                Ok(()) => Ok(format!("{}, {entries} entries, {size:.0} MiB", folder.display())),
                Err(error) => Err(format!("`{}` cannot be written: {error}", folder.display())),
            }
        }
    };
    Part { name: "cache", found, needed: false, install: vec!["REMORA_CACHE names another folder".into()] }
}

fn driver() -> Part {
    let found = cuda::Device::open(None, None).map(|device| {
        let name = super::load::Device::name(&device);
        format!("{name}, compute capability {}", device.architecture())
    });
    let install = vec!["programs run on processors without it; apt-get install nvidia-driver for a device of NVIDIA".into()];
    Part { name: "CUDA device", found: found.map_err(|diagnostic| said(&diagnostic)), needed: false, install }
}

fn nvrtc() -> Part {
    let found = cuda::nvrtc_version();
    let install = vec!["only needed with a device: pip install nvidia-cuda-nvrtc-cu12, and REMORA_NVRTC names the file".into()];
    Part { name: "NVRTC", found, needed: false, install }
}
