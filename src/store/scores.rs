//! Kernel rows, scores and the searches among support vectors.

use super::{Coefficients, KernelExpansion, Neighbours, Slot};
use crate::float::Real;
use crate::kernel::{AnyKernel, Radial};
use crate::ops::SimdBuffer;
use crate::ops::merge::{Candidates, Partner, PartnerSearch};
use crate::ops::removal::{RemovalCandidates, RemovalSystems};
use crate::row::Row;

impl<T: Real> KernelExpansion<T> {
    /// The kernel row of `x` into `k`, and `f_c = sum_j alpha_jc k_j` (without the scale) into `f`.
    #[inline]
    pub(crate) fn scores(&self, kernel: AnyKernel, x: (Row<'_, T>, T), k: &mut SimdBuffer<T>, f: &mut [T]) {
        self.scores_by(kernel, self.expansion(), x, k, f);
    }

    /// The same with these coefficients.
    #[inline]
    pub(crate) fn scores_by(
        &self,
        kernel: AnyKernel,
        expansion: &Coefficients<T>,
        x: (Row<'_, T>, T),
        k: &mut SimdBuffer<T>,
        f: &mut [T],
    ) {
        self.support.ops.scores(kernel, self.support.stored(), expansion.coefficients(), x, k, f);
    }

    /// The kernel row of `x` alone.
    pub(crate) fn kernel_row(&self, kernel: AnyKernel, x: (Row<'_, T>, T), k: &mut SimdBuffer<T>) {
        self.support.ops.kernel_row(kernel, self.support.stored(), x, k);
    }

    /// The inner product of the model with the part of a support vector, `sum_c alpha_jc f_c(x_j)`, without the scale.
    pub(crate) fn along(&mut self, kernel: AnyKernel, slot: Slot) -> f64 {
        let norm = self.followers.norm.as_mut().expect("the strategy that asks has asked to keep the norm");
        norm.along(kernel, &self.support, slot)
    }

    /// `argmin_j |alpha_j|^2 k_jj`; the oldest among those within the tie tolerance.
    pub(crate) fn smallest(&self) -> Slot {
        let found = self.support.ops.argmin(self.expansion().weights(), self.support.live(), T::TIE_RTOL);
        found.map_or_else(|| self.nth_oldest(0), |(slot, _)| slot)
    }

    /// The largest size of a coefficient, without the scale.
    pub(crate) fn largest(&self) -> T {
        self.support.ops.max_abs(self.expansion().coefficients(), self.used())
    }

    /// The best partner to merge `m` with; none where no degradation is a number, after overflow.
    pub(crate) fn partner(&self, search: &mut PartnerSearch<T>, kernel: Radial, m: Slot) -> Option<Partner> {
        let among = self.candidates(search, m);
        self.support.ops.partner(search, among, kernel, m)
    }

    /// The best partner to merge the newest support vector `m` with, which has the kernel row `k`.
    pub(crate) fn partner_of_newest(
        &self,
        search: &mut PartnerSearch<T>,
        k: &SimdBuffer<T>,
        m: Slot,
    ) -> Option<Partner> {
        let among = self.candidates(search, m);
        self.support.ops.partner_of_newest(search, among, k, m)
    }

    /// Everything that a partner of `m` is searched among; the search starts.
    fn candidates(&self, search: &mut PartnerSearch<T>, m: Slot) -> Candidates<'_, T> {
        let (x_m, a_m) = search.start(self.features(), self.outputs(), self.vectors());
        self.read(m, x_m);
        self.expansion().read(m, a_m);
        Candidates {
            stored: self.support.stored(),
            alpha: self.expansion().coefficients(),
            weights: self.expansion().weights(),
            live: self.support.live(),
        }
    }

    /// Those that may leave for the newcomer `t`, which has the kernel row `k`.
    fn leavers<'a>(&'a self, t: Slot, k: &'a SimdBuffer<T>, k_tt: T) -> RemovalCandidates<'a, T> {
        RemovalCandidates {
            new_slot: t,
            k,
            k_tt,
            alpha: self.expansion().coefficients(),
            diags: self.expansion().diags(),
            weights: self.expansion().weights(),
            live: self.support.live(),
        }
    }

    /// The old support vector that costs least when it is removed and its part goes to the newcomer `t` as well as that
    /// takes it, and that cost: `argmin_r |alpha_r|^2 (k_rr - k_rt^2/k_tt)`.
    pub(crate) fn cheapest_beside(&mut self, t: Slot, k: &SimdBuffer<T>, k_tt: T) -> (Slot, f64) {
        let mut costs = std::mem::take(&mut self.scratch.by_slot);
        let found = self.support.ops.cheapest_given_new(self.leavers(t, k, k_tt), &mut costs);
        self.scratch.by_slot = costs;
        found.map_or_else(|| (self.nth_oldest(0), 0.0), |(slot, cost)| (slot, cost.to_f64()))
    }

    /// The same where its nearest neighbours take their share too.
    pub(crate) fn cheapest_near(
        &self,
        systems: &mut RemovalSystems<T>,
        t: Slot,
        k: &SimdBuffer<T>,
        k_tt: T,
    ) -> (Slot, f64) {
        let near = self.neighbours().ranks();
        let found = self.support.ops.cheapest_given_neighbours(systems, self.leavers(t, k, k_tt), near);
        found.map_or_else(|| (self.nth_oldest(0), 0.0), |(slot, cost)| (slot, cost.to_f64()))
    }

    /// The nearest neighbours of every support vector.
    pub(crate) fn neighbours(&self) -> &Neighbours<T> {
        self.followers.neighbours.as_ref().expect("the strategy that asks has asked to keep them")
    }

    /// The support vector, but for one, with the largest leave-one-out margin of its own label, and that margin,
    /// without the scale. The oldest within the tie tolerance.
    pub(crate) fn largest_margin(&mut self, but: Option<Slot>) -> Option<(Slot, T)> {
        let margins = self.followers.margins.as_ref().expect("the strategy that asks has asked to keep them");
        let costs = &mut self.scratch.by_slot;
        margins.negated(&self.support, costs);
        if let Some(slot) = but {
            costs.set(slot.index(), T::INFINITY);
        }
        let found = self.support.ops.argmin(costs, self.support.live(), T::TIE_RTOL);
        found.map(|(slot, negated)| (slot, -negated))
    }
}
