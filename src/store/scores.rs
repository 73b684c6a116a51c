//! Kernel rows and scores: one row against every support vector.

use super::panels::Sink;
use super::{Expansion, Slot, Store};
use crate::float::{Real, splat};
use crate::kernel::{AnyKernel, Pair, Rbf, with_pair};
use crate::row::Row;
use crate::simd::{Lanes, Line};
use fearless_simd::{Simd, SimdBase, SimdFloat};

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
        with_pair!(kernel, pair => self.scores_of(s, pair, x, norm, k, f));
    }

    #[inline(always)]
    fn scores_of<S: Simd, P: Pair<T>>(
        &self,
        s: S,
        pair: P,
        x: Row<'_, T>,
        norm: T,
        k: &mut Lanes<T>,
        f: &mut [T],
    ) {
        s.vectorize(
            #[inline(always)]
            || {
                let used = self.used();
                let (norms, expansion) = (&self.norms, &self.expansion);
                let mut sum = Line::default();
                let mut values = Values { pair, norm, norms, k, expansion, sum: &mut sum };
                self.panels.sweep(s, pair, x, norms, used, &mut values);
                if let [f] = f {
                    *f = sum.load(s).reduce_sum();
                    return;
                }
                let mut first = 0;
                while first < f.len() {
                    match f.len() - first {
                        1 => self.expansion.scores::<S, 1>(s, k, used, first, f),
                        2 => self.expansion.scores::<S, 2>(s, k, used, first, f),
                        3 => self.expansion.scores::<S, 3>(s, k, used, first, f),
                        _ => self.expansion.scores::<S, 4>(s, k, used, first, f),
                    }
                    first += 4;
                }
            },
        );
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
        use fearless_simd::{Select, SimdMask};
        let weights = self.expansion.weights();
        let infinity = splat::<T, S>(s, T::INFINITY);
        let live = |vector: usize| {
            <T::V<S> as SimdBase<S>>::Mask::from_bitmask(s, self.age.live_bits(vector, T::LANES))
        };
        let mut least = infinity;
        for vector in 0..self.used() {
            least = least.min(live(vector).select(weights.load(s, vector), infinity));
        }
        let least = least.reduce_min();
        let bound = least + least * T::TIE;
        let oldest = self.age.nth(0).expect("maintenance runs on a store that is over budget");
        if weights.get(oldest.index()) <= bound {
            return oldest;
        }
        let mut best: Option<Slot> = None;
        for vector in 0..self.used() {
            let ties = weights.load(s, vector).simd_le(splat::<T, S>(s, bound)).to_bitmask();
            let mut ties = ties & self.age.live_bits(vector, T::LANES);
            while ties != 0 {
                let slot = Slot((vector * T::LANES) as u32 + ties.trailing_zeros());
                if best.is_none_or(|b| self.age.older(slot, b)) {
                    best = Some(slot);
                }
                ties &= ties - 1;
            }
        }
        best.unwrap_or(oldest)
    }

    /// `k(x_slot, x_j)` in double precision from the stored numbers, for every slot of the used vectors.
    #[inline(always)]
    pub(crate) fn row_f64<S: Simd>(&self, s: S, kernel: AnyKernel, slot: Slot, x: &mut [f64], k: &mut [f64]) {
        for (j, x) in x.iter_mut().enumerate() {
            *x = self.panels.get(slot, j).to_f64();
        }
        with_pair!(kernel, pair => s.vectorize(
            #[inline(always)]
            || self.panels.sweep_f64(s, pair, x, self.used(), k),
        ));
    }
}
