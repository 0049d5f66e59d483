//! `--backend auto`: processors, or the CUDA device where there is one and offloading pays.

use super::super::program::Loaded;
use super::{Made, Options, Program, finish, prepare_on, standin};
use crate::diag::Diagnostic;
use crate::driver::backends::{self, Reason};
use crate::driver::{self, OffloadCost};
use crate::interp;
use crate::ir::core::Define;
use crate::ir::soac;
use crate::runtime::Value;

/// The variable with the seconds that it takes until a device is ready.
const START: &str = "REMORA_CUDA_START";

/// Compiles an entry point for what is likely to run it with these arguments the fastest, with the reason. Nobody looks for a device before
/// the work is known to be enough for it.
///
/// # Errors
/// Those of compiling for processors; what is wrong with a device is in the reason.
pub fn prepare(
    loaded: &Loaded,
    define: &Define,
    values: &[Value],
    options: &Options,
    device: Option<u32>,
) -> Result<(Program, Reason), Box<Diagnostic>> {
    let entries = [define.name];
    let native = driver::compile(&loaded.sources, &loaded.checked, &entries, options.strict)?;
    let cost = offload_cost(loaded, define, values, &native.program, options);
    let (wanted, mut reason) = backends::device_for(cost.as_ref(), options.strict);
    if wanted {
        match prepare_on(loaded, &entries, device, Made::default()) {
            Ok(program) => return Ok((program, reason)),
            Err(failure) => reason = backends::without_device(&failure, standin::wanted()),
        }
    }
    Ok((finish(native, options, None)?, reason))
}

/// What the entry point does for these arguments; nothing if they are none for it, which is said later.
fn offload_cost(loaded: &Loaded, define: &Define, values: &[Value], program: &soac::Program, options: &Options) -> Option<OffloadCost> {
    let names = loaded.checked.parameter_names(define.name);
    let (operands, _) = interp::components::operands(&define.ty, define.name, values, &names, define.span).ok()?;
    let number =
        |value: &Value| if let Value::Scalar(scalar) = value { scalar.as_i128().and_then(|n| i64::try_from(n).ok()) } else { None };
    let known: Vec<Option<i64>> = operands.iter().map(number).collect();
    let threads = if options.threads > 0 { options.threads } else { std::thread::available_parallelism().map_or(1, usize::from) };
    let start = std::env::var(START).ok().and_then(|text| text.parse().ok());
    Some(OffloadCost::new(driver::work(program, define.name, &known)?, threads, start))
}
