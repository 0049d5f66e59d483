//! Flat memory of scalars of one type.

use super::value::Shortage;
use crate::base::{Complex, PrimType, Scalar};
use half::f16;
use std::ops::Range;
use std::sync::Arc;

/// Scalars of one type in a row, shared until written to.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Buffer {
    I8(Arc<Vec<i8>>),
    I16(Arc<Vec<i16>>),
    I32(Arc<Vec<i32>>),
    I64(Arc<Vec<i64>>),
    U8(Arc<Vec<u8>>),
    U16(Arc<Vec<u16>>),
    U32(Arc<Vec<u32>>),
    U64(Arc<Vec<u64>>),
    F16(Arc<Vec<f16>>),
    F32(Arc<Vec<f32>>),
    F64(Arc<Vec<f64>>),
    C64(Arc<Vec<Complex<f32>>>),
    C128(Arc<Vec<Complex<f64>>>),
    Bool(Arc<Vec<bool>>),
}

/// Evaluates an expression with the vector of a buffer, whatever its type: `each!(buffer, v => v.len())`. With `T`, the
/// element type has that name in the expression.
#[macro_export]
macro_rules! each_buffer {
    ($buffer:expr, $v:ident => $body:expr) => {
        match $buffer {
            $crate::runtime::Buffer::I8($v) => $body,
            $crate::runtime::Buffer::I16($v) => $body,
            $crate::runtime::Buffer::I32($v) => $body,
            $crate::runtime::Buffer::I64($v) => $body,
            $crate::runtime::Buffer::U8($v) => $body,
            $crate::runtime::Buffer::U16($v) => $body,
            $crate::runtime::Buffer::U32($v) => $body,
            $crate::runtime::Buffer::U64($v) => $body,
            $crate::runtime::Buffer::F16($v) => $body,
            $crate::runtime::Buffer::F32($v) => $body,
            $crate::runtime::Buffer::F64($v) => $body,
            $crate::runtime::Buffer::C64($v) => $body,
            $crate::runtime::Buffer::C128($v) => $body,
            $crate::runtime::Buffer::Bool($v) => $body,
        }
    };
}

/// Evaluates an expression with a type alias for the Rust type of a [`PrimType`].
#[macro_export]
macro_rules! each_prim {
    ($prim:expr, $t:ident => $body:expr) => {
        match $prim {
            $crate::base::PrimType::I8 => {
                type $t = i8;
                $body
            }
            $crate::base::PrimType::I16 => {
                type $t = i16;
                $body
            }
            $crate::base::PrimType::I32 => {
                type $t = i32;
                $body
            }
            $crate::base::PrimType::I64 => {
                type $t = i64;
                $body
            }
            $crate::base::PrimType::U8 => {
                type $t = u8;
                $body
            }
            $crate::base::PrimType::U16 => {
                type $t = u16;
                $body
            }
            $crate::base::PrimType::U32 => {
                type $t = u32;
                $body
            }
            $crate::base::PrimType::U64 => {
                type $t = u64;
                $body
            }
            $crate::base::PrimType::F16 => {
                type $t = half::f16;
                $body
            }
            $crate::base::PrimType::F32 => {
                type $t = f32;
                $body
            }
            $crate::base::PrimType::F64 => {
                type $t = f64;
                $body
            }
            $crate::base::PrimType::C64 => {
                type $t = $crate::base::Complex<f32>;
                $body
            }
            $crate::base::PrimType::C128 => {
                type $t = $crate::base::Complex<f64>;
                $body
            }
            $crate::base::PrimType::Bool => {
                type $t = bool;
                $body
            }
        }
    };
}

/// A Rust type that represents a scalar type.
pub trait Element: Copy + Default + Send + Sync + PartialEq + std::fmt::Debug + 'static {
    /// The scalar type.
    const PRIM: PrimType;
    /// A buffer of such elements.
    fn wrap(items: Arc<Vec<Self>>) -> Buffer;
    /// The vector of a buffer of this type.
    fn of(buffer: &Buffer) -> Option<&Arc<Vec<Self>>>;
    /// The vector of a buffer of this type, for writing.
    fn of_mut(buffer: &mut Buffer) -> Option<&mut Arc<Vec<Self>>>;
    /// As a scalar.
    fn scalar(self) -> Scalar;
    /// The payload of a scalar of this type.
    fn from_scalar(scalar: Scalar) -> Option<Self>;
}

macro_rules! element {
    ($($t:ty, $variant:ident;)*) => {
        $(impl Element for $t {
            const PRIM: PrimType = PrimType::$variant;
            fn wrap(items: Arc<Vec<$t>>) -> Buffer {
                Buffer::$variant(items)
            }
            #[inline]
            fn of(buffer: &Buffer) -> Option<&Arc<Vec<$t>>> {
                if let Buffer::$variant(v) = buffer { Some(v) } else { None }
            }
            #[inline]
            fn of_mut(buffer: &mut Buffer) -> Option<&mut Arc<Vec<$t>>> {
                if let Buffer::$variant(v) = buffer { Some(v) } else { None }
            }
            #[inline]
            fn scalar(self) -> Scalar {
                Scalar::$variant(self)
            }
            #[inline]
            fn from_scalar(scalar: Scalar) -> Option<$t> {
                if let Scalar::$variant(v) = scalar { Some(v) } else { None }
            }
        })*
    };
}
element! {
    i8, I8; i16, I16; i32, I32; i64, I64; u8, U8; u16, U16; u32, U32; u64, U64; f16, F16; f32, F32; f64, F64;
    Complex<f32>, C64; Complex<f64>, C128; bool, Bool;
}

/// A vector with room for `count` elements, or a report of how much was asked for.
pub fn vector<T>(count: usize) -> Result<Vec<T>, Shortage> {
    let mut items = Vec::new();
    items.try_reserve_exact(count).map_err(|_| Shortage { bytes: count as u128 * size_of::<T>() as u128 })?;
    Ok(items)
}

fn append<T: Copy>(to: &mut Arc<Vec<T>>, from: &[T]) -> Result<(), Shortage> {
    let items = Arc::make_mut(to);
    items.try_reserve(from.len()).map_err(|_| Shortage { bytes: (items.len() + from.len()) as u128 * size_of::<T>() as u128 })?;
    items.extend_from_slice(from);
    Ok(())
}

impl Buffer {
    /// A buffer of these elements.
    pub fn new<T: Element>(items: Vec<T>) -> Buffer {
        T::wrap(Arc::new(items))
    }
    /// An empty buffer with room for `count` elements.
    pub fn with_capacity(prim: PrimType, count: usize) -> Result<Buffer, Shortage> {
        each_prim!(prim, T => Ok(Buffer::new(vector::<T>(count)?)))
    }
    /// `count` times the same element.
    pub fn filled(scalar: Scalar, count: usize) -> Result<Buffer, Shortage> {
        each_prim!(scalar.prim(), T => {
            let mut items = vector::<T>(count)?;
            items.resize(count, T::from_scalar(scalar).unwrap_or_default());
            Ok(Buffer::new(items))
        })
    }
    /// The type of the elements.
    pub fn prim(&self) -> PrimType {
        match self {
            Buffer::I8(_) => PrimType::I8,
            Buffer::I16(_) => PrimType::I16,
            Buffer::I32(_) => PrimType::I32,
            Buffer::I64(_) => PrimType::I64,
            Buffer::U8(_) => PrimType::U8,
            Buffer::U16(_) => PrimType::U16,
            Buffer::U32(_) => PrimType::U32,
            Buffer::U64(_) => PrimType::U64,
            Buffer::F16(_) => PrimType::F16,
            Buffer::F32(_) => PrimType::F32,
            Buffer::F64(_) => PrimType::F64,
            Buffer::C64(_) => PrimType::C64,
            Buffer::C128(_) => PrimType::C128,
            Buffer::Bool(_) => PrimType::Bool,
        }
    }
    /// Number of elements.
    pub fn len(&self) -> usize {
        each_buffer!(self, v => v.len())
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The element at `i`.
    #[inline]
    pub fn get(&self, i: usize) -> Option<Scalar> {
        each_buffer!(self, v => v.get(i).map(|x| x.scalar()))
    }
    /// Adds an element of the same type at the end; others are refused.
    #[inline]
    pub fn push(&mut self, scalar: Scalar) -> bool {
        fn push<T: Element>(to: &mut Arc<Vec<T>>, scalar: Scalar) -> bool {
            match T::from_scalar(scalar) {
                Some(item) => {
                    Arc::make_mut(to).push(item);
                    true
                }
                None => false,
            }
        }
        each_buffer!(self, v => push(v, scalar))
    }
    /// Adds a range of a buffer of the same type at the end; others are refused.
    pub fn extend(&mut self, from: &Buffer, range: Range<usize>) -> Result<bool, Shortage> {
        fn extend<T: Element>(to: &mut Arc<Vec<T>>, from: &Buffer, range: Range<usize>) -> Result<bool, Shortage> {
            match T::of(from).and_then(|items| items.get(range)) {
                Some(items) => append(to, items).map(|()| true),
                None => Ok(false),
            }
        }
        each_buffer!(self, v => extend(v, from, range))
    }
    /// Writes elements over a range; copies the buffer first if it is shared. The types and lengths must agree.
    pub fn write(&mut self, at: usize, from: &Buffer, range: Range<usize>) -> bool {
        fn write<T: Element>(to: &mut Arc<Vec<T>>, at: usize, from: &Buffer, range: Range<usize>) -> bool {
            let Some(source) = T::of(from).and_then(|items| items.get(range)) else { return false };
            match Arc::make_mut(to).get_mut(at..at + source.len()) {
                Some(target) => {
                    target.copy_from_slice(source);
                    true
                }
                None => false,
            }
        }
        each_buffer!(self, v => write(v, at, from, range))
    }
    /// Writes one element; copies the buffer first if it is shared.
    #[inline]
    pub fn set(&mut self, at: usize, scalar: Scalar) -> bool {
        fn set<T: Element>(to: &mut Arc<Vec<T>>, at: usize, scalar: Scalar) -> bool {
            match (T::from_scalar(scalar), Arc::make_mut(to).get_mut(at)) {
                (Some(item), Some(target)) => {
                    *target = item;
                    true
                }
                _ => false,
            }
        }
        each_buffer!(self, v => set(v, at, scalar))
    }
    /// Whether nobody else holds the memory.
    pub fn is_unique(&mut self) -> bool {
        each_buffer!(self, v => Arc::get_mut(v).is_some())
    }
}
