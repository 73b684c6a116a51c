//! Linear algebra over a changing set of vectors, in `f64` whatever the data type.
//!
//! `K` is the Gram matrix of the members, `k_ij = k(x_i, x_j)`, and `A = K^-1`. `Factor` keeps `L` with `L L' = K`
//! while members come and go, so that `A b` and a column of `A` are two triangular solves, and `diag(A)`.
//! What the rules need follows from these (`S` the members but one, `a = A k_t`):
//!
//! | asked for | identity |
//! |---|---|
//! | squared residual of a new vector on the members | `delta = k_tt - k_t.a` |
//! | squared residual of member `p` on the others | `1/A_pp` |
//! | its projection on them | coefficients `-A_Sp/A_pp` |
//! | residual of a new vector once `p` is gone | `delta + a_p^2/A_pp` |
//!
//! An inverse kept by updates blows up with near-duplicates; a factor updated by rotations stays at rounding level
//! over any number of changes.

mod diagonal;
mod factor;
mod ols;
mod solution;
mod state;
mod system;
#[cfg(test)]
mod tests;
mod tridiagonal;

#[cfg(test)]
pub(crate) use factor::Outcome;
pub(crate) use factor::{Factor, INITIAL_CAPACITY};
pub(crate) use ols::{SparseProjection, TargetFunction, orthogonal_least_squares};
pub(crate) use solution::Solution;
pub(crate) use state::FactorState;
pub(crate) use system::ProjectionSystem;
pub(crate) use tridiagonal::Tridiagonal;

use crate::slot::Slot;
