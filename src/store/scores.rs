//! Kernel rows and scores: one row against every support vector.

use super::{Slot, Store};
use crate::float::{Real, splat};
use crate::kernel::{AnyKernel, Pair, Rbf, with_pair};
use crate::row::Row;
use crate::simd::Lanes;
use fearless_simd::{Simd, SimdBase, SimdFloat};

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
                let single = f.len() == 1;
                let mut sum = splat::<T, S>(s, T::ZERO);
                self.panels.sweep(
                    s,
                    pair,
                    x,
                    &self.norms,
                    used,
                    #[inline(always)]
                    |vector, acc| {
                        let value = pair.finish(s, acc, norm, self.norms.load(s, vector));
                        k.store(vector, value);
                        if single {
                            sum = value.mul_add(self.expansion.load(s, vector, 0), sum);
                        }
                    },
                );
                if let [f] = f {
                    *f = sum.reduce_sum();
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
                let factor = splat::<T, S>(s, kernel.log2_factor());
                let row = Row::Dense(x);
                let used = self.used();
                self.panels.sweep(
                    s,
                    kernel,
                    row,
                    &self.norms,
                    used,
                    #[inline(always)]
                    |vector, acc| y.store(vector, acc * factor),
                );
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
