//! Kernel machines that learn from a stream, in one pass, with a bounded number of support vectors.
//!
//! A kernel machine predicts with `f(x) = sum_j alpha_j k(x_j, x)`, a sum over support vectors: examples that it keeps.
//! Trained on a stream it would keep ever more of them. The algorithms here keep at most `budget`: whenever one more
//! comes in, one leaves, and its part of the model is dropped, projected on the others or merged with another one. So
//! memory and the time per example stay the same however long the stream is, and a model with a few hundred support
//! vectors predicts nearly as well as one that kept them all.
//!
//! | what | where |
//! |---|---|
//! | parameters, by field or by name, checked together | [`Spec`], [`CheckedSpec`] |
//! | the algorithms and where they come from | [`ALGORITHMS`] |
//! | learning and predicting, dense or sparse rows of `f32` or `f64` | [`Learner`], [`Rows`] |
//! | a learner with the labels of its classes, saved and loaded | [`model::Model`] |
//! | LIBSVM text and CSV, read piece by piece | [`data`] |
//! | streams to try it on | [`generate`] |
//!
//! # Example
//! Points on a board of four by four cells, told apart by the colour of their cell; then saved, loaded and taught more.
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
//! let bytes = Model { spec, classes: Some(classes), trained }.to_bytes()?;
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
//! # Promises
//! - The budget is never exceeded between examples, whatever the stream.
//! - A batch equals its rows one by one, bit for bit, however it is cut; equal seeds give equal models; processors with
//!   AVX-512, AVX2 or NEON give equal bits.
//! - A model that was saved and loaded goes on as if nothing had happened, bit for bit.
//! - A refused call changes nothing, and its [`Error`] names what was expected and what came. User input does not panic.
//!
//! The instructions are chosen at run time: see [`ops::isa`]. There is no `unsafe` code.
#![forbid(unsafe_code)]

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
mod losses;
mod maintenance;
pub mod model;
pub mod ops;
pub mod parameter;
pub mod params;
pub mod persist;
pub mod rng;
pub mod row;
mod rules;
mod slot;
mod store;
#[cfg(test)]
mod testing;

pub use classes::{Classes, RawLabels};
pub use error::{Error, Result};
pub use float::Real;
pub use label::Task;
pub use learner::{Learner, Rows, Target, Targets};
pub use params::{ALGORITHMS, CheckedSpec, Loss, Spec};
