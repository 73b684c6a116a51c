//! Merging two support vectors into one (Wang, Crammer and Vucetic 2010, section 4.3), h over all reals.
//!
//! [`ops::merge`](crate::ops::merge) has the mathematics and the search; this module changes the model.

#[cfg(test)]
mod tests;

use super::{Maintain, MaintenanceContext};
use crate::expansion::{KernelExpansion, MergedPair, Slot};
use crate::float::Real;
use crate::kernel::MergeableKernel;
use crate::ops::merge::{Partner, PartnerSearch};
use crate::panels::n_simd_for;
use crate::state::Norm;

/// Merges one support vector with the partner that changes the model least. m is the lighter of the two, with the
/// smaller `|alpha|^2 k(x, x)`, be it the seed or the partner; the merged vector `z = h x_m + (1 - h) x_n` has `alpha_z
/// = alpha_m k(z, x_m) + alpha_n k(z, x_n)`.
///
/// h and the partner are computed by the formulas of the Gaussian kernel from the kernel value `k_mn` of the model's
/// kernel. For a kernel with a heavier tail, the optimal h of the kernel itself predicts worse.
#[derive(Debug, Clone)]
pub(crate) struct Merge<T: Real> {
    seed: MergeSeed,
    search: PartnerSearch<T>,
}

/// The support vector whose partner is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MergeSeed {
    Smallest,
    Newest,
}

impl<T: Real> Merge<T> {
    /// Merging in a model of `slots` slots.
    pub(crate) fn new(seed: MergeSeed, slots: usize) -> Self {
        Self { seed, search: PartnerSearch::new(n_simd_for::<T>(slots)) }
    }

    pub(crate) fn merges_newest(&self) -> bool {
        self.seed == MergeSeed::Newest
    }

    /// Replaces the lighter vector m, of which the search holds a copy, and the heavier vector n by the merged vector;
    /// returns `|Delta|^2`.
    fn replace(
        &self,
        expansion: &mut KernelExpansion<T>,
        kernel: MergeableKernel,
        [m, n]: [Slot; 2],
        Partner { h, y, degradation, .. }: Partner,
        norm: &mut Option<Norm<T>>,
    ) -> f64 {
        let (u, v) = (kernel.at_fraction(y, 1.0 - h), kernel.at_fraction(y, h));
        let degradation = match kernel {
            MergeableKernel::Rbf { .. } => degradation,
            // The search computes the degradation of the Gaussian kernel.
            MergeableKernel::RationalQuadratic { .. } => {
                exact_degradation(expansion, [m, n], [u, v], y.exp2())
            }
        };
        expansion.merge(MergedPair { m, x_m: self.search.x_seed(), n, h, u, v, degradation }, norm);
        degradation
    }
}

/// `|alpha_z phi_z - alpha_m phi_m - alpha_n phi_n|^2 = |alpha_m|^2 + |alpha_n|^2 + 2 alpha_m . alpha_n k_mn -
/// |alpha_z|^2` for `alpha_z = u alpha_m + v alpha_n`, the optimal coefficients of the merged vector.
fn exact_degradation<T: Real>(
    expansion: &KernelExpansion<T>,
    [m, n]: [Slot; 2],
    [u, v]: [f64; 2],
    k: f64,
) -> f64 {
    let coefficients = expansion.coefficients();
    let sq_change = |output| {
        let (a, b) = (coefficients.get(m, output).to_f64(), coefficients.get(n, output).to_f64());
        a * a + b * b + 2.0 * a * b * k - (u * a + v * b).powi(2)
    };
    (0..expansion.outputs()).map(sq_change).sum::<f64>().max(0.0)
}

impl<T: Real> Maintain<T> for Merge<T> {
    fn reduce(&mut self, context: MaintenanceContext<'_, T>) -> f64 {
        let MaintenanceContext { expansion, scored, norm, .. } = context;
        let kernel =
            expansion.kernel().mergeable().expect("the checked specification has a kernel that merges");
        let seed = match self.seed {
            MergeSeed::Smallest => expansion.smallest(),
            MergeSeed::Newest => expansion.newest(),
        };
        let sq_norm = |slot: Slot| expansion.coefficients().weights().get(slot.index());
        let seed_sq_norm = sq_norm(seed);
        // Coefficients near zero, after a merge of opposite vectors or many projections, are removed without a partner.
        let is_negligible = seed_sq_norm <= T::FLUSH_BELOW;
        let found = match self.seed {
            _ if is_negligible => None,
            MergeSeed::Smallest => expansion.partner(&mut self.search, kernel, seed),
            MergeSeed::Newest => expansion.partner_of_newest(&mut self.search, scored.k, seed),
        };
        let Some(partner) = found else {
            expansion.remove(seed, norm);
            return seed_sq_norm.to_f64();
        };
        let [lighter, heavier] = if self.seed == MergeSeed::Smallest || seed_sq_norm <= sq_norm(partner.slot)
        {
            [seed, partner.slot]
        } else {
            // The partner is the lighter one: its vector takes the place of the seed's.
            expansion.read(partner.slot, self.search.x_seed_mut());
            [partner.slot, seed]
        };
        self.replace(expansion, kernel, [lighter, heavier], partner, norm)
    }
}
