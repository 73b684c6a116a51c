//! Weighted means of the errors near the support vectors, for prediction intervals.

use super::buffer::SimdBuffer;
use super::simd::V;
use super::simd_impl::operations;
use crate::float::{Real, Vector};

operations! {
    /// Sums over the slots with the weights `w_j = k_j^2 d_j`, for a kernel with `k_jj = 1`: then the `k_jj`
    /// of all slots, 0 in free slots, are the mask d.
    pub(crate) trait LocalErrorOps<T: Real> {
        /// `sum_j w_j` and `sum_j w_j rho_j` over the first `used` SIMD vectors.
        fn weighted_errors(
            s: P,
            k: &SimdBuffer<T>,
            d: &SimdBuffer<T>,
            rho: &SimdBuffer<T>,
            used: usize,
        ) -> [T; 2] {
            let (mut weights, mut errors) = (V::zero(s), V::zero(s));
            for i_simd in 0..used {
                let k = k.load(s, i_simd);
                let w = k * k * d.load(s, i_simd);
                weights += w;
                errors = w.mul_add(rho.load(s, i_simd), errors);
            }
            [weights.reduce_sum(), errors.reduce_sum()]
        }

        /// `rho_j += rate w_j (to - rho_j)`
        fn follow_error(
            s: P,
            k: &SimdBuffer<T>,
            d: &SimdBuffer<T>,
            rho: &mut SimdBuffer<T>,
            rate_and_to: [T; 2],
            used: usize,
        ) {
            let [rate, to] = rate_and_to;
            let (rate, to) = (V::splat(s, rate), V::splat(s, to));
            for i_simd in 0..used {
                let (k, near) = (k.load(s, i_simd), rho.load(s, i_simd));
                let step = k * k * d.load(s, i_simd) * rate;
                rho.store(i_simd, step.mul_add(to - near, near));
            }
        }
    }
}
