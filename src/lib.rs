//! Kernel machines that learn from a stream, in one pass, with a bounded number of support vectors.
#![cfg_attr(not(feature = "python"), forbid(unsafe_code))]

mod budget;
pub mod error;
pub mod float;
pub mod rng;
pub mod simd;

pub use error::{Error, Result};
