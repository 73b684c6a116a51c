//! The best partner for the newest support vector, which may be heavier or lighter than it.

use super::bound::{lower_by_k, shortened};
use super::pair::Pair;
use super::search::{Candidates, PartnerSearch};
use super::shortlist::{Partner, SmallerWeight};
use super::solver::solve;
use crate::float::log2::log2_1p;
use crate::float::{Mask, Real, Vector};
use crate::ops::SimdBuffer;
use crate::ops::simd::{M, Processor, Simd, V};
use crate::ops::simd_impl::operations;
use crate::slot::Slot;

operations! {
    /// The search for the partner of the newest support vector.
    pub(crate) trait NewestPartnerOps<T: Real> {
        /// The best partner of the newest support vector `seed` with the kernel row `k`, as
        /// [`PartnerOps::partner`](super::PartnerOps::partner); but partners may have smaller weights. The
        /// returned `h` is the share of the vector with the smaller weight.
        fn partner_of_newest(
            s: P,
            search: &mut PartnerSearch<T>,
            among: Candidates<'_, T>,
            k: &SimdBuffer<T>,
            seed: Slot,
        ) -> Option<Partner> {
            search.partner_of_newest(s, among, k, seed)
        }
    }
}

impl<T: Real> PartnerSearch<T> {
    #[inline(always)]
    fn partner_of_newest<S: Processor + Simd<T>>(
        &mut self,
        s: S,
        among: Candidates<'_, T>,
        k: &SimdBuffer<T>,
        seed: Slot,
    ) -> Option<Partner> {
        let p_seed = among.weights.get(seed.index());
        let promising = self.bounds_of_newest(s, among, k, seed);
        let limit = self.limit_of_newest(s, among, k, p_seed, &promising);
        let (p, limits) = (V::splat(s, p_seed), V::splat(s, limit));
        self.list.clear();
        for i_simd in 0..among.stored.used {
            let bits = self.row.load(s, i_simd).le(limits).bits();
            if bits == 0 {
                continue;
            }
            let weight = among.weights.load(s, i_simd);
            let r = among.alpha.dot(s, i_simd, &self.a_seed);
            let y = log2_k::<T, _>(k.load(s, i_simd));
            self.list.take_each(i_simd, bits, p.min(weight), [p.max(weight), r, y]);
        }
        let lesser = SmallerWeight::<T, true>(p_seed);
        if self.list.len() > T::LANES {
            let least = self.list.prune(s, lesser, limit) / shortened(T::ONE);
            // No pair loses more than the lesser weight: where all lose nearly that, far from all others, they are
            // ties.
            if p_seed <= least * T::from_f64(1.0 + 0.9 * T::TIE_RTOL.to_f64()) {
                self.list.keep_oldest(among.live);
            }
        }
        self.list.best(s, lesser, among.live)
    }

    /// Lower bounds of the degradations by kernel values and weights, without the coefficients; infinite where there is
    /// no candidate. Returns for each lane the SIMD vector that has the smallest bound there.
    #[inline(always)]
    fn bounds_of_newest<S: Processor + Simd<T>>(
        &mut self,
        s: S,
        among: Candidates<'_, T>,
        k: &SimdBuffer<T>,
        seed: Slot,
    ) -> T::Array {
        let p = V::splat(s, among.weights.get(seed.index()));
        let infinity = V::splat(s, T::INFINITY);
        let (mut lowest, mut promising) = (infinity, V::zero(s));
        for i_simd in 0..among.stored.used {
            let k = clamped(k.load(s, i_simd));
            let bound = p.min(among.weights.load(s, i_simd)) * lower_by_k(k);
            let bound = M::<T, S>::from_bits(s, others::<T>(among, i_simd, seed)).select(bound, infinity);
            self.row.store(i_simd, bound);
            promising = bound.lt(lowest).select(V::splat(s, T::from_f64(i_simd as f64)), promising);
            lowest = lowest.min(bound);
        }
        promising.to_array()
    }

    /// An upper bound of the least degradation: the smallest of the most promising candidates, one per lane, after a
    /// step.
    #[inline(always)]
    fn limit_of_newest<S: Processor + Simd<T>>(
        &self,
        s: S,
        among: Candidates<'_, T>,
        k: &SimdBuffer<T>,
        p_seed: T,
        promising: &T::Array,
    ) -> T {
        let slot = |lane: usize| promising[lane].to_f64() as usize * T::LANES + lane;
        let gather = |numbers: &SimdBuffer<T>| V::from_fn(s, |lane| numbers.get(slot(lane)));
        let (p, weight, bound) = (V::splat(s, p_seed), gather(among.weights), gather(&self.row));
        let mut r = V::zero(s);
        for (output, &a) in self.a_seed.iter().enumerate().filter(|(_, a)| **a != T::ZERO) {
            let alpha = V::from_fn(s, |lane| among.alpha.get(slot(lane), output));
            r = V::splat(s, a).mul_add(alpha, r);
        }
        let pair = Pair::of_each(p.min(weight), p.max(weight), r, log2_k::<T, _>(gather(k)));
        let [(wd, _)] = solve::<T, _, 1, 1>(&[pair]);
        let infinity = V::splat(s, T::INFINITY);
        let wd = bound.lt(infinity).select(wd, infinity);
        // Neither rounding nor a tie may exclude the best.
        wd.reduce_min() * T::from_f64(1.0 + 3.0 * T::TIE_RTOL.to_f64()) + p_seed * T::from_f64(1e-7)
    }
}

/// A kernel value between 0 and 1, whatever rounding made of it.
#[inline(always)]
fn clamped<T: Real, V: Vector<T>>(k: V) -> V {
    k.min(k.constant(1.0)).max(k.constant(0.0))
}

/// `log2 k`
#[inline(always)]
fn log2_k<T: Real, V: Vector<T>>(k: V) -> V {
    let one = k.constant(1.0);
    -log2_1p::<T, _>(one / clamped(k) - one)
}

/// The live slots of a vector of lanes, as bits, except `seed`.
#[inline(always)]
fn others<T: Real>(among: Candidates<'_, T>, i_simd: usize, seed: Slot) -> u64 {
    let live = among.live.of_vector(i_simd, T::LANES);
    if seed.index() / T::LANES == i_simd { live & !(1 << (seed.index() % T::LANES)) } else { live }
}
