//! The float types: [`Real`] is `f32` or `f64`; and the operations of formulas on SIMD vectors.

mod exp2;
mod layout;
pub(crate) mod log2;
mod real;
mod vector;

pub(crate) use exp2::{exp2, exp2_parts};
pub(crate) use layout::Layout;
pub(crate) use layout::{ROOT_HALF_F32, ROOT_HALF_F64, ROUND_BITS_F32, ROUND_BITS_F64, TWO_52};
pub use real::Real;
pub(crate) use real::max;
pub(crate) use vector::{Mask, Vector};
