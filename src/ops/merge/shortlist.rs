//! The candidates for a merger that no bound has excluded yet, side by side: fewer and fewer of them, down to the best.

use super::bound::{lower, shortened};
use super::pair::Pair;
use super::polish::polish;
use super::solver::solve;
use crate::float::{Real, Vector};
use crate::ops::ActiveMask;
use crate::ops::simd::{Simd, V};
use crate::slot::Slot;

/// The relative error of the degradation after two steps, with a margin.
const RANK_ERROR: f64 = 1e-3;

/// The partner that changes the model least.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Partner {
    pub(crate) slot: Slot,
    /// The share of the lighter vector in the merged vector.
    pub(crate) h: f64,
    /// `log2 k_mn`
    pub(crate) y: f64,
    /// `|alpha_z phi_z - alpha_m phi_m - alpha_n phi_n|^2`
    pub(crate) degradation: f64,
}

/// Candidates: `q >= p`, `r` and `y` of each pair, its degradation and h.
#[derive(Debug, Clone)]
pub(super) struct Shortlist<T: Real> {
    /// Where each pair has its own.
    p: Vec<T>,
    q: Vec<T>,
    r: Vec<T>,
    y: Vec<T>,
    wd: Vec<T>,
    h: Vec<T>,
    slots: Vec<Slot>,
}

/// The smaller weight p of the pairs: one for all pairs, or the largest if each pair has one.
#[derive(Clone, Copy)]
pub(super) struct SmallerWeight<T, const PER_PAIR: bool>(pub(super) T);

impl<T: Real> Shortlist<T> {
    /// Buffers for `n_simd` SIMD vectors of slots.
    pub(super) fn new(n_simd: usize) -> Self {
        // Each from the system, whose zeros take no memory before they are written.
        let room = || vec![T::ZERO; (n_simd + 2) * T::LANES];
        let slots = Vec::with_capacity(n_simd * T::LANES);
        Self { p: room(), q: room(), r: room(), y: room(), wd: room(), h: room(), slots }
    }

    /// Makes room for `n_simd` SIMD vectors of slots.
    #[cold]
    pub(super) fn grow(&mut self, n_simd: usize) {
        let Self { p, q, r, y, wd, h, .. } = self;
        for buffer in [p, q, r, y, wd, h] {
            buffer.resize((n_simd + 2) * T::LANES, T::ZERO);
        }
    }

    pub(super) fn clear(&mut self) {
        self.slots.clear();
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Appends the slots of a vector that `bits` selects.
    #[inline(always)]
    pub(super) fn take<S: Simd<T>>(&mut self, i_simd: usize, bits: u64, qry: [V<T, S>; 3]) {
        let at = self.slots.len();
        self.put(at, bits, qry);
        let mut bits = bits;
        while bits != 0 {
            self.slots.push(Slot((i_simd * T::LANES) as u32 + bits.trailing_zeros()));
            bits &= bits - 1;
        }
    }

    /// The same with p of each.
    #[inline(always)]
    pub(super) fn take_each<S: Simd<T>>(&mut self, i_simd: usize, bits: u64, p: V<T, S>, qry: [V<T, S>; 3]) {
        let at = self.slots.len();
        p.compress(bits, &mut self.p[at..at + T::LANES]);
        self.take(i_simd, bits, qry);
    }

    #[inline(always)]
    fn put<S: Simd<T>>(&mut self, at: usize, bits: u64, [q, r, y]: [V<T, S>; 3]) {
        q.compress(bits, &mut self.q[at..at + T::LANES]);
        r.compress(bits, &mut self.r[at..at + T::LANES]);
        y.compress(bits, &mut self.y[at..at + T::LANES]);
    }

    #[inline(always)]
    fn i_simd<S: Simd<T>>(&self, s: S, from: usize) -> [V<T, S>; 3] {
        let to = from + T::LANES;
        [
            V::from_slice(s, &self.q[from..to]),
            V::from_slice(s, &self.r[from..to]),
            V::from_slice(s, &self.y[from..to]),
        ]
    }

    /// p of the candidates from `from` on, where each has its own.
    #[inline(always)]
    fn lesser<S: Simd<T>>(&self, s: S, from: usize) -> V<T, S> {
        V::from_slice(s, &self.p[from..from + T::LANES])
    }

    /// The pairs of the candidates from `from` on.
    #[inline(always)]
    fn pair<S: Simd<T>, const PER_PAIR: bool>(
        &self,
        s: S,
        lesser: SmallerWeight<T, PER_PAIR>,
        from: usize,
    ) -> Pair<T, V<T, S>> {
        let [q, r, y] = self.i_simd(s, from);
        if PER_PAIR { Pair::of_each(self.lesser(s, from), q, r, y) } else { Pair::new(lesser.0, q, r, y) }
    }

    /// Fills the lanes behind the candidates, up to a multiple of `lanes`, with the first candidate: minima over whole
    /// vectors do not change.
    #[inline(always)]
    fn pad(&mut self, lanes: usize) {
        let count = self.slots.len();
        for i in count..count.next_multiple_of(lanes) {
            for numbers in [&mut self.p, &mut self.q, &mut self.r, &mut self.y] {
                numbers[i] = numbers[0];
            }
        }
    }

    /// Keeps the candidates whose bound does not exceed `limit`: for many classes their angle says more than the
    /// distance. They lie side by side by now, and two vectors at once hide each other's latency. Returns the least
    /// bound.
    #[inline(always)]
    pub(super) fn prune<S: Simd<T>, const PER_PAIR: bool>(
        &mut self,
        s: S,
        lesser: SmallerWeight<T, PER_PAIR>,
        limit: T,
    ) -> T {
        let mut least = V::splat(s, T::INFINITY);
        let count = self.slots.len();
        self.pad(2 * T::LANES);
        let limit = V::splat(s, limit);
        let mut kept = 0;
        let mut at = 0;
        while at < count {
            let after = at + T::LANES;
            let bound = self.bound(s, lesser, at);
            let next = self.bound(s, lesser, after);
            least = least.min(bound.min(next));
            // Read before the first of them is written over.
            let (second, p_second) = (self.i_simd(s, after), self.lesser(s, after));
            kept =
                self.keep((self.lesser(s, at), self.i_simd(s, at)), lesser, at, kept, bound.le(limit).bits());
            kept = self.keep((p_second, second), lesser, after, kept, next.le(limit).bits());
            at += 2 * T::LANES;
        }
        self.slots.truncate(kept);
        least.reduce_min()
    }

    /// Keeps the oldest alone.
    #[inline(always)]
    pub(super) fn keep_oldest(&mut self, live: ActiveMask<'_>) {
        let all = 0..self.slots.len();
        let oldest = all.reduce(|a, b| if live.older(self.slots[b], self.slots[a]) { b } else { a });
        let Some(oldest) = oldest else { return };
        for numbers in [&mut self.p, &mut self.q, &mut self.r, &mut self.y] {
            numbers.swap(0, oldest);
        }
        self.slots.swap(0, oldest);
        self.slots.truncate(1);
    }

    /// The lower bounds of the candidates from `from` on.
    #[inline(always)]
    fn bound<S: Simd<T>, const PER_PAIR: bool>(
        &self,
        s: S,
        lesser: SmallerWeight<T, PER_PAIR>,
        from: usize,
    ) -> V<T, S> {
        let bound = lower(&self.pair(s, lesser, from));
        if PER_PAIR { bound * self.lesser(s, from) * shortened(T::ONE) } else { bound * shortened(lesser.0) }
    }

    /// Moves the candidates of one vector that `bits` names to the place `kept`, and returns the place behind them.
    #[inline(always)]
    fn keep<S: Simd<T>, const PER_PAIR: bool>(
        &mut self,
        (p, qry): (V<T, S>, [V<T, S>; 3]),
        _: SmallerWeight<T, PER_PAIR>,
        from: usize,
        kept: usize,
        bits: u64,
    ) -> usize {
        let real = self.slots.len().saturating_sub(from).min(T::LANES);
        let mut bits = bits & ((1 << real) - 1);
        self.put(kept, bits, qry);
        if PER_PAIR {
            p.compress(bits, &mut self.p[kept..kept + T::LANES]);
        }
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
    fn rank<S: Simd<T>, const PER_PAIR: bool>(&mut self, s: S, lesser: SmallerWeight<T, PER_PAIR>) {
        let count = self.slots.len();
        self.pad(T::LANES);
        let mut least = V::splat(s, T::INFINITY);
        let mut at = 0;
        while at < count {
            if count - at > T::LANES {
                let pairs = [self.pair(s, lesser, at), self.pair(s, lesser, at + T::LANES)];
                least = self.rank_vectors(&pairs, at, least);
                at += 2 * T::LANES;
            } else {
                least = self.rank_vectors(&[self.pair(s, lesser, at)], at, least);
                at += T::LANES;
            }
        }
        let close = least.reduce_min() * T::from_f64(1.0 + RANK_ERROR) + lesser.0 * T::from_f64(1e-7);
        let mut kept = 0;
        for i in 0..count {
            if self.wd[i] <= close {
                (self.q[kept], self.r[kept], self.y[kept]) = (self.q[i], self.r[i], self.y[i]);
                if PER_PAIR {
                    self.p[kept] = self.p[i];
                }
                self.slots[kept] = self.slots[i];
                kept += 1;
            }
        }
        self.slots.truncate(kept);
    }

    #[inline(always)]
    fn rank_vectors<S: Simd<T>, const N: usize>(
        &mut self,
        pairs: &[Pair<T, V<T, S>>; N],
        at: usize,
        least: V<T, S>,
    ) -> V<T, S> {
        let mut least = least;
        for (i, (wd, _)) in solve::<T, _, N, 2>(pairs).into_iter().enumerate() {
            let from = at + i * T::LANES;
            least = least.min(wd);
            wd.store_slice(&mut self.wd[from..from + T::LANES]);
        }
        least
    }

    /// The best of the candidates, solved to convergence; of those within the tie tolerance the oldest.
    #[inline(always)]
    pub(super) fn best<S: Simd<T>, const PER_PAIR: bool>(
        &mut self,
        s: S,
        lesser: SmallerWeight<T, PER_PAIR>,
        live: ActiveMask<'_>,
    ) -> Option<Partner> {
        if self.slots.len() > T::LANES {
            self.rank(s, lesser);
        }
        let count = self.slots.len();
        self.pad(T::LANES);
        let mut least = V::splat(s, T::INFINITY);
        for from in (0..count).step_by(T::LANES) {
            let (wd, h) = polish(&self.pair(s, lesser, from));
            least = least.min(wd);
            wd.store_slice(&mut self.wd[from..from + T::LANES]);
            h.store_slice(&mut self.h[from..from + T::LANES]);
        }
        let least = least.reduce_min();
        let tie = least + least * T::TIE_RTOL;
        let mut oldest: Option<usize> = None;
        for (i, &slot) in self.slots.iter().enumerate() {
            let older = oldest.is_none_or(|best| live.older(slot, self.slots[best]));
            if self.wd[i] <= tie && older {
                oldest = Some(i);
            }
        }
        oldest.map(|i| {
            let (h, y, degradation) = (self.h[i].to_f64(), self.y[i].to_f64(), self.wd[i].to_f64());
            Partner { slot: self.slots[i], h, y, degradation }
        })
    }
}
