//! The best partner for the newest support vector, which may be heavier or lighter than it.

use super::bound::{lower_by_k, shortened};
use super::pair::Pair;
use super::search::{Candidates, Search};
use super::shortlist::{Lesser, Partner};
use super::solver::solve;
use crate::float::log2::log2_1p;
use crate::float::{Mask, Real, Vector};
use crate::ops::Lanes;
use crate::ops::simd::{M, Processor, Simd, V};
use crate::slot::Slot;

/// What a bound by k is multiplied with, because k is rounded.
const ROUNDED: f64 = 0.9999;

impl<T: Real> Search<T> {
    #[inline(always)]
    pub(super) fn partner_of_newest<S: Processor + Simd<T>>(
        &mut self,
        s: S,
        among: Candidates<'_, T>,
        k: &Lanes<T>,
        m: Slot,
    ) -> Option<Partner> {
        let p_m = among.weights.get(m.index());
        let limit = self.limit_of_newest(s, among, k, m);
        let (p, limits) = (V::splat(s, p_m), V::splat(s, limit));
        let (one, zero) = (V::splat(s, T::ONE), V::zero(s));
        self.list.clear();
        for vector in 0..among.stored.used {
            let weight = among.weights.load(s, vector);
            let lesser = p.min(weight);
            let k = k.load(s, vector).min(one).max(zero);
            let near = (lower_by_k(k) * lesser * T::from_f64(ROUNDED)).le(limits);
            let bits = near.bits() & others::<T>(among, vector, m);
            if bits == 0 {
                continue;
            }
            let r = among.alpha.dot(s, vector, &self.a_m);
            let y = -log2_1p::<T, _>(one / k - one);
            self.list.take_each(vector, bits, lesser, [p.max(weight), r, y]);
        }
        let lesser = Lesser::<T, true>(p_m);
        let least = self.list.prune(s, lesser, limit) / shortened(T::ONE);
        // No pair loses more than the lesser weight: where all lose nearly that, far from all others, they are ties.
        if p_m <= least * T::from_f64(1.0 + 0.9 * T::TIE.to_f64()) {
            self.list.keep_oldest(among.live);
        }
        self.list.best(s, lesser, among.live)
    }

    /// An upper bound of the least degradation: that at the start points of the vector of lanes with the candidate of
    /// which the least is lost when the lighter one of the pair is dropped and the heavier one takes its share,
    /// `p (1 - k^2)`.
    #[inline(always)]
    fn limit_of_newest<S: Processor + Simd<T>>(
        &self,
        s: S,
        among: Candidates<'_, T>,
        k: &Lanes<T>,
        m: Slot,
    ) -> T {
        let p_m = among.weights.get(m.index());
        let (p, one, zero) = (V::splat(s, p_m), V::splat(s, T::ONE), V::zero(s));
        let infinity = V::splat(s, T::INFINITY);
        let (mut least, mut at) = (T::INFINITY, 0);
        let mut lowest = infinity;
        for vector in 0..among.stored.used {
            let k = k.load(s, vector).min(one).max(zero);
            let lost = p.min(among.weights.load(s, vector)) * (one - k * k);
            let lost = M::<T, S>::from_bits(s, others::<T>(among, vector, m)).select(lost, infinity);
            if lost.lt(lowest).bits() != 0 {
                let found = lost.least();
                if found < least {
                    (least, at) = (found, vector);
                    lowest = V::splat(s, found);
                }
            }
        }
        let weight = among.weights.load(s, at);
        let k = k.load(s, at).min(one).max(zero);
        let r = among.alpha.dot(s, at, &self.a_m);
        let y = -log2_1p::<T, _>(one / k - one);
        let [(wd, _)] = solve::<T, _, 1, 0>(&[Pair::of_each(p.min(weight), p.max(weight), r, y)]);
        let wd = M::<T, S>::from_bits(s, others::<T>(among, at, m)).select(wd, infinity);
        // Neither rounding nor a tie may exclude the best.
        let start = wd.least();
        let least = if start < least { start } else { least };
        least * T::from_f64(1.0 + 3.0 * T::TIE.to_f64()) + p_m * T::from_f64(1e-7)
    }
}

/// The live slots of a vector of lanes, as bits, but for `m`.
#[inline(always)]
fn others<T: Real>(among: Candidates<'_, T>, vector: usize, m: Slot) -> u64 {
    let live = among.live.of_vector(vector, T::LANES);
    if m.index() / T::LANES == vector { live & !(1 << (m.index() % T::LANES)) } else { live }
}
