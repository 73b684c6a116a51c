//! Kernel machines that learn from a stream, in one pass, with a bounded number of support vectors.
#![cfg_attr(not(feature = "python"), forbid(unsafe_code))]

mod budget;
pub mod classes;
pub mod data;
pub mod element;
pub mod error;
pub mod float;
pub mod generate;
pub mod kernel;
pub mod label;
pub mod learner;
mod linalg;
pub mod model;
pub mod persist;
#[cfg(feature = "python")]
#[expect(
    clippy::doc_markdown,
    clippy::needless_pass_by_value,
    reason = "docstrings are numpydoc; PyO3 passes values"
)]
mod python;
pub mod rng;
pub mod row;
pub mod simd;
pub mod spec;
mod store;
mod update;

pub use classes::{Classes, RawLabels};
pub use error::{Error, Result};
pub use float::Real;
pub use learner::{Learner, Rows, Targets};
pub use spec::{ALGORITHMS, CheckedSpec, Spec};
pub use update::Loss;
