//! What runs a program, and what follows where that cannot: limits and what a machine lacks are answered by another back end, with a note,
//! if `auto` was asked for. Mistakes of programs and bugs of ours are never answered like that.

use super::OffloadCost;
use crate::base::Code;
use crate::diag::Diagnostic;

/// What was asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Backend {
    /// What is likely to be the fastest.
    #[default]
    Auto,
    /// The evaluator of core.
    Interp,
    /// Processors, by way of C.
    Cpu,
    /// The CUDA device of the machine.
    Cuda,
}

/// What runs a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runner {
    /// The evaluator of core.
    Evaluator,
    /// Processors.
    Processors,
    /// A device.
    Device,
    /// Processors or a device, after a look at the arguments ([`device_for`]).
    Fastest,
}

/// What the choice depends on besides the back end that was asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Facts {
    /// The result shows boxes, which compiled programs do not have.
    pub shows_boxes: bool,
    /// The program has `#[trace]`, which compiled programs ignore.
    pub traced: bool,
    /// What the program was built for, if it is one that was: [`Runner::Processors`] or [`Runner::Device`].
    pub built: Option<Runner>,
}

/// What runs the program first, and a note for the user where that needs one.
pub fn first(backend: Backend, facts: Facts) -> (Runner, Option<&'static str>) {
    let compiled = match (backend, facts.built) {
        (Backend::Interp, _) => return (Runner::Evaluator, None),
        (Backend::Auto, _) if facts.shows_boxes => return (Runner::Evaluator, None),
        (Backend::Cuda, _) | (Backend::Auto, Some(Runner::Device)) => return (Runner::Device, None),
        (Backend::Cpu, _) | (Backend::Auto, Some(Runner::Processors | Runner::Evaluator | Runner::Fastest)) => Runner::Processors,
        (Backend::Auto, None) => Runner::Fastest,
    };
    match (facts.traced && facts.built.is_none(), backend) {
        (false, _) => (compiled, None),
        (true, Backend::Auto) => (Runner::Evaluator, Some("note: the evaluator runs this program, slowly: it has `#[trace]`")),
        (true, Backend::Cpu | Backend::Cuda | Backend::Interp) => {
            (compiled, Some("note: `#[trace]` shows nothing in compiled programs: use `--backend interp`"))
        }
    }
}

/// What runs the program where what was tried failed with this, with the note for the user; nothing if the failure is the answer.
pub fn next(backend: Backend, tried: Runner, failure: &Diagnostic) -> Option<(Runner, String)> {
    let because = |text: &str| format!("note: {text}: {} ({})", failure.message, failure.code);
    match (backend, tried, failure.code) {
        (Backend::Auto, Runner::Processors | Runner::Fastest, Code::NotCompiled | Code::CCompiler) => {
            Some((Runner::Evaluator, because("the evaluator runs this program, slowly")))
        }
        (Backend::Auto, Runner::Device, Code::OutOfMemory | Code::DeviceFailed) => {
            Some((Runner::Processors, because("processors run this program")))
        }
        _ => None,
    }
}

/// Why a program runs on processors or on the device of the machine.
#[derive(Debug, PartialEq, Eq)]
pub struct Reason {
    /// The reason in words.
    pub text: String,
    /// Whether something is wrong with the machine, which everybody should know, not only who asks.
    pub warning: bool,
}

/// Whether a device is tried for arguments with this cost (`None`: they do not fit the program, which is reported later), and the reason.
/// `strict` asks for the evaluator's bits.
pub fn device_for(cost: Option<&OffloadCost>, strict: bool) -> (bool, Reason) {
    let (device, text) = match cost {
        _ if strict => (false, "only processors give the bits of the evaluator".to_string()),
        None => (false, "the arguments do not fit".to_string()),
        Some(cost) => (cost.pays(), cost.reason()),
    };
    (device, Reason { text, warning: false })
}

/// Why processors run a program although a device would be faster: there is none. Most machines have none, so that is no warning unless the
/// user named a driver (`named`).
pub fn without_device(failure: &Diagnostic, named: bool) -> Reason {
    let text = format!("the CUDA device is not used: {} ({})", failure.message, failure.code);
    Reason { text, warning: named || !matches!(failure.code, Code::NoDriver | Code::NoDevice) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Backend; 4] = [Backend::Auto, Backend::Interp, Backend::Cpu, Backend::Cuda];

    #[test]
    fn what_was_asked_for_runs() {
        let first = |backend, facts: Facts| super::first(backend, facts).0;
        let facts = Facts::default();
        assert_eq!(ALL.map(|backend| first(backend, facts)), [Runner::Fastest, Runner::Evaluator, Runner::Processors, Runner::Device]);
        let boxes = Facts { shows_boxes: true, ..facts };
        assert_eq!(ALL.map(|backend| first(backend, boxes)), [Runner::Evaluator, Runner::Evaluator, Runner::Processors, Runner::Device]);
        let built = |runner| Facts { built: Some(runner), ..facts };
        assert_eq!(first(Backend::Auto, built(Runner::Device)), Runner::Device);
        assert_eq!(first(Backend::Cpu, built(Runner::Device)), Runner::Processors);
        assert_eq!(first(Backend::Auto, built(Runner::Processors)), Runner::Processors);
    }

    #[test]
    fn traces_are_shown_or_the_user_is_told() {
        let traced = Facts { traced: true, ..Facts::default() };
        let (runner, note) = first(Backend::Auto, traced);
        assert!(runner == Runner::Evaluator && note.is_some_and(|note| note.contains("slowly")));
        let (runner, note) = first(Backend::Cpu, traced);
        assert!(runner == Runner::Processors && note.is_some_and(|note| note.contains("--backend interp")));
        assert_eq!(first(Backend::Interp, traced), (Runner::Evaluator, None));
    }

    /// Every code with every back end: only limits, the C compiler and the machine are answered by another back end, and only for `auto`.
    #[test]
    fn mistakes_and_bugs_are_never_answered_by_another_back_end() {
        for &code in crate::base::Code::ALL {
            let failure = Diagnostic::bare(code, "x");
            for backend in ALL {
                for tried in [Runner::Evaluator, Runner::Processors, Runner::Device, Runner::Fastest] {
                    let expected = match (backend, tried) {
                        (Backend::Auto, Runner::Processors | Runner::Fastest) => [Code::NotCompiled, Code::CCompiler].contains(&code),
                        (Backend::Auto, Runner::Device) => [Code::OutOfMemory, Code::DeviceFailed].contains(&code),
                        _ => false,
                    };
                    let next = next(backend, tried, &failure);
                    assert_eq!(next.is_some(), expected, "{backend:?} {tried:?} {code}");
                    assert!(next.is_none_or(|(_, note)| note.contains(code.number())));
                }
            }
        }
    }

    #[test]
    fn devices_that_are_missing_are_no_news() {
        let reason = |code, named| without_device(&Diagnostic::bare(code, "x"), named).warning;
        assert!(!reason(Code::NoDriver, false) && !reason(Code::NoDevice, false));
        assert!(reason(Code::NoDriver, true) && reason(Code::DeviceFailed, false));
        assert_eq!(device_for(None, false).1.text, "the arguments do not fit");
        assert!(!device_for(None, true).0);
    }
}
