//! Lanes: the processor level chosen at run time, 64-byte buffers, the exponential and the inner loops.

mod exp2;
mod lanes;
mod level;
pub(crate) mod tile;

pub(crate) use exp2::{exp2, exp2_parts};
pub(crate) use lanes::{Lanes, Line};
pub use level::{Isa, check_forced, isa};
#[cfg(test)]
pub(crate) use level::{candidates, fused};
pub(crate) use level::{dispatch, level};
