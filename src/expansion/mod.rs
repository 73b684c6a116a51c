//! The kernel expansion `f(x) = scale * unit * sum_j alpha_j k(x_j, x)`: support vectors in fixed slots, their
//! coefficients, the linear term and the means of past expansions.
//!
//! The scale is the rule's decay; the unit is a power of two, near the deviation of the targets in regression. Scores,
//! coefficients and norms without both factors are called unscaled.

mod accumulate_means;
mod arow;
mod base_row;
mod coefficients;
mod correlated_subset;
mod edit;
mod edits;
mod expected_error;
mod insertion_order;
mod kernel_block;
mod kernel_expansion;
mod learn_linear;
mod linear_step;
mod linear_term;
mod local_errors;
mod means;
mod nonzero;
mod on_edit;
mod predictor;
mod save;
mod scores;
mod support_set;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod transform;
mod waiting_vector;

pub(crate) use crate::slot::Slot;
pub(crate) use coefficients::{Coefficients, with_added_outputs};
pub(crate) use correlated_subset::CorrelatedSubset;
pub(crate) use edit::{Edit, MergedPair, NewSupportVector, NormChange};
pub(crate) use kernel_block::KernelBlock;
pub(crate) use kernel_expansion::KernelExpansion;
pub(crate) use linear_step::LinearStep;
pub(crate) use linear_term::{LinearInput, LinearTerm, Rescaling};
pub(crate) use local_errors::KernelRow;
pub(crate) use on_edit::OnEdit;
pub(crate) use predictor::Predictor;
pub(crate) use scores::{BLOCK_MIN_BYTES, Query, RowScores, Scored};
pub(crate) use support_set::{Shape, SupportSet};
