//! Inputs of generated programs.

use super::tree::Param;
use super::types::{Base, Prim, Ty};
use crate::support::generate::Random;
use std::collections::BTreeMap;

/// Values of one element type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datum {
    pub prim: Prim,
    pub dims: Vec<usize>,
    /// The elements as text, in row-major order.
    pub items: Vec<String>,
}

/// The arguments of an entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The sizes.
    pub sizes: BTreeMap<String, i64>,
    /// For each parameter its value.
    pub values: Vec<Datum>,
}

impl Datum {
    /// As text that can be read.
    pub fn text(&self) -> String {
        if self.dims.contains(&0) {
            let dims: String = self.dims.iter().map(|dim| format!("[{dim}]")).collect();
            return format!("empty({dims}{})", self.prim.name());
        }
        nested(&self.dims, &self.items)
    }
    fn size(&self) -> usize {
        let weight = |item: &String| if ["0", "false", "0.0"].iter().any(|zero| item.starts_with(zero)) { 1 } else { 1 + item.len() };
        self.items.iter().map(weight).sum::<usize>() + self.dims.iter().sum::<usize>()
    }
}

fn nested(dims: &[usize], items: &[String]) -> String {
    match dims.split_first() {
        None => items[0].clone(),
        Some((&dim, rest)) => {
            let each = items.len() / dim;
            format!("[{}]", items.chunks(each).map(|items| nested(rest, items)).collect::<Vec<_>>().join(", "))
        }
    }
}

impl Input {
    pub fn text(&self) -> String {
        self.values.iter().map(Datum::text).collect::<Vec<_>>().join(" ")
    }
    pub fn size(&self) -> usize {
        1 + self.values.iter().map(Datum::size).sum::<usize>()
    }

    /// Values for parameters under sizes. A parameter that is a size has its value.
    pub fn new(random: &mut Random, params: &[Param], sizes: &BTreeMap<String, i64>, extreme: usize) -> Input {
        let values = params.iter().map(|param| datum(random, param, sizes, extreme)).collect();
        Input { sizes: sizes.clone(), values }
    }

    /// The same with other sizes, none of them larger.
    pub fn resized(&self, params: &[Param], sizes: &BTreeMap<String, i64>) -> Option<Input> {
        let mut values = Vec::new();
        for (param, old) in params.iter().zip(&self.values) {
            if let Some(size) = sizes.get(&param.name).filter(|_| param.ty.dims.is_empty()) {
                values.push(Datum { items: vec![literal(*size as i128, old.prim)], ..old.clone() });
                continue;
            }
            let dims = shape(&param.ty, sizes);
            if dims.iter().zip(&old.dims).any(|(new, old)| new > old) {
                return None;
            }
            let items = positions(&dims, &old.dims).into_iter().map(|at| old.items[at].clone()).collect();
            values.push(Datum { dims, items, ..old.clone() });
        }
        Some(Input { sizes: sizes.clone(), values })
    }
}

/// Where the elements of a smaller array are in a larger one.
fn positions(new: &[usize], old: &[usize]) -> Vec<usize> {
    match new.split_first() {
        None => vec![0],
        Some((&count, rest)) => {
            let each: usize = old[1..].iter().product();
            let inner = positions(rest, &old[1..]);
            (0..count).flat_map(|i| inner.iter().map(move |at| i * each + at)).collect()
        }
    }
}

fn shape(ty: &Ty, sizes: &BTreeMap<String, i64>) -> Vec<usize> {
    let of = |name: &str| sizes.get(name).copied();
    ty.dims.iter().map(|dim| usize::try_from(dim.value(&of).unwrap_or(2)).unwrap_or(0)).collect()
}

fn datum(random: &mut Random, param: &Param, sizes: &BTreeMap<String, i64>, extreme: usize) -> Datum {
    let Base::Prim(prim) = param.ty.base else { panic!("parameters are scalars and arrays of them") };
    if let Some(size) = sizes.get(&param.name).filter(|_| param.ty.dims.is_empty()) {
        return Datum { prim, dims: Vec::new(), items: vec![literal(*size as i128, prim)] };
    }
    let dims = shape(&param.ty, sizes);
    let items = (0..dims.iter().product::<usize>()).map(|_| item(random, prim, sizes, extreme)).collect();
    Datum { prim, dims, items }
}

/// A number as it is written in data and programs.
pub fn literal(value: i128, prim: Prim) -> String {
    format!("{value}{}", prim.name())
}

/// An element; in so many cases of a hundred an extreme one.
pub fn item(random: &mut Random, prim: Prim, sizes: &BTreeMap<String, i64>, extreme: usize) -> String {
    let wild = random.percent(extreme);
    match prim {
        Prim::Bool => random.percent(50).to_string(),
        Prim::F32 | Prim::F64 if wild => {
            let name = prim.name();
            let value = random.pick(&["nan", "inf", "-inf", "-0.0", "0.0", "1.5"]);
            match value.strip_prefix('-') {
                _ if !value.contains(['n', 'f']) => format!("{value}{name}"),
                Some(rest) => format!("-{name}.{rest}"),
                None => format!("{name}.{value}"),
            }
        }
        Prim::C128 => {
            let mut half = || (random.below(17) as f64 - 8.0) / 2.0;
            format!("{:.1}{:+.1}jc128", half(), half())
        }
        Prim::F32 | Prim::F64 => format!("{:.1}{}", (random.below(17) as f64 - 8.0) / 2.0, prim.name()),
        _ => {
            let (low, high) = prim.limits();
            let size = sizes.values().copied().map(i128::from).nth(random.below(sizes.len())).unwrap_or(3);
            let value = if wild {
                random.pick(&[
                    low,
                    high,
                    low + 1,
                    high - 1,
                    -1,
                    0,
                    1,
                    size - 1,
                    size,
                    size + 1,
                    1 << 31,
                    (1 << 31) - 1,
                    high / 2 + 1,
                    -size,
                ])
            } else if prim.is_signed() {
                random.below(13) as i128 - 5
            } else {
                random.below(9) as i128
            };
            literal(value.clamp(low, high), prim)
        }
    }
}
