//! The step from accumulated sums to kernel values.

use super::CoefficientView;
use super::PanelView;
use super::buffer::SimdVec;
use super::kernel_rows_f64::finish_f64;
use super::simd::{Processor, Simd, V};
use crate::float::{Real, Vector};
use crate::kernel::Kernel;

/// The loops over a kernel row, as methods of the kernel.
///
/// In builds with debug assertions each kernel's loops are separate functions. Methods are compiled in the codegen
/// unit of their type's module, so a change of a kernel recompiles the loops of that kernel alone: 4 s of CPU time
/// instead of 40. In other builds they are inlined into the loop over the features, which saves 3% of the
/// instructions of small models.
pub(super) trait FinishRow: Kernel {
    /// Turns accumulated sums into kernel values.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn finish_row<T: Real, S: Processor + Simd<T>>(
        self,
        s: S,
        stats: (T, &[SimdVec<T>]),
        k: &mut [SimdVec<T>],
    ) {
        s.run_nested(
            #[inline(always)]
            || finish(s, self, stats, k, |_, _| ()),
        );
    }

    /// Turns accumulated sums into kernel values, and returns the score of a single output.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn finish_and_score<T: Real, S: Processor + Simd<T>>(
        self,
        s: S,
        stats: (T, &[SimdVec<T>]),
        k: &mut [SimdVec<T>],
        alpha: CoefficientView<'_, T>,
    ) -> T {
        s.run_nested(
            #[inline(always)]
            || {
                let mut sum = V::zero(s);
                finish(
                    s,
                    self,
                    stats,
                    k,
                    #[inline(always)]
                    |i_simd, k| sum = k.mul_add(alpha.data[i_simd].load(s), sum),
                );
                sum.reduce_sum()
            },
        )
    }

    /// Turns accumulated sums into kernel values in double precision.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn finish_row_f64<T: Real, S: Processor>(
        self,
        s: S,
        panels: PanelView<'_, T>,
        x: &[f64],
        used: usize,
        k: &mut [f64],
    ) {
        s.run_nested(
            #[inline(always)]
            || finish_f64(s, self, panels, x, used, k),
        );
    }
}

impl<K: Kernel> FinishRow for K {}

/// Turns accumulated sums into kernel values; `each` gets them in the order of the SIMD vectors.
///
/// Two SIMD vectors at a time hide each other's latency; the last of an odd number is computed before the others.
#[inline(always)]
fn finish<T: Real, S: Simd<T>, K: Kernel>(
    s: S,
    kernel: K,
    (row_stat, support_stats): (T, &[SimdVec<T>]),
    k: &mut [SimdVec<T>],
    mut each: impl FnMut(usize, V<T, S>),
) {
    let mut i_simd = 0;
    let (pairs, last) = k.as_chunks_mut::<2>();
    let (stat_pairs, last_stats) = support_stats.as_chunks::<2>();
    let last = if let ([k], [stats]) = (last, last_stats) {
        let value = kernel.finish(k.load(s), row_stat, stats.load(s));
        k.store(value);
        Some(value)
    } else {
        None
    };
    for ([k0, k1], [stats0, stats1]) in pairs.iter_mut().zip(stat_pairs) {
        let value0 = kernel.finish(k0.load(s), row_stat, stats0.load(s));
        let value1 = kernel.finish(k1.load(s), row_stat, stats1.load(s));
        k0.store(value0);
        k1.store(value1);
        each(i_simd, value0);
        each(i_simd + 1, value1);
        i_simd += 2;
    }
    if let Some(value) = last {
        each(i_simd, value);
    }
}
