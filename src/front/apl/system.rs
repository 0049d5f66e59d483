//! System names, `⎕..`.

use super::error::{Applied, Arity, Constant, Error, Result, Role, SentenceError, SystemError};
use super::functions::Fun;
use super::machine::Machine;
use super::value::{Arr, Kind, Val};
use crate::base::scalar::Op;
use crate::base::{PrimType, Scalar, Span};

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
            "" => Err(Error::at(span, SystemError::Input)),
            "NOW" | "BENCH" | "TS" | "AI" => Err(Error::at(span, SystemError::Clock(name.to_string()))),
            _ => Err(Error::at(span, SystemError::Unknown(name.to_string()))),
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
            ("IO", _) => Err(Error::at(span, Constant::IndexOrigin)),
            ("PP", Some(digits @ 1..=17)) => {
                self.precision = digits;
                Ok(())
            }
            ("PP", _) => Err(Error::at(span, Constant::Precision)),
            ("RL", Some(seed)) => {
                self.rolls = seed.wrapping_mul(1_000_003);
                Ok(())
            }
            ("CT", Some(0)) => Ok(()),
            ("CT", _) => Err(Error::at(span, SystemError::Tolerance)),
            _ => Err(Error::at(span, SystemError::Assigned(name.to_string()))),
        }
    }
    /// Calls `⎕NAME`.
    pub fn system_call(&mut self, name: &'static str, left: Option<Val>, right: Val, span: Span) -> Result<Val> {
        let arr = right.simple(span, Role::OfSystem(name))?;
        if left.is_some() {
            return Err(Error::at(span, SentenceError::Arguments { function: Applied::System(name), takes: Arity::One }));
        }
        if name != "UCS" {
            return self.read_file(name, &arr, span);
        }
        let (from, to) = match arr.kind {
            Kind::Char => (Kind::Char, Kind::Int),
            _ => (Kind::Int, Kind::Char),
        };
        let arr = if from == Kind::Int { self.whole(arr, span, Role::SystemArgument("UCS"))? } else { arr };
        if let Some(lit) = arr.lit.clone() {
            let items = lit.iter().map(|item| crate::base::scalar::convert(to.prim(), *item)).collect();
            return Ok(Val::Arr(self.literal_like(to, &arr, items)));
        }
        let prims: (PrimType, PrimType) = (from.prim(), to.prim());
        let made = self.b.map(&arr.shape, vec![arr.expr.clone()], |b, cells| Ok(b.op1(Op::Convert(prims.0), prims.1, cells[0].clone())))?;
        Ok(Val::Arr(self.b.named(to, arr.shape.clone(), made)))
    }

    /// The contents of a file with a constant name: they are constants of the program.
    fn read_file(&mut self, name: &'static str, file: &Arr, span: Span) -> Result<Val> {
        let path: Option<String> = file.lit.as_ref().filter(|_| file.kind == Kind::Char).map(|lit| {
            let code = |item: &Scalar| item.as_i128().and_then(|code| char::from_u32(code as u32)).unwrap_or('?');
            lit.iter().map(code).collect()
        });
        let Some(found) = path.as_ref().and_then(|path| self.files.get(path).cloned()) else {
            return Err(Error::at(span, Constant::File(name)));
        };
        let path = path.unwrap_or_default();
        let text = match found {
            Ok(text) => text,
            Err(why) => return Err(Error::at(span, SystemError::File { path, why })),
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
                        let word = word.chars().take(40).collect();
                        return Err(Error::at(span, SystemError::Word { word, path, kind }));
                    };
                    items.push(item);
                }
                (kind, items)
            }
        };
        Ok(Val::Arr(self.b.literal(kind, &[items.len() as u64], items)))
    }
}
