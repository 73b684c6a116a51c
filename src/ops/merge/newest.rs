//! The best partner for the newest support vector, which may be heavier or lighter than it.

use super::bound::{lower_by_k, shortened};
use super::pair::Pair;
use super::search::{Candidates, PartnerSearch};
use super::shortlist::{Partner, SmallerWeight};
use super::solver::solve;
use crate::float::log2::log2_1p;
use crate::float::{Mask, Real, Vector};
use crate::ops::SimdBuffer;
use crate::ops::simd::{M, Processor, Simd, V, run_in_this_module};
use crate::slot::Slot;

run_in_this_module!();

/// The best partner for the newest support vector `m`.
pub(super) fn partner_of_newest<T: Real, S: Processor + Simd<T>>(
    s: S,
    search: &mut PartnerSearch<T>,
    among: Candidates<'_, T>,
    k: &SimdBuffer<T>,
    m: Slot,
) -> Option<Partner> {
    run(
        s,
        #[inline(always)]
        || search.partner_of_newest(s, among, k, m),
    )
}

impl<T: Real> PartnerSearch<T> {
    #[inline(always)]
    fn partner_of_newest<S: Processor + Simd<T>>(
        &mut self,
        s: S,
        among: Candidates<'_, T>,
        k: &SimdBuffer<T>,
        m: Slot,
    ) -> Option<Partner> {
        let p_m = among.weights.get(m.index());
        let most_promising = self.bounds_of_newest(s, among, k, m);
        let limit = self.limit_of_newest(s, among, k, m, most_promising);
        let (p, limits) = (V::splat(s, p_m), V::splat(s, limit));
        let (one, zero) = (V::splat(s, T::ONE), V::zero(s));
        self.list.clear();
        for i_simd in 0..among.stored.used {
            let bits = self.row.load(s, i_simd).le(limits).bits() & others::<T>(among, i_simd, m);
            if bits == 0 {
                continue;
            }
            let weight = among.weights.load(s, i_simd);
            let r = among.alpha.dot(s, i_simd, &self.a_m);
            let k = k.load(s, i_simd).min(one).max(zero);
            let y = -log2_1p::<T, _>(one / k - one);
            self.list.take_each(i_simd, bits, p.min(weight), [p.max(weight), r, y]);
        }
        let lesser = SmallerWeight::<T, true>(p_m);
        if self.list.len() > T::LANES {
            let least = self.list.prune(s, lesser, limit) / shortened(T::ONE);
            // No pair loses more than the lesser weight: where all lose nearly that, far from all others, they are
            // ties.
            if p_m <= least * T::from_f64(1.0 + 0.9 * T::TIE_RTOL.to_f64()) {
                self.list.keep_oldest(among.live);
            }
        }
        self.list.best(s, lesser, among.live)
    }

    /// Lower bounds of the degradations, in place of the distances; infinite where there is no candidate. Returns the
    /// vector of lanes with the least.
    #[inline(always)]
    fn bounds_of_newest<S: Processor + Simd<T>>(
        &mut self,
        s: S,
        among: Candidates<'_, T>,
        k: &SimdBuffer<T>,
        m: Slot,
    ) -> usize {
        let p_m = among.weights.get(m.index());
        let (p, inverse_p) = (V::splat(s, p_m), T::ONE / p_m);
        let (one, zero) = (V::splat(s, T::ONE), V::zero(s));
        let (infinity, vanished) = (V::splat(s, T::INFINITY), V::splat(s, T::FLUSH_BELOW));
        let (mut least, mut lowest, mut at) = (T::INFINITY, infinity, 0);
        for i_simd in 0..among.stored.used {
            let k = k.load(s, i_simd).min(one).max(zero);
            let weight = among.weights.load(s, i_simd);
            let r = among.alpha.dot(s, i_simd, &self.a_m);
            let square_of_rho = r * inverse_p * (r / weight.max(vanished));
            let bound = p.min(weight) * lower_by_k(k, square_of_rho);
            let bound = M::<T, S>::from_bits(s, others::<T>(among, i_simd, m)).select(bound, infinity);
            self.row.store(i_simd, bound);
            if bound.lt(lowest).bits() != 0 {
                let found = bound.reduce_min();
                if found < least {
                    (least, lowest, at) = (found, V::splat(s, found), i_simd);
                }
            }
        }
        at
    }

    /// An upper bound of the least degradation: the least of one vector of lanes, after a step.
    #[inline(always)]
    fn limit_of_newest<S: Processor + Simd<T>>(
        &self,
        s: S,
        among: Candidates<'_, T>,
        k: &SimdBuffer<T>,
        m: Slot,
        i_simd: usize,
    ) -> T {
        let p_m = among.weights.get(m.index());
        let (p, one, zero) = (V::splat(s, p_m), V::splat(s, T::ONE), V::zero(s));
        let weight = among.weights.load(s, i_simd);
        let k = k.load(s, i_simd).min(one).max(zero);
        let r = among.alpha.dot(s, i_simd, &self.a_m);
        let y = -log2_1p::<T, _>(one / k - one);
        let [(wd, _)] = solve::<T, _, 1, 1>(&[Pair::of_each(p.min(weight), p.max(weight), r, y)]);
        let infinity = V::splat(s, T::INFINITY);
        let wd = M::<T, S>::from_bits(s, others::<T>(among, i_simd, m)).select(wd, infinity);
        // Neither rounding nor a tie may exclude the best.
        wd.reduce_min() * T::from_f64(1.0 + 3.0 * T::TIE_RTOL.to_f64()) + p_m * T::from_f64(1e-7)
    }
}

/// The live slots of a vector of lanes, as bits, except `m`.
#[inline(always)]
fn others<T: Real>(among: Candidates<'_, T>, i_simd: usize, m: Slot) -> u64 {
    let live = among.live.of_vector(i_simd, T::LANES);
    if m.index() / T::LANES == i_simd { live & !(1 << (m.index() % T::LANES)) } else { live }
}
