//! Kernel machines that learn from a stream, in one pass, with a bounded number of support vectors.
//!
//! [`Spec`] holds the parameters of a named algorithm ([`ALGORITHMS`]), [`Spec::check`] is their only validation, and what
//! it gives builds a [`Learner`] of `f32` or `f64`: rows go in one at a time or in batches, which are the same, bit for
//! bit. [`model::Model`] adds the users' labels and is what a model file holds.
//!
//! ```
//! use budgetrs::generate::checkerboard;
//! use budgetrs::spec::Gamma;
//! use budgetrs::{Learner, Rows, Spec, Targets};
//! use ndarray::ArrayView2;
//!
//! let train = checkerboard(20_000, 0.0, 1);
//! let rows = ArrayView2::from_shape((20_000, 2), &train.rows)?;
//!
//! let spec = Spec { budget: Some(100), gamma: Gamma::Value(4.0), ..Spec::named("bsgd-merge")? };
//! let mut learner: Learner<f32> = spec.check()?.build(train.features, train.n_classes)?;
//! learner.learn_batch(&Rows::Dense(rows), Targets::Classes(&train.classes), None)?;
//!
//! assert_eq!(learner.n_support(), 100);
//! assert!(learner.counts().mistakes < 2_000); // of 20,000, each predicted before it was learned
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
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
