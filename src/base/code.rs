//! Codes of diagnostics and of failures while running.

use std::fmt;

macro_rules! codes {
    ($($variant:ident $number:literal,)*) => {
        /// What a diagnostic or a failure is about. Titles and explanations are in `diag/explain`, one file per family; a number is
        /// never given to something else: those that are missing were given up, or never given.
        #[allow(missing_docs, reason = "the explanation of each code is its documentation")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($variant,)*
        }

        impl Code {
            /// All codes, in order of their numbers.
            pub const ALL: &[Code] = &[$(Code::$variant,)*];

            /// What users see, such as `E0402`.
            pub const fn number(self) -> &'static str {
                match self {
                    $(Code::$variant => $number,)*
                }
            }
        }
    };
}

codes! {
    // Syntax.
    UnknownCharacter "E0101",
    MalformedNumber "E0102",
    UnclosedString "E0103",
    Unexpected "E0104",
    UnmatchedBracket "E0105",
    NeedsParentheses "E0106",
    MisplacedForm "E0107",
    LetWithoutBody "E0108",
    UnknownAttribute "E0109",
    CoreWord "E0181",
    CoreBrackets "E0182",
    CoreForm "E0183",
    // Names and modules.
    UnknownName "E0201",
    UnknownType "E0202",
    UnknownMember "E0203",
    BoundTwice "E0204",
    Recursion "E0205",
    UnreadableImport "E0206",
    CyclicImports "E0207",
    ReservedName "E0208",
    UnknownModule "E0209",
    MissingMember "E0210",
    MemberType "E0211",
    MemberTypeParameters "E0212",
    ModuleApplication "E0213",
    ModuleTypeWith "E0214",
    TooManyModuleInstances "E0215",
    UnusedName "E0216",
    // Types.
    TypeMismatch "E0301",
    NotAFunction "E0302",
    OperandType "E0303",
    InfiniteType "E0304",
    UnknownRecord "E0305",
    WrongFields "E0306",
    Hole "E0307",
    EscapingTypeParameter "E0308",
    TypeArguments "E0309",
    NumberOutOfRange "E0310",
    UndeterminedType "E0311",
    WrongConstructor "E0312",
    UnknownSum "E0313",
    MissingCase "E0314",
    UnreachableCase "E0315",
    GrowingLoop "E0316",
    HidesByRecursion "E0317",
    EndlessRecursion "E0318",
    NotAssociative "E0319",
    NotNeutral "E0320",
    IllTypedCore "E0391",
    // Ranks and sizes.
    RankConflict "E0401",
    Ambiguous "E0402",
    SizeMismatch "E0403",
    IrregularRows "E0404",
    UndeterminedSize "E0405",
    NegativeSize "E0406",
    Undecided "E0407",
    // Failures while running.
    OutOfBounds "E0501",
    ForeignValue "E0502",
    SizesDiffer "E0503",
    ImpossibleSize "E0504",
    UndefinedOperation "E0505",
    AssertionFailed "E0506",
    OutOfMemory "E0507",
    UnfitArguments "E0508",
    TooDeep "E0509",
    Interrupted "E0510",
    MalformedCore "E0599",
    // Data, files and commands.
    UnreadableFile "E0601",
    NotText "E0602",
    UnwritableResult "E0603",
    MalformedData "E0604",
    ElementType "E0605",
    DataRank "E0606",
    DataLength "E0607",
    IrregularData "E0608",
    DataTooLarge "E0609",
    TestBlock "E0610",
    UnknownDefinition "E0611",
    ArgumentCount "E0612",
    NotRunnable "E0613",
    CCompiler "E0615",
    CompiledProgram "E0616",
    TestScript "E0617",
    OptionValue "E0618",
    Crash "E0619",
    LongEvaluation "E0620",
    NotFormatted "E0621",
    // Consumption.
    UseAfterConsumption "E0651",
    ConsumesBorrowed "E0652",
    ConsumesCaptured "E0653",
    LoopConsumesOuter "E0654",
    ResultNotUnique "E0655",
    ConsumingArgument "E0656",
    ConsumesShared "E0657",
    ModuleConsumes "E0658",
    // Core that is read.
    CoreUnknownName "E0701",
    CoreMalformed "E0702",
    CoreKind "E0703",
    CoreSort "E0704",
    CoreArity "E0705",
    CoreTypeMismatch "E0706",
    CoreFrames "E0707",
    CoreCells "E0708",
    CoreApplication "E0709",
    CoreOmittedArguments "E0710",
    CoreTypeApplication "E0711",
    CoreEscapingSize "E0712",
    CoreAbstraction "E0713",
    CoreBox "E0714",
    CoreUnknownSize "E0715",
    CoreReshape "E0716",
    CoreSizeTooLarge "E0717",
    CoreStage "E0718",
    // Compiling and devices.
    NotCompiled "E0801",
    NoDriver "E0803",
    OldDriver "E0804",
    NoDevice "E0805",
    NoNvrtc "E0806",
    KernelRefused "E0807",
    DeviceFailed "E0810",
    // Mistakes of the compiler.
    Internal "E0901",
    // Derivatives.
    DerivativeOfFunctions "E0951",
    DerivativeOfSums "E0952",
    DerivativeOfHiddenSizes "E0953",
    GradientOfNoFloat "E0954",
    // APL.
    AplCharacter "E1001",
    AplNumber "E1002",
    AplUnclosed "E1003",
    AplSentence "E1004",
    AplSpelling "E1005",
    AplNoValue "E1011",
    AplClass "E1012",
    AplLeft "E1013",
    AplOperand "E1014",
    AplKind "E1021",
    AplMixture "E1022",
    AplWhole "E1023",
    AplLength "E1031",
    AplRank "E1032",
    AplState "E1034",
    AplStatic "E1035",
    AplIndex "E1036",
    AplNeutral "E1037",
    AplNotation "E1041",
    AplNesting "E1042",
    AplRecursion "E1043",
    AplOutput "E1044",
    AplFormat "E1045",
    AplSelective "E1046",
    AplOuter "E1047",
    AplLimit "E1048",
    AplSignature "E1049",
}

impl Code {
    /// The code that users call `number`, in upper or lower case.
    pub fn of_number(number: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.number().eq_ignore_ascii_case(number))
    }

    /// Whether it is a failure of a program that runs, not of one that is checked.
    pub fn is_failure(self) -> bool {
        matches!(
            self,
            Code::OutOfBounds
                | Code::ForeignValue
                | Code::SizesDiffer
                | Code::ImpossibleSize
                | Code::UndefinedOperation
                | Code::AssertionFailed
                | Code::OutOfMemory
                | Code::UnfitArguments
                | Code::TooDeep
                | Code::Interrupted
                | Code::MalformedCore
        )
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.number())
    }
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn failures_are_a_family() {
        for code in Code::ALL {
            assert_eq!(code.is_failure(), code.number().starts_with("E05"), "{code}");
        }
    }
}
