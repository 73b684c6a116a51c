//! The list of edits: changes of support vectors and coefficients.

use super::{LinearInput, Slot};
use crate::batch::{Label, Row};
use crate::float::Real;
use crate::ops::SimdBuffer;

/// An example about to become a support vector.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewSupportVector<'a, T: Real> {
    /// The input of the kernel, as in [`Query`](super::Query).
    pub(crate) z: Row<'a, T>,
    /// The row statistic of `z`: see [`Query::stored_stat`](super::Query::stored_stat).
    pub(crate) row_stat: T,
    pub(crate) label: Label,
    /// One coefficient per output.
    pub(crate) alpha: &'a [T],
    /// The unscaled scores of the example before the insertion.
    pub(crate) f: &'a [T],
    /// The kernel row of `z` by slot.
    pub(crate) k: &'a SimdBuffer<T>,
}

/// Two support vectors merged into one: `merged = x_n + h (x_m - x_n)` with the coefficients
/// `alpha = u alpha_m + v alpha_n`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MergedPair<'a, T: Real> {
    /// The slot that becomes free.
    pub(crate) m: Slot,
    /// The vector of `m`.
    pub(crate) x_m: &'a [T],
    /// The slot, insertion order and label that the merged vector keeps.
    pub(crate) n: Slot,
    pub(crate) h: f64,
    pub(crate) u: f64,
    pub(crate) v: f64,
    /// `|alpha phi(merged) - alpha_m phi_m - alpha_n phi_n|^2`
    pub(crate) degradation: f64,
}

/// How much a projection changes `|w|^2`.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NormChange {
    /// The change itself.
    Known(f64),
    /// The change is `2 <w, D> + |D|^2`, where `|D|^2` is this number and `D = alpha_p (sum d_i phi_i - phi_p)`.
    Residual(f64),
    /// Unknown: `|w|^2` is computed from scratch.
    Unknown,
}

/// A change of the expansion.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Edit<'a, T: Real> {
    /// A new support vector in a free slot.
    Insert { slot: Slot, new: NewSupportVector<'a, T> },
    /// Removal of a support vector. `inner_product` is its inner product with the expansion, if it is known.
    Remove { slot: Slot, inner_product: Option<f64> },
    /// Two support vectors become one: `merged` with the coefficients `alpha`.
    Merge { merger: MergedPair<'a, T>, merged: &'a [T], alpha: &'a [T] },
    /// Removal of `p` and projection on the slots of `receivers`: `alpha_i += d_i alpha_p`.
    Project { p: Slot, receivers: &'a [Slot], d: &'a [f64], change: NormChange },
    /// `alpha_to += share alpha_from`
    Give { from: Slot, to: Slot, share: T },
    /// Coefficients `tau v` become `new_tau v`.
    Redirect { slot: Slot, new_tau: T },
    /// `alpha_i += share d_i alpha`
    Absorb { receivers: &'a [Slot], d: &'a [f64], share: f64, alpha: &'a [T] },
    /// A step of the linear term: `V += step x`, `v0 += step constant`, with the residuals of the means.
    StepLinear { step: &'a SimdBuffer<T>, x: LinearInput<'a, T>, constant: T },
    /// Multiplies all coefficients, including the linear term.
    MultiplyAll { factor: f64 },
    /// Multiplies the coefficients of all slots except `slot`; `inner_product` is the inner product of the
    /// term of `slot` with the other terms of the expansion.
    MultiplyOthers { slot: Slot, factor: f64, inner_product: f64 },
    /// Maintenance after an insertion is finished; derived state may now include the new vector.
    CommitInsert,
}
