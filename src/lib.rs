//! Kernel machines that learn from a stream, in one pass, with a bounded number of support vectors.
//!
//! A kernel machine predicts with `f(x) = sum_j alpha_j k(x_j, x)`, a sum over support vectors: examples stored in the
//! model. On a stream their number would grow without bound. The algorithms here store at most `budget` of them: when a
//! new support vector exceeds the budget, one is removed, projected on the others or merged with another one. So memory
//! and time per example do not depend on the length of the stream, and a model with a few hundred support vectors often
//! predicts nearly as well as one without a budget. (For comparison there are unbounded algorithms too.)
//!
//! | what | where |
//! |---|---|
//! | learn and predict, with labels, names and missing values | [`Classifier`], [`Regressor`] |
//! | their parameters, and the named algorithms and their sources | [`Builder`], [`ALGORITHMS`] |
//! | one model per key, for many keys, within a memory limit | [`keyed::KeyedModels`] |
//! | class numbers, caller-owned buffers, parts of batches | [`Learner`] |
//! | generated streams, for tests and demonstrations | [`generate`] |
//!
//! # Example
//! Classify the points of a 4 x 4 checkerboard by the colour of their cell; save, load and continue learning.
//! ```
//! use budgetrs::Classifier;
//! use budgetrs::generate::checkerboard;
//!
//! let board = checkerboard(3000, 0.0, 1);
//! let points: Vec<&[f32]> = board.rows.chunks(2).collect();
//! let colours: Vec<&str> = board.classes.iter().map(|class| ["black", "white"][*class as usize]).collect();
//!
//! let mut model = Classifier::builder().budget(50).build()?;
//! for (point, colour) in points[..2000].iter().zip(&colours) {
//!     model.learn_one(*point, *colour)?;
//! }
//! let mut model = Classifier::from_bytes(&model.to_bytes()?)?;
//! let mut right = 0;
//! for (point, colour) in points[2000..].iter().zip(&colours[2000..]) {
//!     right += usize::from(model.predict_one(*point)? == *colour);
//!     model.learn_one(*point, *colour)?;
//! }
//! assert!(right > 900, "{right} of 1000");
//! # Ok::<(), budgetrs::Error>(())
//! ```
//!
//! # Guarantees
//! - After every example the model has at most `budget` support vectors (with a `rate`: at most `max_size`).
//! - Learning a batch and learning its rows one by one produce the same bits, for every batch size. Equal seeds produce
//!   equal models. x86-64 processors with AVX2 or AVX-512 produce the same bits.
//! - A model that was saved and loaded continues learning with the same bits as the original.
//! - A call with invalid input changes nothing; its [`Error`] says what was expected and what was given. Invalid input
//!   never panics.
//!
//! The SIMD instructions are chosen at run time: see [`ops::isa`]. There is no `unsafe` code.
#![forbid(unsafe_code)]

// The program of the page runs as a test of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../docs/rust.md")]
struct Page;

mod added_outputs;
mod api;
#[doc(hidden)]
pub mod batch;
#[doc(hidden)]
pub mod classes;
#[doc(hidden)]
pub mod columns;
mod component;
mod constants;
mod count;
#[doc(hidden)]
pub mod element;
#[doc(hidden)]
pub mod error;
mod expansion;
#[doc(hidden)]
pub mod float;
pub mod generate;
mod input;
#[doc(hidden)]
pub mod kernel;
pub mod keyed;
pub mod learner;
mod linalg;
mod losses;
mod maintenance;
pub mod model;
mod monitor;
#[doc(hidden)]
pub mod ops;
mod panels;
#[doc(hidden)]
pub mod parameter;
pub mod params;
#[doc(hidden)]
pub mod persist;
#[doc(hidden)]
pub mod rng;
mod rules;
mod slot;
mod state;
#[cfg(test)]
mod testing;

pub use api::{Builder, ClassLabel, Classifier, Input, Progress, Regressor};
pub use batch::Rows;
pub use classes::Labels;
pub use columns::{Cell, ColumnData, Table};
pub use error::{Error, Result};
pub use learner::Learner;
pub use model::{Fit, Passes};
pub use parameter::Value;
pub use params::{ALGORITHMS, Spec};

#[doc(hidden)]
pub use batch::{Target, Targets, Task};
#[doc(hidden)]
pub use classes::Classes;
#[doc(hidden)]
pub use float::Real;
#[doc(hidden)]
pub use params::{CheckedSpec, Loss};
