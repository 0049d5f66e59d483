//! What is wrong with arrays in words: kinds, shapes, nesting.

use super::with;
use crate::base::{Code, Span};
use crate::diag::Diagnostic;
use crate::front::apl::error::{
    Agreement, Axis, Computed, Constant, IndexError, Items, KindError, LengthError, MixtureError, NestingError, Origin, RankError, Role,
    StaticError, Wanted,
};
use crate::front::apl::value::{Kind, dim_shown, shape_shown};
use crate::ir::core::Dim;

/// A whole number as scripts write it.
fn number(n: i64) -> String {
    n.to_string().replace('-', "¯")
}

/// `1 index`, `2 indices`.
fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// An array by its shape.
fn array(shape: &[Dim]) -> String {
    if shape.is_empty() { "a scalar".to_string() } else { format!("an array of {}", shape_shown(shape)) }
}

/// With the places that arrays come from, if these are not that of the error.
fn from(mut diagnostic: Diagnostic, at: Span, origins: &[&Origin]) -> Diagnostic {
    for origin in origins.iter().filter(|origin| origin.at != at) {
        diagnostic = diagnostic.label(origin.at, format!("{} comes from here", shape_shown(&origin.shape)));
    }
    diagnostic
}

fn role_in_words(role: Role) -> String {
    let fixed = match role {
        Role::Of(glyph) => return format!("`{glyph}`"),
        Role::OfSystem(name) => return format!("`⎕{name}`"),
        Role::Argument(glyph) => return format!("the argument of `{glyph}`"),
        Role::Left(glyph) => return format!("the left argument of `{glyph}`"),
        Role::Right(glyph) => return format!("the right argument of `{glyph}`"),
        Role::SystemArgument(name) => return format!("the argument of `⎕{name}`"),
        Role::Assignment => "assignment to indices",
        Role::Cells => "going through cells",
        Role::Cut => "cutting a vector",
        Role::InnerProduct => "an inner product",
        Role::OuterProduct => "an outer product",
        Role::Reduction => "a reduction",
        Role::Rotation => "a rotation",
        Role::RotationBy => "the left argument of a rotation",
        Role::Scan => "a scan",
        Role::Sorting => "sorting",
        Role::Index => "an index",
        Role::Row => "a row",
        Role::RowLength => "the length of a row",
        Role::RowEnd => "the end of a row",
        Role::Window => "a window",
        Role::MixedItem => "an item of what `↑` mixes",
        Role::GuardCondition => "the condition of a guard",
        Role::PowerCondition => "the condition of `⍣`",
        Role::PowerCount => "the right operand of `⍣`",
    };
    fixed.to_string()
}

/// Whether it is a function, which is defined for something, and not an array, which is something.
fn is_function(role: Role) -> bool {
    match role {
        Role::Of(_)
        | Role::OfSystem(_)
        | Role::Assignment
        | Role::Cells
        | Role::Cut
        | Role::InnerProduct
        | Role::OuterProduct
        | Role::Reduction
        | Role::Rotation
        | Role::Scan
        | Role::Sorting => true,
        Role::Argument(_)
        | Role::Left(_)
        | Role::Right(_)
        | Role::SystemArgument(_)
        | Role::RotationBy
        | Role::Index
        | Role::Row
        | Role::RowLength
        | Role::RowEnd
        | Role::Window
        | Role::MixedItem
        | Role::GuardCondition
        | Role::PowerCondition
        | Role::PowerCount => false,
    }
}

/// Something is refused, whatever it consists of.
fn refused(role: Role, what: &str, found: &str) -> String {
    let verb = if is_function(role) { "is not defined for" } else { "cannot be" };
    format!("{} {verb} {what}: {found}", role_in_words(role))
}

/// Something is refused that consists of the wrong things.
fn taken(role: Role, wanted: Wanted, found: &str) -> String {
    let words = match wanted {
        Wanted::Vector => "a vector",
        Wanted::ScalarOrVector => "a scalar or a vector",
        Wanted::VectorOrMatrix => "a vector or a matrix",
        Wanted::Matrix => "a matrix",
        Wanted::Ascending => "an ascending vector",
        Wanted::Sortable => "a vector, or the rows of an array, whose elements have an order",
        Wanted::Axes => "an array with axes",
        Wanted::OneTruth => "one truth value",
        Wanted::TruthsOrCounts => "truth values or counts",
        Wanted::RealNumbers => "real numbers",
        Wanted::WholeNumber => "a whole number",
    };
    let verb = match (is_function(role), wanted) {
        (true, _) => "takes",
        (false, Wanted::TruthsOrCounts | Wanted::RealNumbers) => "consists of",
        (false, _) => "is",
    };
    format!("{} {verb} {words}, not {found}", role_in_words(role))
}

pub(super) fn kind(at: Span, error: &KindError) -> Diagnostic {
    let wrong = |message: String| Diagnostic::error(Code::AplKind, at, message + " (DOMAIN ERROR)");
    match error {
        KindError::Undefined { glyph, kind } => {
            with(wrong(format!("`{glyph}` is not defined for {}", kind.words())), instead_of(*glyph, *kind))
        }
        KindError::NotOfPairs(glyph) => {
            Diagnostic::error(Code::AplSentence, at, format!("`{glyph}` is no scalar function of two arguments"))
                .help("its left argument says which function it is: write that in front of it")
        }
        KindError::Circle(k) => wrong(format!("`{}○` is not defined", number(*k)))
            .help("the left argument of `○` is a constant from ¯12 to ¯9, ¯7 to 7, or 9 to 12"),
        KindError::Takes { role, wanted, found } => wrong(taken(*role, *wanted, found)),
        KindError::NoTruth { role, kind } => {
            wrong(format!("{} is 0 or 1, and this is of kind {}", role_in_words(*role), kind.name())).help("compare it, as in `0≠`")
        }
        KindError::Mark(mark) => {
            wrong(format!("the left argument of `⊂` consists of truth values, and there is a {} in it", number(*mark)))
                .help("`⊆` takes other numbers, and cuts where they grow")
        }
        KindError::Unordered { what, among } => wrong(format!("{} are not ordered among {}", what.words(), among.words())),
        KindError::Assigned { value, among } => {
            wrong(format!("{} cannot stand among {}", value.words(), among.words())).help("an array has elements of one kind")
        }
        KindError::NotWhole { role, kind } => {
            let message = format!("{} must be whole numbers, and these are {} (DOMAIN ERROR)", role_in_words(*role), kind.words());
            let help = match kind {
                Kind::Char => "`⎕UCS` makes whole numbers of characters",
                Kind::Complex => "`⌊9○` makes whole numbers of their real parts",
                Kind::Bool | Kind::Int | Kind::Double => "`⌊` makes whole numbers of floats",
            };
            Diagnostic::error(Code::AplWhole, at, message).help(help)
        }
        KindError::NoNeutral => {
            let message = "the vector is empty, and the function has no neutral element (DOMAIN ERROR)";
            Diagnostic::error(Code::AplNeutral, at, message).help("put one in front: `0,`")
        }
    }
}

/// What can be done where a function is not defined for a kind.
fn instead_of(glyph: char, kind: Kind) -> Option<&'static str> {
    match (glyph, kind) {
        (_, Kind::Char) => Some("characters can be compared with `=` and `≠`, searched for with `⍳`, and sorted with `⍋`"),
        ('∧' | '∨', _) => Some("it is defined for truth values and whole numbers"),
        ('⍲' | '⍱', _) => Some("compare the numbers first: `0≠`"),
        ('~', _) => Some("it negates truth values; compare the numbers first: `0=`"),
        (_, Kind::Complex) => Some("take a part of it: `9○` real, `11○` imaginary, `|` size"),
        (_, Kind::Bool | Kind::Int | Kind::Double) => None,
    }
}

pub(super) fn mixture(at: Span, error: &MixtureError) -> Diagnostic {
    const MANY: &str = "a nested vector of different items";
    let wrong = |message: String| Diagnostic::error(Code::AplMixture, at, message);
    match error {
        MixtureError::Undefined { role, found } => wrong(refused(*role, MANY, found))
            .help("take its items with `⊃` or constant indices, go through them with `¨`, or make one array of them with `↑`"),
        MixtureError::Partner { found } => wrong(format!("{MANY} goes with a scalar or a vector of as many items, not with {found}"))
            .help("make one array of its items with `↑`"),
        MixtureError::OneIndex => wrong(format!("{MANY} has one index, a constant")).help("write `v[2]`, or `2⊃v` for the item itself"),
        MixtureError::Computed(done) => {
            let (done, help) = match done {
                Computed::Indexed => {
                    ("is indexed by constants only: what is found decides the type", "make one array of its items with `↑`, or use a guard")
                }
                Computed::Changed => (
                    "is changed at a constant index only: where it is decides the type",
                    "make one array of its items with `↑`, or use a guard",
                ),
                Computed::Cut => ("is cut by one constant only: what is left decides the type", "use a literal"),
                Computed::Reshaped => ("is given a constant length only, 64 at most: the length decides the type", "use a literal"),
            };
            wrong(format!("{MANY} {done}")).help(help)
        }
        MixtureError::Joined { found } => wrong(format!("arrays of different kinds or shapes are put together; one is {found}"))
            .help("a nested vector of different items has a constant length"),
        MixtureError::Kinds(first, second) => {
            wrong(format!("{} and {} cannot stand in one array", first.words(), second.words())).help("mix items of one kind")
        }
        MixtureError::Rolls => {
            wrong("`?` of 0 gives a float and of other numbers whole numbers; one array has one kind".to_string()).help("roll them apart")
        }
    }
}

pub(super) fn length(at: Span, error: &LengthError) -> Diagnostic {
    let wrong = |message: String| Diagnostic::error(Code::AplLength, at, message + " (LENGTH ERROR)");
    match error {
        LengthError::Differ { left, right, sizes, rule } => {
            let (a, b) = (shape_shown(&left.shape), shape_shown(&right.shape));
            let (x, y) = (dim_shown(&sizes.0), dim_shown(&sizes.1));
            from(wrong(format!("arrays of {a} and {b} do not agree: {x} and {y} are never equal")), at, &[left, right]).help(match rule {
                Agreement::First => "a scalar goes with every array; else the shorter shape must begin the longer one",
                Agreement::LastAndFirst => "the last axis of the left argument is as long as the first one of the right argument",
                Agreement::Cells => "the left argument has one element for each cell of the right one, or is a scalar",
            })
        }
        LengthError::Needed { wanted, found } => {
            from(wrong(format!("{} is needed here, and this is {}", array(wanted), array(&found.shape))), at, &[found])
        }
        LengthError::Items(left, right) => wrong(format!("vectors of {} and {} items meet", dim_shown(left), dim_shown(right)))
            .help("both have as many items, or one is a scalar"),
        LengthError::Names { count, value } => {
            wrong(format!("{} the items of {value}", counted(*count, "name is assigned", "names are assigned")))
                .help("there is a name for each item, or the value is a scalar")
        }
        LengthError::Places { values, places } => {
            let what = format!("values of {} are assigned to places of {}", shape_shown(&values.shape), shape_shown(places));
            from(wrong(what), at, &[values]).help("there is a value for each place, or one scalar for all")
        }
        LengthError::Windows { size, shape } => wrong(format!("windows of {size} do not fit in {}", shape_shown(shape))),
        LengthError::Mask { takes, have } => wrong(format!("the mask takes {takes} cells, and there are {}", dim_shown(have)))
            .help("each positive number of it takes a cell"),
        LengthError::Wide(shape) => {
            wrong(format!("`⌹` takes matrices of at least as many rows as columns; this has {}", shape_shown(shape)))
                .help("the equations of a wide matrix have many solutions; `(⍉m)+.×v⌹m+.×⍉m` is the shortest of them")
        }
        LengthError::Axes { numbers, rank } => {
            wrong(format!("{numbers} numbers, and the array has rank {rank}")).help("give a number for each axis at most")
        }
    }
}

pub(super) fn rank(at: Span, error: &RankError) -> Diagnostic {
    let wrong = |message: String| Diagnostic::error(Code::AplRank, at, message + " (RANK ERROR)");
    match error {
        RankError::Takes { role, wanted, found } => {
            let help = match wanted {
                Wanted::Vector => Some("ravel it with `,`, or go through its rows with `⍤1`"),
                Wanted::ScalarOrVector => Some("go through its rows with `⍤1`"),
                Wanted::Matrix => Some("go through its matrices with `⍤2`"),
                Wanted::Ascending => Some("the bounds of intervals are numbers or characters"),
                Wanted::OneTruth => Some("make one of many with `∧/` or `∨/`"),
                Wanted::Axes => Some("make a vector of it with `,`"),
                Wanted::VectorOrMatrix | Wanted::Sortable | Wanted::TruthsOrCounts | Wanted::RealNumbers | Wanted::WholeNumber => None,
            };
            with(wrong(taken(*role, *wanted, found)), help)
        }
        RankError::Indices { count, array: origin, brackets } => {
            let what = format!("{} for {}", counted(*count, "index", "indices"), array(&origin.shape));
            from(wrong(what), at, &[origin]).help(match (brackets, origin.shape.len()) {
                (true, 0) => "in `1 2 3[2]` the bracket belongs to the last number: write `(1 2 3)[2]`",
                (true, _) => "an index for each axis, separated by `;`; one left out takes all of its axis",
                (false, _) => "an index for each axis at most",
            })
        }
        RankError::RowIndices => wrong("a vector of vectors has one index".to_string()).help("`i⊃v` is an element of a vector"),
        RankError::Joined { left, right } => {
            let what = format!("arrays of {} and {} cannot be put together", shape_shown(&left.shape), shape_shown(&right.shape));
            from(wrong(what), at, &[left, right]).help("their ranks differ by one at most, or one is a scalar")
        }
        RankError::Each { left, right } => {
            let what = format!("arrays of {} and {} do not agree", shape_shown(&left.shape), shape_shown(&right.shape));
            from(wrong(what), at, &[left, right]).help("`¨` takes arrays of the same shape, or one scalar")
        }
        RankError::Cells { cell, found } => wrong(format!("cells of {} are searched for, and there is only {found}", shape_shown(cell)))
            .help("what is looked up has at least the rank of the rows"),
        RankError::Pattern { pattern, array } => wrong(format!("{pattern} is searched for in {array}"))
            .help("a pattern has as many axes as what it is searched for in, or fewer"),
        RankError::Places { index, rank } => {
            let numbers = counted(*rank, "number", "numbers");
            wrong(format!("an index of vectors has {numbers}, one for each axis; this is {}", array(index)))
                .help("write a vector of indices, `(1 2)(3 4)`, for an array of two axes")
        }
        RankError::MixedIndex { array: origin } => {
            let what = format!("an index of items that differ in kind or shape for {}", array(&origin.shape));
            from(wrong(what), at, &[origin]).help("write a vector of indices, each with a whole number for each axis, `(1 2)(3 4)`")
        }
        RankError::Rotation { by, array } => {
            let (by, array) = (shape_shown(by), shape_shown(array));
            wrong(format!("a rotation by numbers of {by} needs an array with one axis more; it has {array}"))
                .help("give one number, or one for each row")
        }
        RankError::Windows { axes, array } => {
            wrong(format!("windows of {} in {array}", counted(*axes, "axis", "axes"))).help("give a size for each axis at most")
        }
        RankError::Along { axes, found } => wrong(format!("{} for {found}", counted(*axes, "axis is named", "axes are named")))
            .help("name an axis of the larger array for each axis of the smaller one"),
        RankError::Recursive { parameter, argument } => {
            wrong(format!("a function that was called with an array of rank {parameter} calls itself with one of rank {argument}"))
                .help("its arguments keep their rank in all calls, or it is applied to cells, `∇⍤0`")
        }
        RankError::Marks { marks, array } => {
            wrong(format!("a vector is cut by a vector of marks; these are {marks} for {array}")).help("cut rows with `⍤1`")
        }
        RankError::Deal(left, right) => {
            wrong(format!("`k?n` takes one number on each side, not {left} and {right}")).help("go through more with `¨`")
        }
    }
}

pub(super) fn unknown(at: Span, error: &StaticError) -> Diagnostic {
    let wrong = |message: String| Diagnostic::error(Code::AplStatic, at, message);
    match error {
        StaticError::Length { role, found, most } => {
            let most = most.map_or(String::new(), |most| format!(", {most} at most"));
            let what = format!("{} must be a vector whose length is known before the program runs{most}", role_in_words(*role));
            wrong(format!("{what}; here it is {found}")).help(match role {
                Role::Left('↑' | '↓') => "it says of how many axes parts are taken",
                Role::Left('⊤') => "it says how many digits there are",
                Role::Left('⊃') => "it says how deep the item lies",
                _ => "it decides the rank of the result: use a literal, or a part of a shape of known length",
            })
        }
        StaticError::Constant(what) => {
            let literal = "write it as a literal".to_string();
            let (message, help) = match what {
                Constant::Axis { between: false } => ("an axis is a constant whole number", literal),
                Constant::Axis { between: true } => ("an axis is a constant number", literal),
                Constant::AxisOrder => {
                    ("the left argument of `⍉` must be known before the program runs", "write it as literals".to_string())
                }
                Constant::Circle => {
                    ("the left argument of `○` has to be constant", "write the number of the function in front of `○`".to_string())
                }
                Constant::Ranks => ("the ranks of `⍤` are one to three constants", "write `f⍤1` or `f⍤0 1`".to_string()),
                Constant::Windows => ("the length of the windows of a reduction is a constant that is not 0", literal),
                Constant::Stencil => (
                    "the windows of `⌺` have constant sizes, one for each of the first axes, and below these perhaps constant steps",
                    "write `f⌺3 3`, or `f⌺(2 2⍴3 3 2 2)` for steps of 2".to_string(),
                ),
                Constant::IndexOrigin => ("⎕IO is the constant 0 or 1", literal),
                Constant::Precision => ("⎕PP is a constant from 1 to 17", literal),
                Constant::Places { outside: None } => (
                    "the left argument of `⍕` is two constants, the width of each number and its decimals",
                    "write `8 2⍕numbers`".to_string(),
                ),
                Constant::Places { outside: Some((width, decimals)) } => {
                    let (width, decimals) = (number(*width), number(*decimals));
                    return wrong(format!("`{width} {decimals}⍕` is not possible: the width is 1 to 500, and there are 0 to 300 decimals"))
                        .help("write `8 2⍕numbers`; `⍕numbers` finds widths by itself");
                }
                Constant::File(name) => {
                    return wrong(format!("the argument of `⎕{name}` is text in quotes"))
                        .help("other data come as arguments: `remora run FILE.apl data.npy`");
                }
            };
            wrong(message.to_string()).help(help)
        }
    }
}

pub(super) fn index(at: Span, error: &IndexError) -> Diagnostic {
    let wrong = |message: String| Diagnostic::error(Code::AplIndex, at, message);
    match error {
        IndexError::Outside { index, origin, count } => {
            let diagnostic = match count {
                0 => wrong(format!("there is no index {}: the array is empty (INDEX ERROR)", number(*index))),
                _ => wrong(format!("the index {} is not one of {origin}..{} (INDEX ERROR)", number(*index), count + origin - 1)),
            };
            diagnostic.help(format!("indices begin with ⎕IO, which is {origin}"))
        }
        IndexError::NoAxis { axis, rank } => {
            let place = rank.map_or("any array".to_string(), |rank| format!("an array of rank {rank}"));
            match axis {
                Axis::At(axis) => wrong(format!("there is no axis {} in {place} (RANK ERROR)", number(*axis))),
                Axis::Before(axis) => {
                    wrong(format!("there is no place for a new axis in front of axis {} in {place} (RANK ERROR)", number(*axis)))
                }
            }
        }
        IndexError::AxisOrder { order, rank } => {
            let order: Vec<String> = order.iter().map(|axis| number(*axis)).collect();
            wrong(format!("{} are not the axes of an array of rank {rank} (RANK ERROR)", order.join(" ")))
                .help("the left argument of `⍉` says for each axis where it goes, and `f[axes]` names each axis once")
        }
        IndexError::Negative(size) => wrong(format!("the size {} is negative (DOMAIN ERROR)", number(*size))),
        IndexError::TooLarge { role, size } => {
            wrong(format!("{} asks for the size {}, which is too large", role_in_words(*role), number(*size))).help("use smaller arrays")
        }
        IndexError::Deal { count, of } => {
            wrong(format!("{count} of {of} numbers cannot differ (DOMAIN ERROR)")).help("`k?n` takes k of n numbers; `?k⍴n` rolls k times")
        }
    }
}

pub(super) fn nesting(at: Span, error: &NestingError) -> Diagnostic {
    let wrong = |message: String| Diagnostic::error(Code::AplNesting, at, message);
    match error {
        NestingError::Nested { role, found } => wrong(refused(*role, "a nested array", found)).help(match role {
            Role::Index => "separate the axes by `;`",
            _ => "`↑` makes one simple array of it",
        }),
        NestingError::Rows { role, found } => wrong(refused(*role, "a vector of vectors of computed lengths", found))
            .help("go through its items with `¨`, join them with `∊`, or make one array of them with `↑`"),
        NestingError::RowsBeside(found) => {
            wrong(format!("something is put beside a vector of vectors of computed lengths: {found}")).help("join its items with `∊`")
        }
        NestingError::RowsWith(found) => wrong(format!("{found} goes with a vector of vectors of computed lengths"))
            .help("`¨` takes vectors of the same length, or one scalar"),
        NestingError::RowsIndexed { rank } => {
            wrong(format!("items of a vector of vectors are taken by a scalar or a vector, not by an array of rank {rank}"))
                .help("ravel the indices")
        }
        NestingError::RowsRepeated(kind) => {
            wrong(format!("the items of a vector of vectors are kept by truth values, not by {}", kind.words()))
                .help("compare the counts, as in `0<`")
        }

        NestingError::Items { value, among } => wrong(format!("{} cannot stand among {}", items_in_words(value), items_in_words(among)))
            .help("all items of an array have one shape; `⊂` encloses a value, `⊃` takes it out"),
        NestingError::Enclosed(found) => {
            wrong(format!("a vector of items that differ in kind or shape is enclosed, which is not supported: {found}"))
                .help("as an item of another vector write it in parentheses: `('ab' 1)('cde' 2)`")
        }
        NestingError::Cut(found) => {
            wrong(format!("a nested vector is cut by constant marks only, and this is {found}")).help("write the marks as literals")
        }
        NestingError::Short { items } => wrong(format!("the vector has {} only", counted(*items, "item", "items")))
            .help("items that differ have no fill: take as many as there are"),
        NestingError::Sizes => wrong(
            "the results here may differ in their sizes, which are found out for each of them, and such nested arrays are not supported"
                .to_string(),
        )
        .help("make them equally long with `↑`, or reduce each to a number"),
        NestingError::Results => {
            wrong("each result here is a nested vector of different items, and an array of these is not supported".to_string())
                .help("return the parts by separate functions")
        }
    }
}

/// What the items of an array are.
fn items_in_words(items: &Items) -> String {
    let kind = items.kind.words();
    match items.depth {
        0 => format!("simple {kind}"),
        1 => format!("enclosed {kind} of {}", shape_shown(&items.cell)),
        depth => format!("{kind} that are enclosed {depth} times"),
    }
}
