//! The best partner for a merger: one kernel row, one threshold, and the few pairs that are left.

use super::{lower, polish, solve, solve_n, threshold};
use crate::float::{Real, splat};
use crate::kernel::Rbf;
use crate::ops::Lanes;
use crate::store::{Slot, Store, vectors_for};
use fearless_simd::{Select, Simd, SimdBase, SimdMask};

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
        let vectors = vectors_for::<T>(slots);
        // Each from the system, whose zeros take no memory before they are written.
        let room = || vec![T::ZERO; (vectors + 2) * T::LANES];
        Self {
            x_m: Vec::new(),
            a_m: Vec::new(),
            row: Lanes::zeros(vectors),
            y: room(),
            q: room(),
            r: room(),
            wd: room(),
            h: room(),
            slots: Vec::with_capacity(slots),
        }
    }

    /// Room for a store that has grown.
    #[cold]
    fn grow(&mut self, vectors: usize) {
        self.row.grow(vectors);
        for buffer in [&mut self.y, &mut self.q, &mut self.r, &mut self.wd, &mut self.h] {
            buffer.resize((vectors + 2) * T::LANES, T::ZERO);
        }
    }

    /// The vector that leaves.
    pub(super) fn x_m(&self) -> &[T] {
        &self.x_m
    }

    /// The best partner of `m`, ties to the oldest; none where no degradation is a number, after overflow.
    #[inline(always)]
    pub(super) fn partner<S: Simd>(&mut self, s: S, store: &Store<T>, rbf: Rbf, m: Slot) -> Option<Partner> {
        self.x_m.resize(store.features(), T::ZERO);
        self.a_m.resize(store.outputs(), T::ZERO);
        if self.y.len() < (store.vectors() + 2) * T::LANES {
            self.grow(store.vectors());
        }
        store.read(m, &mut self.x_m);
        store.expansion().read(m, &mut self.a_m);
        store.log2_row(s, rbf, &self.x_m, &mut self.row);
        self.exclude(s, store, m);
        let p = store.expansion().weights().get(m.index());
        let limit = self.limit(s, store, p);
        self.collect(s, store, p, limit);
        if store.outputs() > 1 {
            self.prune(s, p, limit);
        }
        if self.slots.len() > T::LANES {
            self.rank(s, p);
        }
        self.best(s, store, p)
    }

    /// Puts `m` itself and the lanes without a support vector infinitely far away.
    #[inline(always)]
    fn exclude<S: Simd>(&mut self, s: S, store: &Store<T>, m: Slot) {
        self.row.set(m.index(), -T::INFINITY);
        for vector in 0..store.used() {
            let live = store.age().live_bits(vector, T::LANES);
            if live != (1 << T::LANES) - 1 {
                let y =
                    mask::<T, S>(s, live).select(self.row.load(s, vector), splat::<T, S>(s, -T::INFINITY));
                self.row.store(vector, y);
            }
        }
    }

    /// An upper bound of the least degradation: that at the start points of the vector of lanes with the nearest partner.
    #[inline(always)]
    fn limit<S: Simd>(&self, s: S, store: &Store<T>, p: T) -> T {
        let rows = &self.row.lines()[..store.used()];
        let mut nearest = splat::<T, S>(s, -T::INFINITY);
        for y in rows {
            nearest = nearest.max(y.load(s));
        }
        let nearest = splat::<T, S>(s, nearest.reduce_max());
        let vector = rows.iter().position(|y| y.load(s).simd_ge(nearest).any_true()).unwrap_or(0);
        let y = self.row.load(s, vector);
        let q = store.expansion().weights().load(s, vector).max(splat::<T, S>(s, p));
        let r = store.expansion().dot(s, vector, &self.a_m);
        let (wd, _) = solve::<T, S, 0>(s, p, q, r, y);
        let infinity = splat::<T, S>(s, T::INFINITY);
        let least = y.simd_gt(-infinity).select(wd, infinity).reduce_min();
        // The solver's rounding must not exclude the best.
        least * T::from_f64(1.0001) + p * T::from_f64(1e-7)
    }

    /// Gathers the candidates that are near enough to be as good as `limit`.
    #[inline(always)]
    fn collect<S: Simd>(&mut self, s: S, store: &Store<T>, p: T, limit: T) {
        // The farthest that can be; a partner that is infinitely far away is none.
        let farthest = crate::float::max(threshold(p, limit), T::LEAST);
        let farthest = splat::<T, S>(s, farthest);
        let expansion = store.expansion();
        self.slots.clear();
        for (vector, y) in self.row.lines()[..store.used()].iter().enumerate() {
            let y = y.load(s);
            let mut bits = y.simd_ge(farthest).to_bitmask();
            if bits == 0 {
                continue;
            }
            let q = expansion.weights().load(s, vector).max(splat::<T, S>(s, p));
            let r = expansion.dot(s, vector, &self.a_m);
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

    /// Keeps the candidates whose bound does not exceed `limit`: for many classes their angle says more than the distance.
    /// They lie side by side by now, and two vectors at once hide each other's latency.
    #[inline(always)]
    fn prune<S: Simd>(&mut self, s: S, p: T, limit: T) {
        let count = self.slots.len();
        self.pad(count, count.next_multiple_of(2 * T::LANES));
        let limit = splat::<T, S>(s, limit);
        let mut kept = 0;
        let mut at = 0;
        while at < count {
            let (first, second) = (self.vector(s, at), self.vector(s, at + T::LANES));
            let [q, r, y] = first;
            let bound = lower::<T, S>(s, p, q, r, y);
            let [q, r, y] = second;
            let next = lower::<T, S>(s, p, q, r, y);
            kept = self.keep(s, first, at, kept, bound.simd_le(limit).to_bitmask());
            kept = self.keep(s, second, at + T::LANES, kept, next.simd_le(limit).to_bitmask());
            at += 2 * T::LANES;
        }
        self.slots.truncate(kept);
    }

    /// Moves the candidates of one vector that `bits` names to the place `kept`, and gives the place behind them.
    #[inline(always)]
    fn keep<S: Simd>(&mut self, s: S, vector: [T::V<S>; 3], from: usize, kept: usize, bits: u64) -> usize {
        let [q, r, y] = vector;
        let real = self.slots.len().saturating_sub(from).min(T::LANES);
        let mut bits = bits & ((1 << real) - 1);
        let mask = mask::<T, S>(s, bits);
        q.compress(mask).store_slice(&mut self.q[kept..kept + T::LANES]);
        r.compress(mask).store_slice(&mut self.r[kept..kept + T::LANES]);
        y.compress(mask).store_slice(&mut self.y[kept..kept + T::LANES]);
        let mut kept = kept;
        while bits != 0 {
            self.slots[kept] = self.slots[from + bits.trailing_zeros() as usize];
            kept += 1;
            bits &= bits - 1;
        }
        kept
    }

    /// Keeps the candidates that come within the error of two steps of the best of them.
    #[inline(always)]
    fn rank<S: Simd>(&mut self, s: S, p: T) {
        let count = self.slots.len();
        self.pad(count, count.next_multiple_of(T::LANES));
        let mut least = splat::<T, S>(s, T::INFINITY);
        let mut at = 0;
        while at < count {
            if count - at > T::LANES {
                least = self.rank_vectors::<S, 2>(s, p, at, least);
                at += 2 * T::LANES;
            } else {
                least = self.rank_vectors::<S, 1>(s, p, at, least);
                at += T::LANES;
            }
        }
        let close = least.reduce_min() * T::from_f64(1.0 + RANK_ERROR) + p * T::from_f64(1e-7);
        let mut kept = 0;
        for i in 0..count {
            if self.wd[i] <= close {
                (self.q[kept], self.r[kept], self.y[kept]) = (self.q[i], self.r[i], self.y[i]);
                self.slots[kept] = self.slots[i];
                kept += 1;
            }
        }
        self.slots.truncate(kept);
    }

    #[inline(always)]
    fn rank_vectors<S: Simd, const N: usize>(&mut self, s: S, p: T, at: usize, least: T::V<S>) -> T::V<S> {
        let zero = splat::<T, S>(s, T::ZERO);
        let (mut q, mut r, mut y) = ([zero; N], [zero; N], [zero; N]);
        for i in 0..N {
            [q[i], r[i], y[i]] = self.vector(s, at + i * T::LANES);
        }
        let mut least = least;
        for (i, (wd, _)) in solve_n::<T, S, N, 2>(s, p, &q, &r, &y).into_iter().enumerate() {
            let from = at + i * T::LANES;
            least = least.min(wd);
            wd.store_slice(&mut self.wd[from..from + T::LANES]);
        }
        least
    }

    /// The best of the candidates that are left, solved to convergence; of those within the tie tolerance the oldest.
    #[inline(always)]
    fn best<S: Simd>(&mut self, s: S, store: &Store<T>, p: T) -> Option<Partner> {
        let count = self.slots.len();
        self.pad(count, count.next_multiple_of(T::LANES));
        let mut least = splat::<T, S>(s, T::INFINITY);
        for from in (0..count).step_by(T::LANES) {
            let [q, r, y] = self.vector(s, from);
            let (wd, h) = polish(s, p, q, r, y);
            least = least.min(wd);
            wd.store_slice(&mut self.wd[from..from + T::LANES]);
            h.store_slice(&mut self.h[from..from + T::LANES]);
        }
        let least = least.reduce_min();
        let tie = least + least * T::TIE;
        let mut oldest: Option<usize> = None;
        for (i, &slot) in self.slots.iter().enumerate() {
            let older = oldest.is_none_or(|best| store.age().older(slot, self.slots[best]));
            if self.wd[i] <= tie && older {
                oldest = Some(i);
            }
        }
        oldest.map(|i| {
            let (h, y, degradation) = (self.h[i].to_f64(), self.y[i].to_f64(), self.wd[i].to_f64());
            Partner { n: self.slots[i], h, y, degradation }
        })
    }

    #[inline(always)]
    fn vector<S: Simd>(&self, s: S, from: usize) -> [T::V<S>; 3] {
        let to = from + T::LANES;
        [
            T::V::<S>::from_slice(s, &self.q[from..to]),
            T::V::<S>::from_slice(s, &self.r[from..to]),
            T::V::<S>::from_slice(s, &self.y[from..to]),
        ]
    }

    /// Fills the lanes from `from` to `to` with a partner that is never the best: far away and heavy.
    #[inline(always)]
    fn pad(&mut self, from: usize, to: usize) {
        for i in from..to {
            (self.q[i], self.r[i], self.y[i]) = (T::from_f64(1e30), T::ZERO, T::from_f64(-100.0));
        }
    }
}

/// The relative error of the degradation after two steps, with a margin.
const RANK_ERROR: f64 = 1e-3;

#[inline(always)]
fn mask<T: Real, S: Simd>(s: S, bits: u64) -> <T::V<S> as SimdBase<S>>::Mask {
    <T::V<S> as SimdBase<S>>::Mask::from_bitmask(s, bits)
}
