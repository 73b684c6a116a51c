//! The best partner for a merger: one kernel row, one threshold, and the few pairs that are left.

use super::{lower, polish, solve, solve_n, threshold};
use crate::float::{Real, splat};
use crate::kernel::Rbf;
use crate::simd::Lanes;
use crate::store::{Slot, Store};
use fearless_simd::{Select, Simd, SimdBase, SimdMask, f64x8};

/// The partner that changes the model least.
#[derive(Debug, Clone, Copy)]
pub(super) struct Partner {
    pub(super) n: Slot,
    pub(super) h: f64,
    /// `log2 k_mn`
    pub(super) y: f64,
    /// `|alpha_z phi_z - alpha_m phi_m - alpha_n phi_n|^2`
    pub(super) degradation: f64,
}

/// Buffers of the search; never saved.
#[derive(Debug, Clone)]
pub(super) struct Search<T: Real> {
    x_m: Vec<T>,
    a_m: Vec<T>,
    /// `log2 k(x_m, x_j)` of every slot.
    row: Lanes<T>,
    /// The candidates that no bound excludes, side by side.
    y: Vec<T>,
    q: Vec<T>,
    r: Vec<T>,
    wd: Vec<T>,
    h: Vec<T>,
    slots: Vec<Slot>,
}

impl<T: Real> Search<T> {
    pub(super) fn new(slots: usize) -> Self {
        let vectors = slots.div_ceil(T::LANES);
        let room = vec![T::ZERO; (vectors + 1) * T::LANES];
        Self {
            x_m: Vec::new(),
            a_m: Vec::new(),
            row: Lanes::zeros(vectors),
            y: room.clone(),
            q: room.clone(),
            r: room.clone(),
            wd: room.clone(),
            h: room,
            slots: Vec::with_capacity(slots),
        }
    }

    /// The vector that leaves.
    pub(super) fn x_m(&self) -> &[T] {
        &self.x_m
    }

    /// The best partner of `m`, ties to the oldest.
    #[inline(always)]
    pub(super) fn partner<S: Simd>(&mut self, s: S, store: &Store<T>, rbf: Rbf, m: Slot) -> Option<Partner> {
        self.x_m.resize(store.features(), T::ZERO);
        self.a_m.resize(store.outputs(), T::ZERO);
        store.read(m, &mut self.x_m);
        store.expansion().read(m, &mut self.a_m);
        store.log2_row(s, rbf, &self.x_m, &mut self.row);
        let p = store.expansion().weights().get(m.index());
        let limit = self.limit(s, store, m, p);
        self.collect(s, store, m, p, limit);
        self.solve(s, store, p)
    }

    /// Lanes of a vector that hold a possible partner.
    #[inline(always)]
    fn partners<S: Simd>(store: &Store<T>, m: Slot, vector: usize) -> u64 {
        let own = m.index().wrapping_sub(vector * T::LANES);
        let itself = if own < T::LANES { 1 << own } else { 0 };
        store.age().live_bits(vector, T::LANES) & !itself
    }

    /// An upper bound of the least degradation: that at the start points of the vector of lanes with the nearest partner.
    #[inline(always)]
    fn limit<S: Simd>(&self, s: S, store: &Store<T>, m: Slot, p: T) -> T {
        let far = splat::<T, S>(s, -T::INFINITY);
        let mut nearest = (0, far, -T::INFINITY);
        for vector in 0..store.used() {
            let mask = mask::<T, S>(s, Self::partners::<S>(store, m, vector));
            let y = mask.select(self.row.load(s, vector), far);
            let best = y.reduce_max();
            if best > nearest.2 {
                nearest = (vector, y, best);
            }
        }
        let (vector, y, _) = nearest;
        let q = store.expansion().weights().load(s, vector).max(splat::<T, S>(s, p));
        let r = store.expansion().dot(s, vector, &self.a_m);
        let (wd, _) = solve::<T, S, 0>(s, p, q, r, y);
        let mask = mask::<T, S>(s, Self::partners::<S>(store, m, vector));
        let least = mask.select(wd, splat::<T, S>(s, T::INFINITY)).reduce_min();
        // The solver's rounding must not exclude the best.
        least * T::from_f64(1.0001) + p * T::from_f64(1e-7)
    }

    /// Gathers the candidates that may be as good as `limit`.
    #[inline(always)]
    fn collect<S: Simd>(&mut self, s: S, store: &Store<T>, m: Slot, p: T, limit: T) {
        let nearest = splat::<T, S>(s, threshold(p, limit));
        let limit = splat::<T, S>(s, limit);
        let expansion = store.expansion();
        self.slots.clear();
        for vector in 0..store.used() {
            let y = self.row.load(s, vector);
            let mut bits = y.simd_ge(nearest).to_bitmask() & Self::partners::<S>(store, m, vector);
            if bits == 0 {
                continue;
            }
            let q = expansion.weights().load(s, vector).max(splat::<T, S>(s, p));
            let r = expansion.dot(s, vector, &self.a_m);
            if store.outputs() > 1 {
                bits &= lower::<T, S>(s, p, q, r, y).simd_le(limit).to_bitmask();
            }
            let mask = mask::<T, S>(s, bits);
            let at = self.slots.len();
            y.compress(mask).store_slice(&mut self.y[at..at + T::LANES]);
            q.compress(mask).store_slice(&mut self.q[at..at + T::LANES]);
            r.compress(mask).store_slice(&mut self.r[at..at + T::LANES]);
            while bits != 0 {
                self.slots.push(Slot((vector * T::LANES) as u32 + bits.trailing_zeros()));
                bits &= bits - 1;
            }
        }
    }

    /// Ranks the candidates by two steps each, then compares those that come within that solver's error of the best after
    /// polishing them.
    #[inline(always)]
    fn solve<S: Simd>(&mut self, s: S, store: &Store<T>, p: T) -> Option<Partner> {
        let least = self.rank(s, p);
        let close = least * T::from_f64(1.0 + RANK_ERROR) + p * T::from_f64(1e-7);
        let mut finalists = Finalists::default();
        let mut best: Option<Partner> = None;
        for i in 0..self.slots.len() {
            if self.wd[i] > close {
                continue;
            }
            let lane = finalists.count % f64::LANES;
            finalists.set(lane, i, [self.q[i], self.r[i], self.y[i], self.h[i]].map(T::to_f64));
            finalists.count += 1;
            if lane + 1 == f64::LANES {
                self.compare(s, store, p, &finalists, f64::LANES, &mut best);
            }
        }
        let left = finalists.count % f64::LANES;
        if left > 0 {
            self.compare(s, store, p, &finalists, left, &mut best);
        }
        best
    }

    /// The degradation and h of every candidate, to the ranking error; gives the least degradation.
    #[inline(always)]
    fn rank<S: Simd>(&mut self, s: S, p: T) -> T {
        let count = self.slots.len();
        let padded = count.next_multiple_of(T::LANES);
        for i in count..padded {
            (self.q[i], self.r[i], self.y[i]) = (T::from_f64(1e30), T::ZERO, -T::ONE);
        }
        let mut at = 0;
        let mut least = splat::<T, S>(s, T::INFINITY);
        while at < padded {
            if padded - at >= 2 * T::LANES {
                least = self.rank_vectors::<S, 2>(s, p, at, least);
                at += 2 * T::LANES;
            } else {
                least = self.rank_vectors::<S, 1>(s, p, at, least);
                at += T::LANES;
            }
        }
        least.reduce_min()
    }

    #[inline(always)]
    fn rank_vectors<S: Simd, const N: usize>(&mut self, s: S, p: T, at: usize, least: T::V<S>) -> T::V<S> {
        let zero = splat::<T, S>(s, T::ZERO);
        let (mut q, mut r, mut y) = ([zero; N], [zero; N], [zero; N]);
        for i in 0..N {
            let lanes = at + i * T::LANES..at + (i + 1) * T::LANES;
            q[i] = T::V::<S>::from_slice(s, &self.q[lanes.clone()]);
            r[i] = T::V::<S>::from_slice(s, &self.r[lanes.clone()]);
            y[i] = T::V::<S>::from_slice(s, &self.y[lanes]);
        }
        let mut least = least;
        for (i, (wd, h)) in solve_n::<T, S, N, 2>(s, p, &q, &r, &y).into_iter().enumerate() {
            let lanes = at + i * T::LANES..at + (i + 1) * T::LANES;
            let real = self.slots.len().saturating_sub(lanes.start).min(T::LANES);
            let padding = mask::<T, S>(s, !((1 << real) - 1) & ((1 << T::LANES) - 1));
            least = least.min(padding.select(splat::<T, S>(s, T::INFINITY), wd));
            wd.store_slice(&mut self.wd[lanes.clone()]);
            h.store_slice(&mut self.h[lanes]);
        }
        least
    }

    /// Polishes the first `count` finalists and keeps the best of all so far, ties to the oldest.
    #[inline(always)]
    fn compare<S: Simd>(
        &self,
        s: S,
        store: &Store<T>,
        p: T,
        finalists: &Finalists,
        count: usize,
        best: &mut Option<Partner>,
    ) {
        let [q, r, y, h] = finalists.numbers.map(|lanes| f64x8::from_slice(s, &lanes));
        let (wd, h) = polish(s, p.to_f64(), q, r, y, h);
        for lane in 0..count {
            let n = self.slots[finalists.candidate[lane]];
            let challenger = Partner { n, h: h[lane], y: y[lane], degradation: wd[lane] };
            let wins = best.is_none_or(|best| {
                let tie = T::TIE.to_f64() * best.degradation.max(challenger.degradation);
                let less = best.degradation - challenger.degradation;
                less > tie || (less.abs() <= tie && store.age().older(n, best.n))
            });
            if wins {
                *best = Some(challenger);
            }
        }
    }
}

/// The relative error of the degradation after two steps, with a margin.
const RANK_ERROR: f64 = 1e-3;

/// Candidates about to be polished, a lane each; lanes beyond the last repeat the first or an earlier one.
struct Finalists {
    /// q, r, y and h.
    numbers: [[f64; 8]; 4],
    candidate: [usize; 8],
    count: usize,
}

impl Default for Finalists {
    fn default() -> Self {
        Self { numbers: [[1.0; 8], [0.0; 8], [-1.0; 8], [0.0; 8]], candidate: [0; 8], count: 0 }
    }
}

impl Finalists {
    #[inline(always)]
    fn set(&mut self, lane: usize, candidate: usize, numbers: [f64; 4]) {
        self.candidate[lane] = candidate;
        for (lanes, x) in self.numbers.iter_mut().zip(numbers) {
            if self.count == 0 {
                lanes.fill(x);
            } else {
                lanes[lane] = x;
            }
        }
    }
}

#[inline(always)]
fn mask<T: Real, S: Simd>(s: S, bits: u64) -> <T::V<S> as SimdBase<S>>::Mask {
    <T::V<S> as SimdBase<S>>::Mask::from_bitmask(s, bits)
}
