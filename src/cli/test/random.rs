//! Random values for tests, the same for the same seed.

use crate::base::{PrimType, Scalar, Span};
use crate::runtime::data;
use crate::runtime::{Array, Buffer, Value};

/// A random value of this shape and element type in Futhark's binary format; the same for the same seed. `None` for more values than
/// there can be.
pub fn random(dims: &[usize], prim: PrimType, seed: u64) -> Option<Vec<u8>> {
    let count = dims.iter().try_fold(1usize, |n, d| n.checked_mul(*d)).filter(|n| *n <= 1 << 32)?;
    let mut items = Buffer::with_capacity(prim, count).ok()?;
    let mut random = Generator::new(seed);
    for _ in 0..count {
        items.push(random_scalar(prim, &mut random));
    }
    let value = if dims.is_empty() { Value::Scalar(items.get(0)?) } else { Value::Array(Array::new(dims, items)?) };
    data::binary::write(&value)
}

/// Numbers that look random: SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
#[derive(Debug, Clone)]
pub struct Generator(u64);

impl Generator {
    /// The same numbers for the same seed.
    pub fn new(seed: u64) -> Generator {
        Generator(seed)
    }
    /// The next number, of all 64 bits.
    #[allow(clippy::should_implement_trait, reason = "there is always a next one")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

/// Floats lie in 0..1, and so do the parts of complex numbers; integers are any.
fn random_scalar(prim: PrimType, random: &mut Generator) -> Scalar {
    if let Some(part) = prim.part() {
        let (re, im) = (random_scalar(part, random), random_scalar(part, random));
        return Scalar::complex(re, im).unwrap_or_else(|| crate::ice!(Span::default(), "{re} and {im} are no parts of a {prim}"));
    }
    let z = random.next();
    let unit = (z >> 11) as f64 / (1u64 << 53) as f64;
    match prim {
        PrimType::F16 => Scalar::from_f64(prim, unit),
        PrimType::F32 => Scalar::F32(unit as f32),
        PrimType::F64 => Scalar::F64(unit),
        PrimType::Bool => Scalar::Bool(z & 1 == 1),
        _ => Scalar::from_i128(prim, z.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::random;
    use crate::base::PrimType;
    use crate::runtime::data::{self, Expected};

    #[test]
    fn random_values_have_their_types() {
        for (dims, prim) in [(&[][..], PrimType::I32), (&[3], PrimType::F32), (&[2, 2], PrimType::Bool), (&[0], PrimType::I64)] {
            let bytes = random(dims, prim, 1).expect("not too large");
            let value = data::read("random", &bytes, &Expected::new("x", prim, dims.len())).expect("its own type");
            assert_eq!(value.dims(), dims);
        }
        assert_eq!(random(&[99_999_999_999], PrimType::I32, 1), None);
        assert_eq!(random(&[4], PrimType::F16, 7), random(&[4], PrimType::F16, 7));
    }
}
