//! From first-order programs to text for other compilers: [`lower`] makes loops, buffers and kernel launches, [`vectorise`] prepares loops
//! for SIMD lanes, [`variants`] finds faster variants of kernels, [`c`] and [`cuda`] print, with what they share in [`text`].

#![cfg_attr(not(test), deny(clippy::wildcard_enum_match_arm))]

pub mod c;
pub mod cuda;
pub mod lower;
pub mod text;
pub mod variants;
pub mod vectorise;
