//! Why a program has no value, for all evaluators.

use crate::base::scalar::{OpError, ScalarOp};
use crate::base::{Chains, Code, Scalar, Span, Symbol};
use crate::diag::Diagnostic;
use crate::runtime::block::Fault;
use crate::runtime::builder::Misfit;
use crate::runtime::{Shortage, Value, dims};

/// Why a program has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// E05xx. E0599 says that core was malformed, which a checked program never is.
    pub code: Code,
    /// Where in the source.
    pub span: Span,
    /// What happened, with the values.
    pub message: String,
    /// The calls in which it happened, innermost first: of those in one file that lie inside of each other only the innermost.
    pub calls: Vec<Span>,
}

/// A value or a failure.
pub type Outcome<T> = Result<T, Box<Failure>>;

impl Failure {
    pub(super) fn new(code: Code, span: Span, message: impl Into<String>) -> Box<Failure> {
        Box::new(Failure { code, span, message: message.into(), calls: Vec::new() })
    }
    pub(super) fn fault(fault: Fault, span: Span) -> Box<Failure> {
        Failure::new(fault.code, span, fault.message)
    }
    /// The failure of a first-order program with the calls that the chains of its place, and of the calls that it left, stand for.
    pub(super) fn through(mut self: Box<Failure>, chains: &Chains) -> Box<Failure> {
        let left = std::mem::take(&mut self.calls);
        let failed = std::mem::take(&mut self.span);
        self.span = failed.bare();
        let calls = chains.calls(failed).chain(left.into_iter().flat_map(|call| std::iter::once(call).chain(chains.calls(call))));
        calls.fold(self, |failure, call| failure.called_at(call.bare()))
    }
    /// The failure as it leaves a call at this place.
    pub(super) fn called_at(mut self: Box<Failure>, call: Span) -> Box<Failure> {
        let inner = self.calls.last().unwrap_or(&self.span);
        if inner.file != call.file && !call.is_none() && !self.span.is_none() {
            self.calls.push(call);
        }
        self
    }
    pub(super) fn shortage(shortage: Shortage, span: Span) -> Box<Failure> {
        Failure::new(Code::OutOfMemory, span, format!("out of memory: {} bytes were requested", shortage.bytes))
    }
    /// As a message for the user.
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic::error(self.code, self.span, self.message.clone())
    }
}

/// Functions call themselves at most so many levels deep.
pub(super) const DEPTH: usize = 20_000;

/// How many arguments messages show.
const SHOWN: usize = 4;

/// Calls of a function inside of itself are too deep; `own` are the arguments of the last one.
#[cold]
pub(super) fn too_deep(name: Symbol, depth: usize, own: &[Value], span: Span) -> Box<Failure> {
    let name = name.as_str().split('.').next().unwrap_or_default();
    let shown = |value: &Value| match value {
        Value::Scalar(scalar) => scalar.to_string(),
        Value::Array(_) | Value::Cells(_) => format!("an array of {}", value.dims().first().copied().unwrap_or_default()),
        Value::Tuple(_) | Value::Box(_) | Value::Sum(_) | Value::Opaque(_) => "..".into(),
    };
    let mut list: Vec<String> = own.iter().take(SHOWN).map(shown).collect();
    list.extend((own.len() > SHOWN).then(|| "..".into()));
    let with = if list.is_empty() { String::new() } else { format!(", here with {}", list.join(", ")) };
    Failure::new(Code::TooDeep, span, format!("`{name}` calls itself too deep: more than {depth} levels{with}"))
}

pub(super) fn broken(what: &str) -> Box<Failure> {
    Failure::new(Code::MalformedCore, Span::default(), format!("malformed core: {what}"))
}

#[cold]
pub(super) fn op_failure(op: ScalarOp, error: OpError, operands: &[Scalar], span: Span) -> Box<Failure> {
    let shown = operands.iter().map(Scalar::to_string).collect::<Vec<_>>().join(" and ");
    match error {
        OpError::DivisionByZero => Failure::new(Code::UndefinedOperation, span, format!("division by zero: the operands are {shown}")),
        OpError::NegativeExponent => {
            Failure::new(Code::UndefinedOperation, span, format!("a power with a negative exponent: the operands are {shown}"))
        }
        OpError::Operands => broken(&format!("{op:?} applied to {shown}")),
    }
}

#[cold]
pub(super) fn negative(size: i64, span: Span) -> Box<Failure> {
    Failure::new(Code::ImpossibleSize, span, format!("an array cannot have the negative size {size}"))
}

#[cold]
pub(super) fn out_of_bounds(index: i64, size: usize, span: Span) -> Box<Failure> {
    Failure::new(Code::OutOfBounds, span, format!("index {index} is out of bounds for an array of size {size}"))
}

#[cold]
pub(super) fn misfit(misfit: Misfit, span: Span) -> Box<Failure> {
    match misfit {
        Misfit::Shortage(shortage) => Failure::shortage(shortage, span),
        Misfit::Irregular { expected, found } => {
            let message = format!("cells of shapes {} and {} do not make an array", dims::Dims::new(&expected), dims::Dims::new(&found));
            Failure::new(Code::SizesDiffer, span, message)
        }
    }
}
