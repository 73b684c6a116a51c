//! The best partner for a merger: one kernel row, one threshold, and the few pairs that are left.

use super::bound::threshold;
use super::pair::Pair;
use super::shortlist::{Partner, Shortlist, SmallerWeight};
use super::solver::solve;
use crate::batch::Row;
use crate::float::{Mask, Real, Vector};
use crate::kernel::MergeableKernel;
use crate::ops::accumulate::{SquaredDifference, accumulate};
use crate::ops::simd::{M, Processor, Simd, V};
use crate::ops::simd_impl::operations;
use crate::ops::{ActiveMask, CoefficientView, SimdBuffer, SupportView};
use crate::slot::Slot;

/// Everything that a partner is searched among.
#[derive(Clone, Copy)]
pub(crate) struct Candidates<'a, T: Real> {
    pub(crate) stored: SupportView<'a, T>,
    pub(crate) alpha: CoefficientView<'a, T>,
    /// `|alpha_j|^2` of every slot.
    pub(crate) weights: &'a SimdBuffer<T>,
    pub(crate) live: ActiveMask<'a>,
}

operations! {
    /// The search for the partner whose merger changes the model least. Ties go to the oldest. None if no
    /// weight degradation is finite, after overflow.
    pub(crate) trait PartnerOps<T: Real> {
        /// The best partner of `seed`, whose vector and coefficients are in `search`. No partner has a smaller
        /// weight than `seed`.
        fn partner(
            s: P,
            search: &mut PartnerSearch<T>,
            among: Candidates<'_, T>,
            kernel: MergeableKernel,
            seed: Slot,
        ) -> Option<Partner> {
            search.partner(s, among, kernel, seed)
        }
    }
}

/// Buffers of the search; never saved.
#[derive(Debug, Clone)]
pub(crate) struct PartnerSearch<T: Real> {
    x_seed: Vec<T>,
    pub(super) a_seed: Vec<T>,
    /// `log2 k(x_seed, x_j)` of every slot; where the newest is merged, the lower bounds of the degradations.
    pub(super) row: SimdBuffer<T>,
    /// The candidates that no bound excludes.
    pub(super) list: Shortlist<T>,
}

impl<T: Real> PartnerSearch<T> {
    /// Buffers for `n_simd` SIMD vectors of slots.
    pub(crate) fn new(n_simd: usize) -> Self {
        Self {
            x_seed: Vec::new(),
            a_seed: Vec::new(),
            row: SimdBuffer::zeros(n_simd),
            list: Shortlist::new(n_simd),
        }
    }

    /// The vector of the seed, or of the lighter partner that took its place.
    pub(crate) fn x_seed(&self) -> &[T] {
        &self.x_seed
    }

    /// The same, for a lighter partner to take its place.
    pub(crate) fn x_seed_mut(&mut self) -> &mut [T] {
        &mut self.x_seed
    }

    /// The buffers for `x_seed` and `a_seed`, which the caller fills in; makes room for `n_simd` SIMD vectors of slots.
    #[inline]
    pub(crate) fn start(&mut self, features: usize, outputs: usize, n_simd: usize) -> (&mut [T], &mut [T]) {
        self.x_seed.resize(features, T::ZERO);
        self.a_seed.resize(outputs, T::ZERO);
        if self.row.as_slice().len() < n_simd {
            self.row.grow(n_simd);
            self.list.grow(n_simd);
        }
        (&mut self.x_seed, &mut self.a_seed)
    }

    #[inline(always)]
    fn partner<S: Processor + Simd<T>>(
        &mut self,
        s: S,
        among: Candidates<'_, T>,
        kernel: MergeableKernel,
        seed: Slot,
    ) -> Option<Partner> {
        let p = among.weights.get(seed.index());
        let nearest = self.distances(s, among, kernel, seed);
        let limit = self.limit(s, among, p, nearest);
        self.collect(s, among, p, limit);
        let lesser = SmallerWeight::<T, false>(p);
        if among.alpha.outputs > 1 {
            self.list.prune(s, lesser, limit);
        }
        self.list.best(s, lesser, among.live)
    }

    /// `log2 k(x_seed, x_j)` of every slot; `seed` itself and the lanes without a support vector are infinitely far
    /// away. Returns the nearest.
    #[inline(always)]
    fn distances<S: Processor + Simd<T>>(
        &mut self,
        s: S,
        among: Candidates<'_, T>,
        kernel: MergeableKernel,
        seed: Slot,
    ) -> T {
        let SupportView { panels, row_stats, used, .. } = among.stored;
        let x = Row::Dense(&self.x_seed[..]);
        accumulate::<T, S, SquaredDifference>(
            s,
            panels,
            x,
            row_stats.as_slice(),
            used,
            self.row.as_mut_slice(),
        );
        match kernel {
            MergeableKernel::Rbf { gamma } => self.logarithms(
                s,
                among,
                seed,
                #[inline(always)]
                |distance| MergeableKernel::Rbf { gamma }.log2(distance),
            ),
            MergeableKernel::RationalQuadratic { gamma, alpha } => self.logarithms(
                s,
                among,
                seed,
                #[inline(always)]
                |distance| MergeableKernel::RationalQuadratic { gamma, alpha }.log2(distance),
            ),
        }
    }

    /// Squared distances become `log2 k` of one kernel.
    #[inline(always)]
    fn logarithms<S: Processor + Simd<T>>(
        &mut self,
        s: S,
        among: Candidates<'_, T>,
        seed: Slot,
        log2: impl Fn(V<T, S>) -> V<T, S>,
    ) -> T {
        let far = V::splat(s, -T::INFINITY);
        let mut nearest = far;
        for (i_simd, lanes) in self.row.as_mut_slice()[..among.stored.used].iter_mut().enumerate() {
            let mut y = log2(lanes.load(s));
            let mut live = among.live.of_vector(i_simd, T::LANES);
            if seed.index() / T::LANES == i_simd {
                live &= !(1 << (seed.index() % T::LANES));
            }
            if live != (1 << T::LANES) - 1 {
                y = M::<T, S>::from_bits(s, live).select(y, far);
            }
            lanes.store(y);
            nearest = nearest.max(y);
        }
        nearest.reduce_max()
    }

    /// An upper bound of the least degradation: that at the start points of the vector of lanes with the nearest
    /// partner.
    #[inline(always)]
    fn limit<S: Simd<T>>(&self, s: S, among: Candidates<'_, T>, p: T, nearest: T) -> T {
        let i_simd = self.row.first_with(s, nearest, among.stored.used);
        let y = self.row.load(s, i_simd);
        let q = among.weights.load(s, i_simd).max(V::splat(s, p));
        let r = among.alpha.dot(s, i_simd, &self.a_seed);
        let [(wd, _)] = solve::<T, _, 1, 0>(&[Pair::new(p, q, r, y)]);
        let infinity = V::splat(s, T::INFINITY);
        let least = y.gt(-infinity).select(wd, infinity).reduce_min();
        // The solver's rounding must not exclude the best.
        least * T::from_f64(1.0001) + p * T::from_f64(1e-7)
    }

    /// Gathers the candidates that are near enough to be as good as `limit`.
    #[inline(always)]
    fn collect<S: Simd<T>>(&mut self, s: S, among: Candidates<'_, T>, p: T, limit: T) {
        // The farthest that can be; a partner that is infinitely far away is none.
        let farthest = crate::float::max(threshold(p, limit), T::MIN);
        let farthest = V::splat(s, farthest);
        self.list.clear();
        for (i_simd, y) in self.row.as_slice()[..among.stored.used].iter().enumerate() {
            let y = y.load(s);
            let bits = y.ge(farthest).bits();
            if bits == 0 {
                continue;
            }
            let q = among.weights.load(s, i_simd).max(V::splat(s, p));
            let r = among.alpha.dot(s, i_simd, &self.a_seed);
            self.list.take(i_simd, bits, [q, r, y]);
        }
    }
}
