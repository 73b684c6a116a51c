//! The preprocessing pipeline: feature hashing, standardisation, the kernel's gamma, and metric learning. Learning,
//! prediction, checks and kernel values share it.

mod bandwidth;
mod bounds;
mod buffers;
mod build;
mod categories;
mod component;
mod excess;
mod hasher;
mod map;
mod map_block;
mod memory;
mod metric;
mod missing_values;
mod row_block;
mod row_transform;
mod scaler;
mod zero_row;

pub use bandwidth::scale_gamma;
pub(crate) use bandwidth::{Bandwidth, GammaOf, Moments};
pub(crate) use buffers::{InputBuffers, RowBuffers};
use categories::Categories;
pub(crate) use excess::Excess;
pub(crate) use hasher::{FeatureHasher, HashedRow};
pub(crate) use map::InputMap;
pub(crate) use memory::input_bytes;
pub(crate) use metric::Metric;
use missing_values::MissingValues;
pub(crate) use row_block::{RowBlock, RowSource};
pub(crate) use row_transform::RowTransform;
#[cfg(test)]
pub(crate) use scaler::WARMUP_ROWS;
pub(crate) use scaler::{FixedScaler, RunningScaler, Scaler};
pub(crate) use zero_row::ZeroRow;
