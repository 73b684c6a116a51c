//! The scores of the support vectors themselves, as vectors come and go.

use super::CoefficientView;
use super::buffer::{SimdBuffer, SimdVec};
use super::kernel_rows::all_scores;
use super::simd::{Simd, V};
use super::simd_impl::operations;
use crate::float::{Mask, Real, Vector};

/// Where the scores of every slot are kept, laid out as coefficients are: `[vector of lanes][output]`.
#[inline(always)]
pub(crate) fn score_index<T: Real>(slot: usize, output: usize, outputs: usize) -> usize {
    (slot / T::LANES * outputs + output) * T::LANES + slot % T::LANES
}

operations! {
    /// Changes of all scores, and leave-one-out margins.
    pub(crate) trait MarginOps<T: Real> {
        /// `f_jc += row_c k_j` for every slot of the first `used` vectors of lanes.
        fn add_to_scores(s: P, f: &mut SimdBuffer<T>, row: &[T], k: &SimdBuffer<T>, used: usize) {
            for (output, &alpha) in row.iter().enumerate().filter(|(_, alpha)| **alpha != T::ZERO) {
                let alpha = V::splat(s, alpha);
                for (i_simd, k) in k.as_slice()[..used].iter().enumerate() {
                    let place = i_simd * row.len() + output;
                    f.store(place, alpha.mul_add(k.load(s), f.load(s, place)));
                }
            }
        }

        /// The scores of the slot whose kernel row is `k`; `buffers` has a place for each output.
        fn write_scores(
            s: P,
            f: &mut SimdBuffer<T>,
            slot: usize,
            alpha: CoefficientView<'_, T>,
            k: &SimdBuffer<T>,
            used: usize,
            buffers: &mut [T],
        ) {
            all_scores(s, alpha, k, used, buffers);
            for (output, &score) in buffers.iter().enumerate() {
                f.set(score_index::<T>(slot, output, alpha.outputs), score);
            }
        }

        /// Minus the margin of every slot's label in the model without that slot, `f_jc - alpha_jc k_jj`.
        /// `labels` holds of two classes the sign, of many the class.
        fn negated_margins(
            s: P,
            f: &SimdBuffer<T>,
            labels: &SimdBuffer<T>,
            alpha: CoefficientView<'_, T>,
            diags: &SimdBuffer<T>,
            used: usize,
            into: &mut SimdBuffer<T>,
        ) {
            let outputs = alpha.outputs;
            for i_simd in 0..used {
                let (labels, diags) = (labels.load(s, i_simd), diags.load(s, i_simd));
                let from = i_simd * outputs;
                let (alphas, f) = (&alpha.data[from..from + outputs], &f.as_slice()[from..from + outputs]);
                if outputs == 1 {
                    into.store(i_simd, -(labels * without(s, &alphas[0], diags, &f[0])));
                    continue;
                }
                let least = V::splat(s, T::MIN);
                let (mut own, mut rival) = (least, least);
                for (output, (alpha, f)) in alphas.iter().zip(f).enumerate() {
                    let f = without(s, alpha, diags, f);
                    let is_own = labels.equal(V::splat(s, T::from_f64(output as f64)));
                    own = is_own.select(f, own);
                    rival = rival.max(is_own.select(least, f));
                }
                into.store(i_simd, rival - own);
            }
        }
    }
}

/// Scores without what each vector itself adds to its own: `f - alpha k(x, x)`.
#[inline(always)]
fn without<T: Real, S: Simd<T>>(s: S, alpha: &SimdVec<T>, diags: V<T, S>, f: &SimdVec<T>) -> V<T, S> {
    (-alpha.load(s)).mul_add(diags, f.load(s))
}
