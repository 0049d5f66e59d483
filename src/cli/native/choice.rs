//! `--backend auto`: processors, or the CUDA device where there is one and the program is worth it.

use super::super::program::Loaded;
use super::{Made, Options, Program, finish, prepare_on, standin};
use crate::base::Code;
use crate::diag::Diagnostic;
use crate::driver::{self, Worth};
use crate::interp;
use crate::ir::core::Define;
use crate::ir::soac;
use crate::runtime::Value;

/// A compiled program, and why it is compiled for what it is.
pub struct Chosen {
    /// The program.
    pub program: Program,
    /// The reason, for people.
    pub reason: String,
    /// Whether everybody should know: something is wrong with the device.
    pub warning: bool,
}

/// The variable with the seconds that it takes until a device is ready.
const START: &str = "REMORA_CUDA_START";

/// Compiles an entry point for what is likely to run it with these arguments the fastest. Nobody looks for a device before the work is
/// known to be enough for it.
///
/// # Errors
/// Those of compiling for processors; what is wrong with a device is in the reason.
pub fn prepare(
    loaded: &Loaded,
    define: &Define,
    values: &[Value],
    options: &Options,
    device: Option<u32>,
) -> Result<Chosen, Box<Diagnostic>> {
    let entries = [define.name];
    let native = driver::compile(&loaded.sources, &loaded.checked, &entries, options.strict)?;
    let reason = match worth(loaded, define, values, &native.program, options) {
        _ if options.strict => "only processors give the bits of the evaluator".to_string(),
        None => "the arguments do not fit".into(),
        Some(worth) if !worth.is_it() => worth.reason(),
        Some(worth) => match prepare_on(loaded, &entries, device, Made::default()) {
            Ok(program) => return Ok(Chosen { program, reason: worth.reason(), warning: false }),
            Err(diagnostic) => {
                let reason = format!("the CUDA device is not used: {} ({})", diagnostic.message, diagnostic.code);
                // Most machines have no device.
                let warning = ![Code::NoDriver, Code::NoDevice].contains(&diagnostic.code) || standin::wanted();
                return Ok(Chosen { program: finish(native, options, None)?, reason, warning });
            }
        },
    };
    Ok(Chosen { program: finish(native, options, None)?, reason, warning: false })
}

/// What the entry point does for these arguments; nothing if they are none for it, which is said later.
fn worth(loaded: &Loaded, define: &Define, values: &[Value], program: &soac::Program, options: &Options) -> Option<Worth> {
    let names = loaded.checked.parameter_names(define.name);
    let (operands, _) = interp::components::operands(&define.ty, define.name, values, &names, define.span).ok()?;
    let number =
        |value: &Value| if let Value::Scalar(scalar) = value { scalar.as_i128().and_then(|n| i64::try_from(n).ok()) } else { None };
    let known: Vec<Option<i64>> = operands.iter().map(number).collect();
    let threads = if options.threads > 0 { options.threads } else { std::thread::available_parallelism().map_or(1, usize::from) };
    let start = std::env::var(START).ok().and_then(|text| text.parse().ok());
    Some(Worth::new(driver::work(program, define.name, &known)?, threads, start))
}
