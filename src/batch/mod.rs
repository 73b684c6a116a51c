//! Batches of input: rows, targets, and copies of both.

mod buffer;
mod example;
mod label;
mod row;
mod rows;
mod targets;

pub(crate) use buffer::RowBuffer;
pub(crate) use example::Example;
pub use label::{Label, Task};
pub use row::Row;
pub use rows::Rows;
pub(crate) use targets::MAX_TARGET;
pub use targets::{Target, Targets};
