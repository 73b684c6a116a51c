//! The best partner for a merger: one kernel row, one threshold, and the few pairs that are left.

use super::bound::{lower, threshold};
use super::polish::polish;
use super::solver::{solve, solve_n};
use crate::float::{Mask, Real, Vector};
use crate::kernel::Rbf;
use crate::ops::accumulate::{SquaredDifference, accumulate};
use crate::ops::simd::{M, Processor, Simd, V};
use crate::ops::{At, Coefficients, Lanes, Live, Stored};
use crate::row::Row;
use crate::slot::Slot;

/// The partner that changes the model least.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Partner {
    pub(crate) n: Slot,
    pub(crate) h: f64,
    /// `log2 k_mn`
    pub(crate) y: f64,
    /// `|alpha_z phi_z - alpha_m phi_m - alpha_n phi_n|^2`
    pub(crate) degradation: f64,
}

/// Everything that a partner is searched among.
#[derive(Clone, Copy)]
pub(crate) struct Candidates<'a, T: Real> {
    pub(crate) stored: Stored<'a, T>,
    pub(crate) alpha: Coefficients<'a, T>,
    /// `|alpha_j|^2` of every slot.
    pub(crate) weights: &'a Lanes<T>,
    pub(crate) live: Live<'a>,
}

/// The search for the best partner.
pub(crate) trait Merging<T: Real> {
    /// The best partner of `m`, whose vector and coefficients are in `search`; ties to the oldest; none where no
    /// degradation is a number, after overflow.
    fn partner(
        &self,
        search: &mut Search<T>,
        among: Candidates<'_, T>,
        kernel: Rbf,
        m: Slot,
    ) -> Option<Partner>;
}

impl<T: Real, P: Processor + Simd<T>> Merging<T> for At<P> {
    fn partner(
        &self,
        search: &mut Search<T>,
        among: Candidates<'_, T>,
        kernel: Rbf,
        m: Slot,
    ) -> Option<Partner> {
        let s = self.0;
        s.run(
            #[inline(always)]
            || search.partner(s, among, kernel, m),
        )
    }
}

/// Buffers of the search; never saved.
#[derive(Debug, Clone)]
pub(crate) struct Search<T: Real> {
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
    /// For a store of so many vectors of lanes.
    pub(crate) fn new(vectors: usize) -> Self {
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
            slots: Vec::with_capacity(vectors * T::LANES),
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
    pub(crate) fn x_m(&self) -> &[T] {
        &self.x_m
    }

    /// The vector that leaves and its coefficients, to be filled in; makes room for a store of `vectors` vectors of lanes.
    #[inline]
    pub(crate) fn start(&mut self, features: usize, outputs: usize, vectors: usize) -> (&mut [T], &mut [T]) {
        self.x_m.resize(features, T::ZERO);
        self.a_m.resize(outputs, T::ZERO);
        if self.y.len() < (vectors + 2) * T::LANES {
            self.grow(vectors);
        }
        (&mut self.x_m, &mut self.a_m)
    }

    #[inline(always)]
    fn partner<S: Processor + Simd<T>>(
        &mut self,
        s: S,
        among: Candidates<'_, T>,
        kernel: Rbf,
        m: Slot,
    ) -> Option<Partner> {
        let p = among.weights.get(m.index());
        let nearest = self.distances(s, among, kernel, m);
        let limit = self.limit(s, among, p, nearest);
        self.collect(s, among, p, limit);
        if among.alpha.outputs > 1 {
            self.prune(s, p, limit);
        }
        if self.slots.len() > T::LANES {
            self.rank::<S>(s, p);
        }
        self.best(s, among, p)
    }

    /// `log2 k_mj` of every slot; `m` itself and the lanes without a support vector are infinitely far away. Returns the
    /// nearest.
    #[inline(always)]
    fn distances<S: Processor + Simd<T>>(
        &mut self,
        s: S,
        among: Candidates<'_, T>,
        kernel: Rbf,
        m: Slot,
    ) -> T {
        let Stored { panels, norms, used } = among.stored;
        let x = Row::Dense(&self.x_m[..]);
        accumulate::<T, S, SquaredDifference>(s, panels, x, norms.lines(), used, self.row.lines_mut());
        let factor = V::splat(s, kernel.log2_factor::<T>());
        let far = V::splat(s, -T::INFINITY);
        let mut nearest = far;
        for (vector, line) in self.row.lines_mut()[..used].iter_mut().enumerate() {
            let mut y = line.load(s) * factor;
            let mut live = among.live.of_vector(vector, T::LANES);
            if m.index() / T::LANES == vector {
                live &= !(1 << (m.index() % T::LANES));
            }
            if live != (1 << T::LANES) - 1 {
                y = M::<T, S>::from_bits(s, live).select(y, far);
            }
            line.store(y);
            nearest = nearest.max(y);
        }
        nearest.most()
    }

    /// An upper bound of the least degradation: that at the start points of the vector of lanes with the nearest partner.
    #[inline(always)]
    fn limit<S: Simd<T>>(&self, s: S, among: Candidates<'_, T>, p: T, nearest: T) -> T {
        let vector = self.row.first_with(s, nearest, among.stored.used);
        let y = self.row.load(s, vector);
        let q = among.weights.load(s, vector).max(V::splat(s, p));
        let r = among.alpha.dot(s, vector, &self.a_m);
        let (wd, _) = solve::<T, _, 0>(p, q, r, y);
        let infinity = V::splat(s, T::INFINITY);
        let least = y.gt(-infinity).select(wd, infinity).least();
        // The solver's rounding must not exclude the best.
        least * T::from_f64(1.0001) + p * T::from_f64(1e-7)
    }

    /// Gathers the candidates that are near enough to be as good as `limit`.
    #[inline(always)]
    fn collect<S: Simd<T>>(&mut self, s: S, among: Candidates<'_, T>, p: T, limit: T) {
        // The farthest that can be; a partner that is infinitely far away is none.
        let farthest = crate::float::max(threshold(p, limit), T::LEAST);
        let farthest = V::splat(s, farthest);
        self.slots.clear();
        for (vector, y) in self.row.lines()[..among.stored.used].iter().enumerate() {
            let y = y.load(s);
            let mut bits = y.ge(farthest).bits();
            if bits == 0 {
                continue;
            }
            let q = among.weights.load(s, vector).max(V::splat(s, p));
            let r = among.alpha.dot(s, vector, &self.a_m);
            let at = self.slots.len();
            y.compress(bits, &mut self.y[at..at + T::LANES]);
            q.compress(bits, &mut self.q[at..at + T::LANES]);
            r.compress(bits, &mut self.r[at..at + T::LANES]);
            while bits != 0 {
                self.slots.push(Slot((vector * T::LANES) as u32 + bits.trailing_zeros()));
                bits &= bits - 1;
            }
        }
    }

    /// Keeps the candidates whose bound does not exceed `limit`: for many classes their angle says more than the distance.
    /// They lie side by side by now, and two vectors at once hide each other's latency.
    #[inline(always)]
    fn prune<S: Simd<T>>(&mut self, s: S, p: T, limit: T) {
        let count = self.slots.len();
        self.pad(count, count.next_multiple_of(2 * T::LANES));
        let limit = V::splat(s, limit);
        let mut kept = 0;
        let mut at = 0;
        while at < count {
            let (first, second) = (self.vector(s, at), self.vector(s, at + T::LANES));
            let [q, r, y] = first;
            let bound = lower(p, q, r, y);
            let [q, r, y] = second;
            let next = lower(p, q, r, y);
            kept = self.keep(first, at, kept, bound.le(limit).bits());
            kept = self.keep(second, at + T::LANES, kept, next.le(limit).bits());
            at += 2 * T::LANES;
        }
        self.slots.truncate(kept);
    }

    /// Moves the candidates of one vector that `bits` names to the place `kept`, and returns the place behind them.
    #[inline(always)]
    fn keep<S: Simd<T>>(&mut self, vector: [V<T, S>; 3], from: usize, kept: usize, bits: u64) -> usize {
        let [q, r, y] = vector;
        let real = self.slots.len().saturating_sub(from).min(T::LANES);
        let mut bits = bits & ((1 << real) - 1);
        q.compress(bits, &mut self.q[kept..kept + T::LANES]);
        r.compress(bits, &mut self.r[kept..kept + T::LANES]);
        y.compress(bits, &mut self.y[kept..kept + T::LANES]);
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
    fn rank<S: Simd<T>>(&mut self, s: S, p: T) {
        let count = self.slots.len();
        self.pad(count, count.next_multiple_of(T::LANES));
        let mut least = V::splat(s, T::INFINITY);
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
        let close = least.least() * T::from_f64(1.0 + RANK_ERROR) + p * T::from_f64(1e-7);
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
    fn rank_vectors<S: Simd<T>, const N: usize>(&mut self, s: S, p: T, at: usize, least: V<T, S>) -> V<T, S> {
        let zero = V::zero(s);
        let (mut q, mut r, mut y) = ([zero; N], [zero; N], [zero; N]);
        for i in 0..N {
            [q[i], r[i], y[i]] = self.vector(s, at + i * T::LANES);
        }
        let mut least = least;
        for (i, (wd, _)) in solve_n::<T, _, N, 2>(p, &q, &r, &y).into_iter().enumerate() {
            let from = at + i * T::LANES;
            least = least.min(wd);
            wd.store_slice(&mut self.wd[from..from + T::LANES]);
        }
        least
    }

    /// The best of the candidates that are left, solved to convergence; of those within the tie tolerance the oldest.
    #[inline(always)]
    fn best<S: Simd<T>>(&mut self, s: S, among: Candidates<'_, T>, p: T) -> Option<Partner> {
        let count = self.slots.len();
        self.pad(count, count.next_multiple_of(T::LANES));
        let mut least = V::splat(s, T::INFINITY);
        for from in (0..count).step_by(T::LANES) {
            let [q, r, y] = self.vector(s, from);
            let (wd, h) = polish(p, q, r, y);
            least = least.min(wd);
            wd.store_slice(&mut self.wd[from..from + T::LANES]);
            h.store_slice(&mut self.h[from..from + T::LANES]);
        }
        let least = least.least();
        let tie = least + least * T::TIE;
        let mut oldest: Option<usize> = None;
        for (i, &slot) in self.slots.iter().enumerate() {
            let older = oldest.is_none_or(|best| among.live.older(slot, self.slots[best]));
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
    fn vector<S: Simd<T>>(&self, s: S, from: usize) -> [V<T, S>; 3] {
        let to = from + T::LANES;
        [
            V::from_slice(s, &self.q[from..to]),
            V::from_slice(s, &self.r[from..to]),
            V::from_slice(s, &self.y[from..to]),
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
