//! Lanes: the processor level chosen at run time, 64-byte buffers, and the exponential.

mod exp2;
mod lanes;
mod level;

pub(crate) use exp2::{exp2, exp2_parts};
pub(crate) use lanes::{AsLine, Lanes};
#[cfg(test)]
pub(crate) use level::candidates;
pub(crate) use level::dispatch;
pub use level::{Isa, isa};
