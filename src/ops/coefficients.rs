//! Coefficients, one column per output, and the squared norm of every weighted support vector.

use super::buffer::{SimdBuffer, SimdVec};
use super::simd::{Simd, V};
use super::simd_impl::operations;
use crate::float::{Mask, Real, Vector};

/// `alpha`, laid out `[vector of lanes][output]`.
#[derive(Clone, Copy)]
pub(crate) struct CoefficientView<'a, T: Real> {
    pub(crate) data: &'a [SimdVec<T>],
    pub(crate) outputs: usize,
}

/// Coefficients to change, with `k_jj` and `|alpha_j|^2 k_jj` of every slot.
pub(crate) struct Weighted<'a, T: Real> {
    pub(crate) data: &'a mut [SimdVec<T>],
    pub(crate) outputs: usize,
    pub(crate) diags: &'a SimdBuffer<T>,
    pub(crate) weights: &'a mut SimdBuffer<T>,
    /// Vectors of lanes in use.
    pub(crate) used: usize,
}

operations! {
    /// Changes of all coefficients.
    pub(crate) trait CoefficientOps<T: Real> {
        /// `alpha_j += d_j row` for every slot in use; negligible coefficients become zero.
        fn add_multiples(s: P, alpha: Weighted<'_, T>, d: &SimdBuffer<T>, row: &[T]) {
            let Weighted { data, outputs, diags, weights, used } = alpha;
            for (i_simd, alphas) in data.chunks_exact_mut(outputs).take(used).enumerate() {
                let (d, diag, zero) = (d.load(s, i_simd), diags.load(s, i_simd), V::zero(s));
                if d.abs().reduce_max() == T::ZERO {
                    continue;
                }
                let mut largest = zero;
                for (lanes, &a) in alphas.iter_mut().zip(row) {
                    let alpha = d.mul_add(V::splat(s, a), lanes.load(s));
                    lanes.store(alpha);
                    largest = largest.max(alpha.abs());
                }
                let negligible = (largest * V::splat(s, T::NEGLIGIBLE)).max(V::splat(s, T::FLUSH_BELOW));
                let mut sum = zero;
                for lanes in alphas {
                    let alpha = lanes.load(s);
                    let alpha = negligible.gt(alpha.abs()).select(zero, alpha);
                    lanes.store(alpha);
                    sum += alpha * (alpha * diag);
                }
                weights.store(i_simd, sum);
            }
        }

        /// Multiplies every coefficient; a result that is not a normal number becomes zero.
        fn scale_coefficients(s: P, alpha: Weighted<'_, T>, factor: T) {
            let Weighted { data, outputs, diags, weights, used } = alpha;
            for (i_simd, alphas) in data.chunks_exact_mut(outputs).take(used).enumerate() {
                let (mut sum, diag) = (V::zero(s), diags.load(s, i_simd));
                for lanes in alphas {
                    let alpha = flush_to_zero(s, lanes.load(s) * factor);
                    lanes.store(alpha);
                    sum += alpha * (alpha * diag);
                }
                weights.store(i_simd, sum);
            }
        }

        /// Multiplies every number of a buffer; a result that is not a normal number becomes zero.
        fn scale_buffer(s: P, numbers: &mut SimdBuffer<T>, factor: T) {
            for lanes in numbers.as_mut_slice() {
                lanes.store(flush_to_zero(s, lanes.load(s) * factor));
            }
        }

        /// The largest size of a coefficient.
        fn max_abs(s: P, alpha: CoefficientView<'_, T>, used: usize) -> T {
            let mut most = V::zero(s);
            for alpha in &alpha.data[..used * alpha.outputs] {
                let alpha = alpha.load(s);
                most = most.max(alpha.max(-alpha));
            }
            most.reduce_max()
        }
    }
}

/// [`Real::flush_to_zero`] of each lane.
#[inline(always)]
fn flush_to_zero<T: Real, S: Simd<T>>(s: S, x: V<T, S>) -> V<T, S> {
    V::splat(s, T::FLUSH_BELOW).gt(x.abs()).select(x * T::ZERO, x)
}

impl<T: Real> CoefficientView<'_, T> {
    /// A coefficient.
    #[inline(always)]
    pub(super) fn get(&self, slot: usize, output: usize) -> T {
        self.data[slot / T::LANES * self.outputs + output].values()[slot % T::LANES]
    }

    /// `row . alpha_j` for one vector of lanes.
    #[inline(always)]
    pub(super) fn dot<S: Simd<T>>(&self, s: S, i_simd: usize, row: &[T]) -> V<T, S> {
        let from = i_simd * self.outputs;
        let mut sum = V::zero(s);
        for (lanes, &a) in self.data[from..from + self.outputs].iter().zip(row) {
            sum = V::splat(s, a).mul_add(lanes.load(s), sum);
        }
        sum
    }
}
