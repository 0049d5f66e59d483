" Words of the language; what names are is said by the server, since Neovim 0.9.
if exists("b:current_syntax")
  finish
endif
syntax case match
syntax iskeyword @,48-57,_,39
syntax match remoraComment "--.*$" contains=@Spell
syntax match remoraDoc "-- |.*$" contains=@Spell
syntax region remoraString start=+"+ skip=+\\.+ end=+"\|$+
syntax keyword remoraKeyword assert case do else for if in loop match then while with
syntax keyword remoraDeclaration def entry import include let local module open type val
syntax keyword remoraBoolean true false
syntax keyword remoraType i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 c32 c64 c128 bool
syntax match remoraNumber "\<[0-9][0-9a-zA-Z_]*\(\.[0-9][0-9_]*\([eE][+-]\=[0-9]\+\)\=[a-z0-9]*\)\=\>"
syntax match remoraConstructor "#[a-zA-Z_][a-zA-Z0-9_']*"
syntax match remoraOperator "[-+*/%=!><|&^\\]\+" contains=remoraComment
highlight default link remoraComment Comment
highlight default link remoraDoc SpecialComment
highlight default link remoraString String
highlight default link remoraKeyword Keyword
highlight default link remoraDeclaration Keyword
highlight default link remoraBoolean Boolean
highlight default link remoraType Type
highlight default link remoraNumber Number
highlight default link remoraConstructor Constant
highlight default link remoraOperator Operator
let b:current_syntax = "remora"
