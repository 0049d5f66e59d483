//! System names, `⎕..`.

use super::error::{Result, fail};
use super::functions::Fun;
use super::machine::Machine;
use super::value::{Arr, Kind, Val};
use crate::base::scalar::Op;
use crate::base::{Code, PrimType, Scalar, Span};

/// The function of this name.
pub fn function(name: &str) -> Option<Fun> {
    match name {
        "UCS" => Some(Fun::System("UCS")),
        "ReadFile" => Some(Fun::System("ReadFile")),
        "ReadIntVecFile" => Some(Fun::System("ReadIntVecFile")),
        "ReadDoubleVecFile" => Some(Fun::System("ReadDoubleVecFile")),
        _ => None,
    }
}

impl Machine {
    /// The value of `⎕NAME`.
    pub fn system_value(&mut self, name: &str, span: Span) -> Result<Val> {
        let text = |m: &mut Machine, text: &str| {
            let items: Vec<Scalar> = text.chars().map(|c| Scalar::U32(c as u32)).collect();
            Ok(Val::Arr(m.b.literal(Kind::Char, &[items.len() as u64], items)))
        };
        let int = |m: &mut Machine, value: i64| Ok(Val::Arr(m.b.literal(Kind::Int, &[], vec![Scalar::I64(value)])));
        match name {
            "A" => text(self, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
            "D" => text(self, "0123456789"),
            "IO" => int(self, self.origin),
            "CT" => int(self, 0),
            "PP" => int(self, self.precision),
            "" => {
                fail(Code::AplNotation, span, "`⎕` asks for input, which is not supported", "take arguments: `remora run FILE.apl VALUE`")
            }
            "NOW" | "BENCH" | "TS" | "AI" => fail(
                Code::AplNotation,
                span,
                format!("`⎕{name}` asks for the time, and the result of a program depends on its arguments only"),
                "measure with `remora bench`",
            ),
            _ => fail(
                Code::AplNotation,
                span,
                format!("`⎕{name}` is not supported"),
                "there are ⎕A ⎕D ⎕IO ⎕CT ⎕PP ⎕RL ⎕UCS; data come as arguments: `remora run FILE.apl data.npy`",
            ),
        }
    }
    /// `⎕NAME←value`.
    pub fn assign_system(&mut self, name: &str, value: &Val, span: Span) -> Result<()> {
        let constant = match value {
            Val::Arr(arr) => arr.constant_int().filter(|_| arr.count() == Some(1)),
            Val::Tup(_) | Val::Rag(_) => None,
        };
        match (name, constant) {
            ("", _) => self.print(value.clone(), span),
            ("IO", Some(origin @ 0..=1)) => {
                self.origin = origin;
                Ok(())
            }
            ("IO", _) => fail(Code::AplStatic, span, "⎕IO is the constant 0 or 1", ""),
            ("PP", Some(digits @ 1..=17)) => {
                self.precision = digits;
                Ok(())
            }
            ("PP", _) => fail(Code::AplStatic, span, "⎕PP is a constant from 1 to 17", ""),
            ("RL", Some(seed)) => {
                self.rolls = seed.wrapping_mul(1_000_003);
                Ok(())
            }
            ("CT", Some(0)) => Ok(()),
            ("CT", _) => fail(Code::AplNotation, span, "comparison is exact: ⎕CT is 0", "compare differences: `1E¯9>|a-b`"),
            _ => fail(Code::AplNotation, span, format!("`⎕{name}` cannot be assigned"), ""),
        }
    }
    /// Calls `⎕NAME`.
    pub fn system_call(&mut self, name: &str, left: Option<Val>, right: Val, span: Span) -> Result<Val> {
        let arr = right.simple(span, name)?;
        if left.is_some() {
            return fail(Code::AplNotation, span, format!("`⎕{name}` takes one argument"), "");
        }
        if name != "UCS" {
            return self.read_file(name, &arr, span);
        }
        let (from, to) = match arr.kind {
            Kind::Char => (Kind::Char, Kind::Int),
            _ => (Kind::Int, Kind::Char),
        };
        let arr = if from == Kind::Int { self.whole(arr, span, "the argument of `⎕UCS`")? } else { arr };
        if let Some(lit) = arr.lit.clone() {
            let items = lit.iter().map(|item| crate::base::scalar::convert(to.prim(), *item)).collect();
            return Ok(Val::Arr(self.literal_like(to, &arr, items)));
        }
        let prims: (PrimType, PrimType) = (from.prim(), to.prim());
        let made = self.b.map(&arr.shape, vec![arr.expr.clone()], |b, cells| Ok(b.op1(Op::Convert(prims.0), prims.1, cells[0].clone())))?;
        Ok(Val::Arr(self.b.named(to, arr.shape.clone(), made)))
    }

    /// The contents of a file with a constant name: they are constants of the program.
    fn read_file(&mut self, name: &str, file: &Arr, span: Span) -> Result<Val> {
        let path: Option<String> = file.lit.as_ref().filter(|_| file.kind == Kind::Char).map(|lit| {
            let code = |item: &Scalar| item.as_i128().and_then(|code| char::from_u32(code as u32)).unwrap_or('?');
            lit.iter().map(code).collect()
        });
        let Some(found) = path.as_ref().and_then(|path| self.files.get(path).cloned()) else {
            return fail(
                Code::AplStatic,
                span,
                format!("the argument of `⎕{name}` is text in quotes"),
                "other data come as arguments: `remora run FILE.apl data.npy`",
            );
        };
        let path = path.unwrap_or_default();
        let text = match found {
            Ok(text) => text,
            Err(why) => {
                return fail(Code::AplNotation, span, format!("`{path}` cannot be read: {why}"), "paths are relative to the script");
            }
        };
        let (kind, items) = match name {
            "ReadFile" => (Kind::Char, text.chars().map(|c| Scalar::U32(c as u32)).collect::<Vec<_>>()),
            _ => {
                let kind = if name == "ReadIntVecFile" { Kind::Int } else { Kind::Double };
                let mut items = Vec::new();
                for word in text.split_whitespace() {
                    let plain = word.replace('¯', "-");
                    let item = if kind == Kind::Int { plain.parse().ok().map(Scalar::I64) } else { plain.parse().ok().map(Scalar::F64) };
                    let Some(item) = item else {
                        let shown: String = word.chars().take(40).collect();
                        return fail(
                            Code::AplNumber,
                            span,
                            format!("`{}` in `{path}` is not a number of {}", shown.escape_debug(), kind.words()),
                            "",
                        );
                    };
                    items.push(item);
                }
                (kind, items)
            }
        };
        Ok(Val::Arr(self.b.literal(kind, &[items.len() as u64], items)))
    }
}
