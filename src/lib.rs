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
//! | parameters, by field or by name, checked together | [`Spec`], [`CheckedSpec`] |
//! | the named algorithms and their sources | [`ALGORITHMS`] |
//! | learning and predicting, dense or sparse rows of `f32` or `f64` | [`Learner`], [`Rows`] |
//! | a learner with its class labels, to save and load | [`model::Model`] |
//! | one model per key, for many keys, within a memory limit | [`keyed::KeyedModels`] |
//! | generated streams, for tests and demonstrations | [`generate`] |
//!
//! # Example
//! Classify the points of a 4 x 4 checkerboard by the colour of their cell; save, load and continue learning.
//! ```
//! use budgetrs::generate::checkerboard;
//! use budgetrs::model::{AnyLearner, Model};
//! use budgetrs::params::Gamma;
//! use budgetrs::{Classes, Learner, Rows, Spec, Targets};
//!
//! let mut spec = Spec::named("bsgd-merge")?;
//! spec.budget = Some(50);
//! spec.gamma = Gamma::Value(4.0);
//! let spec = spec.check()?;
//! let mut learner: Learner<f32> = spec.build(2, 2)?;
//!
//! let board = checkerboard(3000, 0.0, 1);
//! let rows: Vec<&[f32]> = board.rows.chunks(2).collect();
//! for (x, &class) in rows[..2000].iter().zip(&board.classes) {
//!     learner.learn_one(x, class, 1.0)?;
//! }
//! assert_eq!(learner.n_support(), 50);
//!
//! let classes = Classes::Text(vec!["black".into(), "white".into()]);
//! let trained = Some(AnyLearner::F32(learner));
//! let bytes = Model { classes: Some(classes), trained, ..Model::new(spec) }.to_bytes()?;
//!
//! let Some(AnyLearner::F32(mut learner)) = Model::from_bytes(&bytes)?.trained else { unreachable!() };
//! let mut right = 0;
//! for (x, &class) in rows[2000..].iter().zip(&board.classes[2000..]) {
//!     right += usize::from(learner.predict(&Rows::one(x))? == [class]);
//!     learner.learn_batch(&Rows::one(x), Targets::Classes(&[class]), None)?;
//! }
//! assert!(right > 900, "{right} of 1000");
//! # Ok::<(), budgetrs::Error>(())
//! ```
//!
//! # Guarantees
//! - After every example the model has at most `budget` support vectors (with a `rate`: at most `max_size`).
//! - Learning a batch and learning its rows one by one produce the same bits, for every batch size. Equal seeds produce
//!   equal models. Processors with AVX-512, AVX2 or NEON produce the same bits.
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
pub mod batch;
pub mod classes;
pub mod columns;
mod component;
mod count;
pub mod element;
pub mod error;
pub mod float;
pub mod generate;
mod input;
pub mod kernel;
pub mod keyed;
mod linalg;
mod losses;
mod maintenance;
pub mod model;
mod monitor;
pub mod ops;
mod panels;
pub mod parameter;
pub mod params;
pub mod persist;
pub mod rng;
mod rules;
mod slot;
mod state;
mod store;
#[cfg(test)]
mod testing;
pub mod trainer;

pub use batch::{Rows, Target, Targets, Task};
pub use classes::{Classes, RawLabels};
pub use error::{Error, Result};
pub use float::Real;
pub use params::{ALGORITHMS, CheckedSpec, Loss, Spec};
pub use trainer::Learner;
