//! Kernel rows and scores: one row against every support vector.

use super::panels::Sink;
use super::{Expansion, Slot, Store};
use crate::float::{Real, splat};
use crate::kernel::{AnyKernel, Pair, Rbf, with_pair};
use crate::ops::{Lanes, Line};
use crate::row::Row;
use fearless_simd::{Select, Simd, SimdBase, SimdFloat};

/// Finished chains become kernel values, and with a single output its score.
struct Values<'a, T: Real, P> {
    pair: P,
    norm: T,
    norms: &'a Lanes<T>,
    k: &'a mut Lanes<T>,
    expansion: &'a Expansion<T>,
    /// Lane by lane, in the order of the vectors.
    sum: &'a mut Line<T>,
}

impl<T: Real, P: Pair<T>> Sink<T> for Values<'_, T, P> {
    #[inline(always)]
    fn take<S: Simd, const W: usize>(&mut self, s: S, vector: usize, acc: [T::V<S>; W]) {
        let mut values = acc;
        let norms = &self.norms.lines()[vector..vector + W];
        for (value, norms) in values.iter_mut().zip(norms) {
            *value = self.pair.finish(s, *value, self.norm, norms.load(s));
        }
        for (k, value) in self.k.lines_mut()[vector..vector + W].iter_mut().zip(values) {
            k.store(value);
        }
        if self.expansion.outputs() == 1 {
            let mut sum = self.sum.load(s);
            for (alpha, value) in self.expansion.lines(vector, vector + W).iter().zip(values) {
                sum = value.mul_add(alpha.load(s), sum);
            }
            self.sum.store(sum);
        }
    }
}

/// Finished chains become kernel values alone.
struct KernelValues<'a, T: Real, P> {
    pair: P,
    norm: T,
    norms: &'a Lanes<T>,
    k: &'a mut Lanes<T>,
}

impl<T: Real, P: Pair<T>> Sink<T> for KernelValues<'_, T, P> {
    #[inline(always)]
    fn take<S: Simd, const W: usize>(&mut self, s: S, vector: usize, acc: [T::V<S>; W]) {
        for (i, acc) in acc.into_iter().enumerate() {
            let norms = self.norms.load(s, vector + i);
            self.k.store(vector + i, self.pair.finish(s, acc, self.norm, norms));
        }
    }
}

/// Finished chains become exponents.
struct Exponents<'a, T: Real> {
    factor: T,
    y: &'a mut Lanes<T>,
}

impl<T: Real> Sink<T> for Exponents<'_, T> {
    #[inline(always)]
    fn take<S: Simd, const W: usize>(&mut self, s: S, vector: usize, acc: [T::V<S>; W]) {
        let factor = splat::<T, S>(s, self.factor);
        for (y, acc) in self.y.lines_mut()[vector..vector + W].iter_mut().zip(acc) {
            y.store(acc * factor);
        }
    }
}

impl<T: Real> Store<T> {
    /// The kernel row of `x` into `k`, and `f_c = sum_j alpha_jc k_j` (without the scale) into `f`.
    #[inline(always)]
    pub(crate) fn scores<S: Simd>(
        &self,
        s: S,
        kernel: AnyKernel,
        x: Row<'_, T>,
        norm: T,
        k: &mut Lanes<T>,
        f: &mut [T],
    ) {
        with_pair!(kernel, pair => self.scores_of(s, pair, &self.expansion, (x, norm), k, f));
    }

    /// The same with these coefficients; compiled once for all that are called less often than the loop.
    #[inline(never)]
    pub(crate) fn scores_by<S: Simd>(
        &self,
        s: S,
        kernel: AnyKernel,
        expansion: &Expansion<T>,
        x: Row<'_, T>,
        k: &mut Lanes<T>,
        f: &mut [T],
    ) {
        let norm = kernel.norm(x);
        with_pair!(kernel, pair => self.scores_of(s, pair, expansion, (x, norm), k, f));
    }

    #[inline(always)]
    fn scores_of<S: Simd, P: Pair<T>>(
        &self,
        s: S,
        pair: P,
        expansion: &Expansion<T>,
        (x, norm): (Row<'_, T>, T),
        k: &mut Lanes<T>,
        f: &mut [T],
    ) {
        s.vectorize(
            #[inline(always)]
            || {
                let used = self.used();
                let norms = &self.norms;
                let mut sum = Line::default();
                let mut values = Values { pair, norm, norms, k, expansion, sum: &mut sum };
                self.panels.sweep(s, pair, x, norms, used, &mut values);
                if let [f] = f {
                    *f = sum.load(s).reduce_sum();
                    return;
                }
                expansion.all_scores(s, k, used, f);
            },
        );
    }

    /// The kernel row of a stored vector; `x` is a buffer.
    #[inline(never)]
    pub(super) fn row<S: Simd>(&self, s: S, kernel: AnyKernel, slot: Slot, x: &mut [T], k: &mut Lanes<T>) {
        self.panels.read(slot, x);
        let norm = self.norms.get(slot.index());
        with_pair!(kernel, pair => s.vectorize(
            #[inline(always)]
            || {
                let norms = &self.norms;
                let mut sink = KernelValues { pair, norm, norms, k };
                self.panels.sweep(s, pair, Row::Dense(x), norms, self.used(), &mut sink);
            },
        ));
    }

    /// `log2 k` of `x` against every support vector: what merging needs.
    #[inline(always)]
    pub(crate) fn log2_row<S: Simd>(&self, s: S, kernel: Rbf, x: &[T], y: &mut Lanes<T>) {
        s.vectorize(
            #[inline(always)]
            || {
                let mut sink = Exponents { factor: kernel.log2_factor(), y };
                self.panels.sweep(s, kernel, Row::Dense(x), &self.norms, self.used(), &mut sink);
            },
        );
    }

    /// `argmin_j |alpha_j|^2 k_jj`; the oldest among those within the tie tolerance.
    #[inline(always)]
    pub(crate) fn smallest<S: Simd>(&self, s: S) -> Slot {
        let found = self.age.least(s, self.expansion.weights(), self.used(), T::TIE);
        found.map_or_else(|| self.nth(0), |(slot, _)| slot)
    }

    /// The old support vector that costs least when it is removed and its part goes to the newcomer `t` as well as that
    /// takes it, and that cost: `argmin_r |alpha_r|^2 (k_rr - k_rt^2/k_tt)`; the oldest within the tie tolerance, and of
    /// those that cost nothing but rounding.
    #[inline(always)]
    pub(crate) fn cheapest_beside<S: Simd>(&mut self, s: S, t: Slot, k: &Lanes<T>, k_tt: T) -> (Slot, f64) {
        let costs = &mut self.scratch.by_slot;
        let (weights, diags, used) =
            (self.expansion.weights(), self.expansion.diags(), self.high.div_ceil(T::LANES));
        let (one, zero) = (splat::<T, S>(s, T::ONE), splat::<T, S>(s, T::ZERO));
        let (k_tt, nothing) = (splat::<T, S>(s, k_tt), splat::<T, S>(s, T::NOTHING));
        for vector in 0..used {
            let k = k.load(s, vector);
            // Free lanes divide nothing by nothing; they are not looked at.
            let rest = (k / diags.load(s, vector)).mul_add(-(k / k_tt), one);
            let rest = rest.simd_gt(nothing).select(rest, zero);
            costs.store(vector, weights.load(s, vector) * rest);
        }
        costs.set(t.index(), T::INFINITY);
        let found = self.age.least(s, costs, used, T::TIE);
        found.map_or_else(|| (self.nth(0), 0.0), |(slot, cost)| (slot, cost.to_f64()))
    }

    /// `k(x_slot, x_j)` in double precision from the stored numbers, for every slot of the used vectors.
    pub(crate) fn row_f64<S: Simd>(&self, s: S, kernel: AnyKernel, slot: Slot, x: &mut [f64], k: &mut [f64]) {
        for (j, x) in x.iter_mut().enumerate() {
            *x = self.panels.get(slot, j).to_f64();
        }
        self.values_f64(s, kernel, x, k);
    }

    /// The same for a row that is not stored.
    pub(crate) fn values_f64<S: Simd>(&self, s: S, kernel: AnyKernel, x: &[f64], k: &mut [f64]) {
        self.panels.values_f64(s, kernel, x, self.used(), k);
    }
}
