//! Kernel rows and scores: one row against every support vector. The accumulation is the loop over the features; what
//! the kernel makes of a finished sum is applied afterwards, a few vectors at a time.

use super::CoefficientView;
use super::accumulate::{PanelView, accumulate};
use super::buffer::SimdBuffer;
use super::finish::FinishRow;
use super::kernel_rows_f64::sums_f64;
use super::simd::{Processor, Simd, V};
use super::simd_impl::operations;
use crate::batch::Row;
use crate::float::{Real, Vector};
use crate::kernel::{Accumulation, AnyKernel, with_kernel};
use crate::ops::moments::CLIP;

/// Stored vectors with their row statistics.
#[derive(Clone, Copy)]
pub(crate) struct SupportView<'a, T: Real> {
    pub(crate) panels: PanelView<'a, T>,
    /// The row statistic of each vector, as the kernel's accumulation defines it.
    pub(crate) row_stats: &'a SimdBuffer<T>,
    /// Vectors of lanes in use.
    pub(crate) used: usize,
    pub(crate) row_size: RowSize,
}

/// What is known of the size of stored vectors and rows: squared distances may be expanded into squared norms and
/// products if rounding allows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowSize {
    Unknown,
    /// All values are clipped.
    Clipped,
    /// All values are clipped, and gamma is 8 over the mean squared norm: rounding is small whatever the number of
    /// features.
    FitsGamma,
}

/// The largest rounding error of `gamma |x - s|^2` for which squared distances are expanded.
const MAX_ROUNDING: f64 = 1e-4;

impl<T: Real> SupportView<'_, T> {
    /// Whether squared distances are expanded into squared norms and products. With a large gamma they are not: there
    /// rounding would dominate the distances of near duplicates.
    #[inline(always)]
    pub(crate) fn expands_squares(&self, kernel: AnyKernel) -> bool {
        if kernel.accumulation() != Accumulation::SquaredDifference {
            return false;
        }
        let longest = CLIP * CLIP * self.panels.features as f64;
        kernel.gamma().is_some_and(|gamma| match self.row_size {
            RowSize::Unknown => false,
            RowSize::Clipped => gamma * longest * T::EPSILON <= MAX_ROUNDING,
            RowSize::FitsGamma => true,
        })
    }
}

/// Names the accumulator of a kernel, chosen once for a whole call; with `expands`, squared distances are
/// expanded.
macro_rules! with_accumulator {
    ($kernel:expr, $expands:expr, $accumulator:ident => $call:expr) => {
        match $kernel.accumulation() {
            $crate::kernel::Accumulation::SquaredDifference if $expands => {
                type $accumulator = $crate::ops::accumulate::ExpandedSquare;
                $call
            }
            $crate::kernel::Accumulation::SquaredDifference => {
                type $accumulator = $crate::ops::accumulate::SquaredDifference;
                $call
            }
            $crate::kernel::Accumulation::AbsoluteDifference => {
                type $accumulator = $crate::ops::accumulate::AbsoluteDifference;
                $call
            }
            $crate::kernel::Accumulation::Product => {
                type $accumulator = $crate::ops::accumulate::Product;
                $call
            }
        }
    };
}
pub(super) use with_accumulator;

operations! {
    /// Rows of kernel values and scores.
    pub(crate) trait RowOps<T: Real> {
        /// The kernel row of `x` into `k`, and the scores `f_c = sum_j alpha_jc k_j` into `f`.
        fn scores(
            s: P,
            kernel: AnyKernel,
            stored: SupportView<'_, T>,
            alpha: CoefficientView<'_, T>,
            x: (Row<'_, T>, T),
            k: &mut SimdBuffer<T>,
            f: &mut [T],
        ) {
            sums(s, kernel, stored, x.0, k);
            finish_kernel_row(s, kernel, stored, alpha, x.1, k, f);
        }

        /// Kernel row and scores from the sums over the features in `k`, of a row with this row statistic.
        fn finish_scores(
            s: P,
            kernel: AnyKernel,
            stored: SupportView<'_, T>,
            alpha: CoefficientView<'_, T>,
            row_stat: T,
            k: &mut SimdBuffer<T>,
            f: &mut [T],
        ) {
            finish_kernel_row(s, kernel, stored, alpha, row_stat, k, f);
        }

        /// The scores `f_c = sum_j alpha_jc k_j` of a kernel row by several coefficients with equal numbers
        /// of outputs, of one after the other in `f`.
        fn dot_kernel_row(
            s: P,
            alphas: &[CoefficientView<'_, T>],
            k: &SimdBuffer<T>,
            used: usize,
            f: &mut [T],
        ) {
            match (alphas, &mut *f) {
                ([a, b], [f_a, f_b]) => [*f_a, *f_b] = score_pair(s, [a, b], k, used),
                _ => {
                    for (alpha, f) in alphas.iter().zip(f.chunks_exact_mut(alphas[0].outputs)) {
                        all_scores(s, *alpha, k, used, f);
                    }
                }
            }
        }

        /// `k(x, x_j)` in double precision from the stored numbers, for every slot of the first `used`
        /// vectors of lanes.
        fn kernel_row_f64(
            s: P,
            kernel: AnyKernel,
            panels: PanelView<'_, T>,
            x: &[f64],
            used: usize,
            k: &mut [f64],
        ) {
            with_accumulator!(kernel, false, A => sums_f64::<T, P, A>(s, panels, x, used, k));
            with_kernel!(kernel, kernel => kernel.finish_row_f64(s, panels, x, used, k));
        }
    }
}

/// The sums over the features, against every vector in use.
#[inline(always)]
pub(super) fn sums<T: Real, S: Processor + Simd<T>>(
    s: S,
    kernel: AnyKernel,
    stored: SupportView<'_, T>,
    x: Row<'_, T>,
    sums: &mut SimdBuffer<T>,
) {
    let expands = stored.expands_squares(kernel);
    let SupportView { panels, row_stats, used, .. } = stored;
    let (row_stats, sums) = (row_stats.as_slice(), sums.as_mut_slice());
    with_accumulator!(kernel, expands, A => accumulate::<T, S, A>(s, panels, x, row_stats, used, sums));
}

/// Turns accumulated sums into kernel values, and these into scores.
#[inline(always)]
fn finish_kernel_row<T: Real, S: Processor + Simd<T>>(
    s: S,
    kernel: AnyKernel,
    stored: SupportView<'_, T>,
    alpha: CoefficientView<'_, T>,
    row_stat: T,
    k: &mut SimdBuffer<T>,
    f: &mut [T],
) {
    let stats = (row_stat, &stored.row_stats.as_slice()[..stored.used]);
    let values = &mut k.as_mut_slice()[..stored.used];
    if let [f] = f {
        *f = with_kernel!(kernel, kernel => kernel.finish_and_score(s, stats, values, alpha));
    } else {
        with_kernel!(kernel, kernel => kernel.finish_row(s, stats, values));
        all_scores(s, alpha, k, stored.used, f);
    }
}

/// `sum_j k_j alpha_j` over the first `used` vectors of lanes, up to eight outputs at a time where registers are many,
/// otherwise four.
#[inline(always)]
pub(super) fn all_scores<T: Real, S: Processor + Simd<T>>(
    s: S,
    alpha: CoefficientView<'_, T>,
    k: &SimdBuffer<T>,
    used: usize,
    f: &mut [T],
) {
    let many = if S::TILE >= 8 { 8 } else { 4 };
    let mut first = 0;
    while first < f.len() {
        let count = (f.len() - first).min(many);
        match count {
            1 => some_scores::<T, S, 1>(s, alpha, k, used, first, f),
            2 => some_scores::<T, S, 2>(s, alpha, k, used, first, f),
            3 => some_scores::<T, S, 3>(s, alpha, k, used, first, f),
            4 => some_scores::<T, S, 4>(s, alpha, k, used, first, f),
            5 => some_scores::<T, S, 5>(s, alpha, k, used, first, f),
            6 => some_scores::<T, S, 6>(s, alpha, k, used, first, f),
            7 => some_scores::<T, S, 7>(s, alpha, k, used, first, f),
            _ => some_scores::<T, S, 8>(s, alpha, k, used, first, f),
        }
        first += count;
    }
}

/// The scores by two coefficients of one output: two sums side by side hide each other's latency.
#[inline(always)]
fn score_pair<T: Real, S: Simd<T>>(
    s: S,
    [a, b]: [&CoefficientView<'_, T>; 2],
    k: &SimdBuffer<T>,
    used: usize,
) -> [T; 2] {
    let mut sums = [V::zero(s); 2];
    for ((k, a), b) in k.as_slice()[..used].iter().zip(a.data).zip(b.data) {
        let k = k.load(s);
        sums = [k.mul_add(a.load(s), sums[0]), k.mul_add(b.load(s), sums[1])];
    }
    [sums[0].reduce_sum(), sums[1].reduce_sum()]
}

/// [`all_scores`] for `N` outputs from `first` on: lane by lane in order, then one fixed tree over the lanes.
#[inline(always)]
fn some_scores<T: Real, S: Simd<T>, const N: usize>(
    s: S,
    alpha: CoefficientView<'_, T>,
    k: &SimdBuffer<T>,
    used: usize,
    first: usize,
    f: &mut [T],
) {
    let mut sums = [V::zero(s); N];
    let rows = alpha.data.chunks_exact(alpha.outputs);
    for (k, alpha) in k.as_slice()[..used].iter().zip(rows) {
        let k = k.load(s);
        if let Some(alpha) = alpha[first..].first_chunk::<N>() {
            for (sum, alpha) in sums.iter_mut().zip(alpha) {
                *sum = k.mul_add(alpha.load(s), *sum);
            }
        }
    }
    for (f, sum) in f[first..].iter_mut().zip(sums) {
        *f = sum.reduce_sum();
    }
}
