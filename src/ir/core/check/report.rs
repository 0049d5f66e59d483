//! Rules that core breaks, in words.

use super::error::{Arguments, Binder, Binding, Called, CoreError, ErrorKind, FormError, Place, Wanted};
use crate::base::Code;
use crate::diag::Diagnostic;
use crate::ir::core::free::Name;
use crate::ir::core::is_shape;
use crate::ir::core::print::{index, shape, type_brief};
use crate::ir::core::{Index, ShapeItem, Type};

impl CoreError {
    /// As a message to the user.
    pub fn diagnostic(&self) -> Diagnostic {
        let diagnostic = Diagnostic::error(Code::IllTypedCore, self.span, self.message());
        match self.def {
            Some(def) => diagnostic.note(format!("in the core definition `{def}`")),
            None => diagnostic,
        }
    }

    /// One sentence without a full stop.
    pub fn message(&self) -> String {
        message(&self.kind)
    }
}

fn message(kind: &ErrorKind) -> String {
    use ErrorKind as E;
    match kind {
        E::Form(error) => form(error),
        E::DefinedTwice(name) => format!("`{name}` is defined twice"),
        E::RecursiveConstant(name) => format!("`{name}` is marked as recursive and is no function"),
        E::UnknownVariable(name) => format!("the variable `{name}` is not in scope"),
        E::Mismatch { place, expected, found } => mismatch(*place, expected, found),
        E::NotOf { wanted, found } => {
            let wanted = match wanted {
                Wanted::Function => "function",
                Wanted::Tuple => "tuple",
                Wanted::Record => "record",
                Wanted::Sum => "sum",
                Wanted::Box => "box",
            };
            format!("expected a {wanted} of rank 0, found {}", type_brief(found))
        }
        E::LiteralShape => "the shape of this literal is too large".to_string(),
        E::LiteralCount { shape: dims, items } => format!("a literal of shape {} cannot have {items} items", shape(dims)),
        E::ItemType { elem, found } => format!("an item of this array of {elem} has type {found}"),
        E::NoComponent { at, of } => format!("there is no component {at} in a tuple of {of}"),
        E::NoField { label, ty } => format!("there is no field `{label}` in {}", type_brief(ty)),
        E::NoConstructor { label, ty } => format!("there is no constructor `{label}` in {}", type_brief(ty)),
        E::Coercion { from, to } => {
            let (from, to) = (type_brief(from), type_brief(to));
            format!("a value of type {from} cannot be coerced to {to}: they differ in more than sizes")
        }
        E::NoParameters => "a function has at least one parameter".to_string(),
        E::NoArguments => "an application has at least one argument".to_string(),
        E::NoInstance => "an instantiation has at least one type or index".to_string(),
        E::Count { called: of, takes, what, given } => {
            let what = match what {
                Arguments::Values => "argument",
                Arguments::Indices => "index argument",
                Arguments::Types => "type argument",
            };
            format!("{} takes {takes} {what}{}, not {given}", called(*of), if *takes == 1 { "" } else { "s" })
        }
        E::NoSize { argument, called: of } => {
            format!("argument {} of {} appears in a type and is not a size expression", argument + 1, called(*of))
        }
        E::TakesNo { called: of, what, ty } => {
            let what = match what {
                Arguments::Values => "arguments",
                Arguments::Indices => "indices",
                Arguments::Types => "types",
            };
            format!("{} takes no {what}, its type is {}", called(*of), type_brief(ty))
        }
        E::IndexSort { name, given } => {
            let (wanted, sort) = match given {
                Index::Dim(_) => ("shape", "size"),
                Index::Shape(_) => ("size", "shape"),
            };
            format!("`{name}` stands for a {wanted}, {} is a {sort}", index(given))
        }
        E::NoValue(what) => format!("the body of {} is not a value", binder(*what)),
        E::Escape { name, from: Binding::Let } => {
            format!("the value of `{name}` is not known outside its scope, where the type of this expression mentions it")
        }
        E::Escape { name, from: Binding::Map } => {
            format!("irregular: the shape of the cells of this map depends on `{name}`, which differs from cell to cell")
        }
        E::Escape { name, from: Binding::Unbox } => {
            format!("`{name}` is not known outside this unbox, where the type of its body mentions it")
        }
        E::NoFrame { name, found, frame } => {
            format!("the array for `{name}` has shape {}, which does not begin with the frame {}", shape(found), shape(frame))
        }
        E::HiddenNames(ty) => format!("the names of this unbox do not fit the hidden indices of {}", type_brief(ty)),
    }
}

fn form(error: &FormError) -> String {
    use FormError as E;
    match error {
        E::NotInScope(Name::Index(name)) if is_shape(*name) => format!("the shape `{name}` is not in scope"),
        E::NotInScope(Name::Index(name)) => format!("the size `{name}` is not in scope"),
        E::NotInScope(Name::Type(name)) => format!("the type `{name}` is not in scope"),
        E::NotInScope(Name::Size(x)) => format!("(size {x}): the variable `{x}` is not in scope"),
        E::VariableIsNoSize(x) => format!("(size {x}): the variable `{x}` is not of type i64"),
        E::ParameterIsNoSize(x) => format!("(size {x}): the parameter `{x}` is not of type i64"),
        E::SizeWanted => "a size is expected here".to_string(),
        E::ShapeWanted => "a shape is expected here".to_string(),
        E::TooLarge => "a size in this type is too large to write out".to_string(),
        E::UnknownSize(number) => format!("the size ?{number} is not known"),
        E::ShapeForSize(name) => format!("`{name}` is a shape, a size is expected here"),
        E::SizeForShape(name) => format!("`{name}` is a size, a shape is expected here"),
        E::ShapeForType(name) => format!("`{name}` is a shape, a type is expected here"),
        E::ShapeSigil(name) => format!("`{name}` has the sigil of a shape, a type variable is expected here"),
        E::NoParameters => "a function type has at least one parameter".to_string(),
        E::NotJoined => "a function type whose result is a function is written with all parameters joined".to_string(),
        E::EmptySum => "a sum type has at least one constructor".to_string(),
        E::BindsNothing(what) => format!("{} binds nothing", binder(*what)),
        E::BoundTwice(name) => format!("`{name}` is bound twice by one binder"),
        E::LabelOrder(label) => format!("the label `{label}` is not in ascending order or occurs twice"),
    }
}

fn binder(binder: Binder) -> &'static str {
    match binder {
        Binder::Forall => "Forall",
        Binder::Pi => "Pi",
        Binder::IFn => "i-fn",
        Binder::TFn => "t-fn",
    }
}

fn called(called: Called) -> String {
    match called {
        Called::Name(name) => format!("`{name}`"),
        Called::Function => "this function".to_string(),
    }
}

fn mismatch(place: Place, expected: &Type, found: &Type) -> String {
    let what = match place {
        Place::BodyOf(name) => format!("the body of `{name}`"),
        Place::ValueOf(name) => format!("the value of `{name}`"),
        Place::FunctionBody => "the body of this function".to_string(),
        Place::SecondBranch => "the second branch has another type than the first".to_string(),
        Place::Condition => "the condition".to_string(),
        Place::FirstValueOf(name) => format!("the first value of `{name}`"),
        Place::Iterations => "the number of iterations".to_string(),
        Place::LoopBody => "the body of this loop".to_string(),
        Place::BoxContent => "the value in this box".to_string(),
        Place::Cell(at) => format!("cell {at} of this frame"),
        Place::Payload(label) => format!("the payload of `{label}`"),
        Place::Argument { at, of } => format!("argument {} of {}", at + 1, called(of)),
    };
    let message = format!("{what}: expected {}, found {}", type_brief(expected), type_brief(found));
    // An example helps where sizes with variables differ.
    let constant = |ty: &Type| ty.shape().items.iter().all(|item| matches!(item, ShapeItem::Dim(dim) if dim.as_constant().is_some()));
    match expected.shape().same(found.shape()) {
        Err(difference) if !(constant(expected) && constant(found)) => format!("{message}; the shapes are not equal, {difference}"),
        _ => message,
    }
}
