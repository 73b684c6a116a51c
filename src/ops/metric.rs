//! What a learned metric asks for: slopes of the kernel, sums of squared differences per feature, and scaled features;
//! and outer products, by which a matrix learns.

use super::accumulate::PANEL;
use super::buffer::{SimdBuffer, SimdVec};
use super::simd::{Simd, V};
use super::simd_impl::operations;
use super::{CoefficientView, PanelView};
use crate::batch::Row;
use crate::float::log2::log2_1p;
use crate::float::{Real, Vector, exp2};
use crate::kernel::MergeableKernel;

/// Stored vectors to change, laid out as [`PanelView`].
pub(crate) struct PanelsMut<'a, T: Real> {
    pub(crate) data: &'a mut [SimdVec<T>],
    pub(crate) features: usize,
    pub(crate) room: usize,
    pub(crate) n_simd: usize,
}

/// The difference of coefficients that a margin is made of: `sign (alpha_plus - alpha_minus)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MarginContrast<T: Real> {
    pub(crate) sign: T,
    pub(crate) plus: usize,
    pub(crate) minus: Option<usize>,
}

operations! {
    /// Operations of metrics and of matrices that learn.
    pub(crate) trait MetricOps<T: Real> {
        /// The slopes `w_j = b_j (-kappa'(D_j)) / gamma` of the kernel row `k`, b the coefficients of the
        /// margin; and `costs_j = -|w_j| gamma D_j`. Both are 0 from the vector `used` on.
        fn kernel_slopes(
            s: P,
            kernel: MergeableKernel,
            k: &SimdBuffer<T>,
            alpha: (CoefficientView<'_, T>, MarginContrast<T>),
            used: usize,
            slopes: &mut SimdBuffer<T>,
            costs: &mut SimdBuffer<T>,
        ) {
            let (alpha, contrast) = alpha;
            let rows = alpha.data.chunks_exact(alpha.outputs).take(used);
            for (i_simd, alpha) in rows.enumerate() {
                let mut b = alpha[contrast.plus].load(s);
                if let Some(minus) = contrast.minus {
                    b += -alpha[minus].load(s);
                }
                let (slope, distance) = slope_and_distance(kernel, k.load(s, i_simd));
                let w = b * contrast.sign * slope;
                slopes.store(i_simd, w);
                costs.store(i_simd, -(w.abs() * distance));
            }
            for lanes in [slopes, costs] {
                lanes.as_mut_slice()[used..].fill(SimdVec::default());
            }
        }

        /// `sum_j w_j (z_i - s_ji)^2` for every feature i.
        fn weighted_sq_differences(
            s: P,
            panels: PanelView<'_, T>,
            w: &SimdBuffer<T>,
            z: &[T],
            used: usize,
            out: &mut [T],
        ) {
            let blocks = z.chunks(FEATURE_BLOCK).zip(out.chunks_mut(FEATURE_BLOCK));
            for (block, (z, out)) in blocks.enumerate() {
                let mut sums = [V::zero(s); FEATURE_BLOCK];
                for first in (0..used).step_by(PANEL) {
                    let panel = panels.panel(first);
                    let w = &w.as_slice()[first..first + panel.width];
                    let data = &panel.data[block * FEATURE_BLOCK * panel.width..];
                    match panel.width {
                        PANEL => add_sq_differences::<T, P, PANEL>(s, data, w, z, &mut sums),
                        4 => add_sq_differences::<T, P, 4>(s, data, w, z, &mut sums),
                        2 => add_sq_differences::<T, P, 2>(s, data, w, z, &mut sums),
                        _ => add_sq_differences::<T, P, 1>(s, data, w, z, &mut sums),
                    }
                }
                for (out, sum) in out.iter_mut().zip(sums) {
                    *out = sum.reduce_sum();
                }
            }
        }

        /// Multiplies each feature of every vector by its factor; then `row_stats` are the squared lengths.
        fn scale_features(s: P, panels: PanelsMut<'_, T>, factors: &[T], row_stats: &mut SimdBuffer<T>) {
            row_stats.as_mut_slice().fill(SimdVec::default());
            for (first, width, data) in panels.each() {
                let row_stats = &mut row_stats.as_mut_slice()[first..first + width];
                for (data, &factor) in data.chunks_exact_mut(width).zip(factors) {
                    for (lanes, row_stat) in data.iter_mut().zip(row_stats.iter_mut()) {
                        let x = lanes.load(s) * factor;
                        lanes.store(x);
                        row_stat.store(row_stat.load(s) + x * x);
                    }
                }
            }
        }

        /// Multiplies each vector by its factor.
        fn scale_vectors(s: P, panels: PanelsMut<'_, T>, factors: &SimdBuffer<T>) {
            for (first, width, data) in panels.each() {
                for data in data.chunks_exact_mut(width) {
                    for (lanes, factor) in data.iter_mut().zip(&factors.as_slice()[first..]) {
                        lanes.store(lanes.load(s) * factor.load(s));
                    }
                }
            }
        }

        /// Adds `a_j x` to each vector j.
        fn add_outer(s: P, panels: PanelsMut<'_, T>, a: &SimdBuffer<T>, x: Row<'_, T>) {
            for (first, width, data) in panels.each() {
                let a = &a.as_slice()[first..first + width];
                match x {
                    Row::Dense(x) => {
                        for (data, &x) in data.chunks_exact_mut(width).zip(x) {
                            add(s, data, a, x);
                        }
                    }
                    Row::Sparse(indices, x) => {
                        for (&j, &x) in indices.iter().zip(x) {
                            add(s, &mut data[j as usize * width..][..width], a, x);
                        }
                    }
                }
            }
        }
    }
}

/// Features whose sums are kept at hand while the panels go by.
const FEATURE_BLOCK: usize = 16;

/// Adds `w_i (z_j - s_ij)^2` over the vectors i of a panel to the sums of a block's features j.
#[inline(always)]
fn add_sq_differences<T: Real, S: Simd<T>, const WIDTH: usize>(
    s: S,
    data: &[SimdVec<T>],
    w: &[SimdVec<T>],
    z: &[T],
    sums: &mut [V<T, S>; FEATURE_BLOCK],
) {
    let Some(w) = w.first_chunk::<WIDTH>() else { return };
    let w = w.each_ref().map(
        #[inline(always)]
        |w| w.load(s),
    );
    let features = z.iter().zip(data.as_chunks::<WIDTH>().0);
    for ((&z, data), sum) in features.zip(sums) {
        let z = V::splat(s, z);
        for (lanes, w) in data.iter().zip(w) {
            let difference = z - lanes.load(s);
            *sum = (difference * w).mul_add(difference, *sum);
        }
    }
}

impl<'a, T: Real> PanelsMut<'a, T> {
    /// The panels: the first vector of lanes of each, how many it has to a feature, and its numbers.
    pub(super) fn each(self) -> impl Iterator<Item = (usize, usize, &'a mut [SimdVec<T>])> {
        let Self { data, features, room, n_simd } = self;
        let panels = data.chunks_mut(PANEL * room.max(1)).enumerate();
        panels.map(move |(i, data)| {
            let width = PANEL.min(n_simd - i * PANEL);
            (i * PANEL, width, &mut data[..width * features])
        })
    }
}

#[inline(always)]
fn add<T: Real, S: Simd<T>>(s: S, data: &mut [SimdVec<T>], a: &[SimdVec<T>], x: T) {
    let x = V::splat(s, x);
    for (lanes, a) in data.iter_mut().zip(a) {
        lanes.store(a.load(s).mul_add(x, lanes.load(s)));
    }
}

/// `-kappa'(D) / gamma` and `gamma D`, from `k = kappa(D)`: with `r = (1 + gamma D / alpha)^-1 = k^(1 / alpha)` they
/// are `k r` and `alpha (1 / r - 1)`; of the Gaussian kernel k and `-ln k`.
#[inline(always)]
fn slope_and_distance<T: Real, V: Vector<T>>(kernel: MergeableKernel, k: V) -> (V, V) {
    let one = k.broadcast(T::ONE);
    // Where k is so small that it counts as nothing, the distance of the smallest k that counts is used.
    let k = k.max(k.broadcast(T::FLUSH_BELOW));
    match kernel {
        MergeableKernel::Rbf { .. } => (k, log2_1p(one / k - one) * k.constant(std::f64::consts::LN_2)),
        MergeableKernel::RationalQuadratic { alpha, .. } => {
            let r =
                if alpha == 2.0 { k.sqrt() } else { exp2(log2_1p(one / k - one) * k.constant(-1.0 / alpha)) };
            (k * r, (one / r - one) * k.constant(alpha))
        }
    }
}
