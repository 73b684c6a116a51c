//! Kernel rows in double precision, from stored values of any type.

use super::accumulate::{Accumulator, PANEL, PanelView};
use super::simd::{Processor, V};
use crate::batch::Row;
use crate::float::Real;
use crate::kernel::Kernel;

/// The number of slots that are computed at a time, whatever the type of the stored values.
const F64_LANES: usize = 8;

/// One feature of eight stored vectors.
#[inline(always)]
fn eight<T: Real, S: Processor>(s: S, panels: PanelView<'_, T>, slot: usize, feature: usize) -> V<f64, S> {
    let (i_simd, lane) = (slot / T::LANES, slot % T::LANES);
    let panel = panels.panel(i_simd / PANEL * PANEL);
    let numbers = &panel.data[feature * panel.width + i_simd % PANEL].values()[lane..lane + F64_LANES];
    V::from_fn(s, |i| numbers[i].to_f64())
}

/// The sums over the features in double precision, as [`sums`](super::kernel_rows::sums).
#[inline(always)]
pub(super) fn sums_f64<T: Real, S: Processor, A: Accumulator>(
    s: S,
    panels: PanelView<'_, T>,
    x: &[f64],
    used: usize,
    sums: &mut [f64],
) {
    for slot in (0..used * T::LANES).step_by(F64_LANES) {
        let mut sum = V::<f64, S>::zero(s);
        for (feature, &x) in x.iter().enumerate() {
            sum = A::step_dense(sum, V::splat(s, x), eight(s, panels, slot, feature));
        }
        sum.store_slice(&mut sums[slot..slot + F64_LANES]);
    }
}

/// Finished sums become kernel values in double precision, as the kernel rows of the type.
#[inline(always)]
pub(super) fn finish_f64<T: Real, S: Processor, K: Kernel>(
    s: S,
    kernel: K,
    panels: PanelView<'_, T>,
    x: &[f64],
    used: usize,
    k: &mut [f64],
) {
    let row_stat = K::ACCUMULATION.row_stat(Row::Dense(x));
    for slot in (0..used * T::LANES).step_by(F64_LANES) {
        let mut row_stats = V::<f64, S>::zero(s);
        if K::READS_ROW_STATS {
            // The statistic is |x|^2, as for every kernel of the inner product.
            for feature in 0..x.len() {
                let v = eight(s, panels, slot, feature);
                row_stats += v * v;
            }
        }
        let k = &mut k[slot..slot + F64_LANES];
        kernel.finish(V::from_slice(s, k), row_stat, row_stats).store_slice(k);
    }
}
