//! Mistakes of the compiler that tests switch on by the environment (`base::mutation`).

use crate::base::mutation;

/// The name of the mutation.
const VARIABLE: &str = "REMORA_MUTATION";

/// The name of the step of the pipeline whose result is broken.
const FAULT: &str = "REMORA_FAULT";

/// Switches on the mutation and plants the fault that the environment names.
///
/// # Errors
/// The name, if there is no such mutation.
pub(super) fn from_environment() -> Result<(), String> {
    if let Ok(step) = std::env::var(FAULT) {
        crate::driver::faults::plant(step);
    }
    let Some(name) = std::env::var(VARIABLE).ok().filter(|name| !name.is_empty()) else { return Ok(()) };
    mutation::switch_on(mutation::find(&name).ok_or(name)?);
    Ok(())
}

/// Says whether the compiler came to the place of the mutation.
pub(super) fn report() {
    if mutation::reached() {
        eprintln!("{VARIABLE}: reached");
    }
}
