//! CoefficientView, one column to the output, and what every support vector weighs.

use super::SimdImpl;
use super::lanes::{SimdBuffer, SimdVec};
use super::simd::{Processor, Simd, V};
use crate::float::{Mask, Real, Vector};

/// `alpha`, laid out `[vector of lanes][output]`.
#[derive(Clone, Copy)]
pub(crate) struct CoefficientView<'a, T: Real> {
    pub(crate) lines: &'a [SimdVec<T>],
    pub(crate) outputs: usize,
}

/// The same to change, with `k_jj` and `|alpha_j|^2 k_jj` of every slot.
pub(crate) struct Weighted<'a, T: Real> {
    pub(crate) lines: &'a mut [SimdVec<T>],
    pub(crate) outputs: usize,
    pub(crate) diags: &'a SimdBuffer<T>,
    pub(crate) weights: &'a mut SimdBuffer<T>,
    /// Vectors of lanes in use.
    pub(crate) used: usize,
}

/// Changes of all coefficients.
pub(crate) trait Expand<T: Real> {
    /// `alpha_j += d_j row` for every slot in use.
    fn spread(&self, alpha: Weighted<'_, T>, d: &SimdBuffer<T>, row: &[T]);

    /// Multiplies every coefficient; what is no normal number then is zero.
    fn multiply(&self, alpha: Weighted<'_, T>, factor: T);

    /// Multiplies every number of a buffer; what is no normal number then is zero.
    fn scale(&self, numbers: &mut SimdBuffer<T>, factor: T);

    /// The largest size of a coefficient.
    fn largest(&self, alpha: CoefficientView<'_, T>, used: usize) -> T;
}

impl<T: Real, P: Processor + Simd<T>> Expand<T> for SimdImpl<P> {
    fn spread(&self, alpha: Weighted<'_, T>, d: &SimdBuffer<T>, row: &[T]) {
        let s = self.0;
        s.run(
            #[inline(always)]
            || {
                let Weighted { lines, outputs, diags, weights, used } = alpha;
                for (vector, alphas) in lines.chunks_exact_mut(outputs).take(used).enumerate() {
                    let (d, diag) = (d.load(s, vector), diags.load(s, vector));
                    let mut sum = V::zero(s);
                    for (line, &a) in alphas.iter_mut().zip(row) {
                        let alpha = d.mul_add(V::splat(s, a), line.load(s));
                        line.store(alpha);
                        sum += alpha * (alpha * diag);
                    }
                    weights.store(vector, sum);
                }
            },
        );
    }

    fn multiply(&self, alpha: Weighted<'_, T>, factor: T) {
        let s = self.0;
        s.run(
            #[inline(always)]
            || {
                let Weighted { lines, outputs, diags, weights, used } = alpha;
                for (vector, alphas) in lines.chunks_exact_mut(outputs).take(used).enumerate() {
                    let (mut sum, diag) = (V::zero(s), diags.load(s, vector));
                    for line in alphas {
                        let alpha = flushed(s, line.load(s) * factor);
                        line.store(alpha);
                        sum += alpha * (alpha * diag);
                    }
                    weights.store(vector, sum);
                }
            },
        );
    }

    fn scale(&self, numbers: &mut SimdBuffer<T>, factor: T) {
        let s = self.0;
        s.run(
            #[inline(always)]
            || {
                for line in numbers.lines_mut() {
                    line.store(flushed(s, line.load(s) * factor));
                }
            },
        );
    }

    fn largest(&self, alpha: CoefficientView<'_, T>, used: usize) -> T {
        let s = self.0;
        s.run(
            #[inline(always)]
            || {
                let mut most = V::zero(s);
                for alpha in &alpha.lines[..used * alpha.outputs] {
                    let alpha = alpha.load(s);
                    most = most.max(alpha.max(-alpha));
                }
                most.most()
            },
        )
    }
}

/// [`Real::flushed`] of each lane.
#[inline(always)]
fn flushed<T: Real, S: Simd<T>>(s: S, x: V<T, S>) -> V<T, S> {
    V::splat(s, T::FLUSH_BELOW).gt(x.abs()).select(x * T::ZERO, x)
}

impl<T: Real> CoefficientView<'_, T> {
    /// `row . alpha_j` for one vector of lanes.
    #[inline(always)]
    pub(super) fn dot<S: Simd<T>>(&self, s: S, vector: usize, row: &[T]) -> V<T, S> {
        let from = vector * self.outputs;
        let mut sum = V::zero(s);
        for (line, &a) in self.lines[from..from + self.outputs].iter().zip(row) {
            sum = V::splat(s, a).mul_add(line.load(s), sum);
        }
        sum
    }

    /// Weighs what is left of the support vectors' squared lengths by their coefficients: `|alpha_j|^2 rest_j`, and
    /// zero where only rounding is left. No small coefficient vanishes in its square.
    #[inline(always)]
    pub(super) fn weigh<S: Simd<T>>(&self, s: S, diags: &SimdBuffer<T>, rests: &mut [SimdVec<T>]) {
        let (nothing, zero) = (V::splat(s, T::RESIDUAL_RTOL), V::zero(s));
        let slots = diags.lines().iter().zip(self.lines.chunks_exact(self.outputs));
        for (line, (diag, row)) in rests.iter_mut().zip(slots) {
            let rest = line.load(s);
            let rest = rest.gt(nothing * diag.load(s)).select(rest, zero);
            let mut sum = zero;
            for alpha in row {
                let alpha = alpha.load(s);
                sum = alpha.mul_add(alpha * rest, sum);
            }
            line.store(sum);
        }
    }
}
