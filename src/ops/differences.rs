//! Rows by their differences from a base row b: `|z - s|^2 = |z|^2 + (|s|^2 - 2 b.s) - 2 (z - b).s`. A row costs the
//! features in which it differs from b.

use super::PANEL;
use super::accumulate::{Accumulator, ExpandedSquare, Product, TiledRow, panel_tiles, start, step};
use super::buffer::{SimdBuffer, SimdVec};
use super::kernel_rows::SupportView;
use super::simd::{Simd, V};
use super::simd_impl::operations;
use crate::float::Real;

/// The differences of rows from the base row, row after row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Differences<T: Real> {
    /// The features in which a row differs.
    features: Vec<u32>,
    /// `-2 (z - b)` of these features.
    values: Vec<T>,
    /// The end of each row, and its `|z|^2`.
    rows: Vec<(usize, T)>,
}

impl<T: Real> Differences<T> {
    /// Removes all rows, and makes room for `rows` of them.
    pub(crate) fn start(&mut self, rows: usize, features: usize) {
        self.features.clear();
        self.values.clear();
        self.rows.clear();
        self.features.reserve_exact(rows * features);
        self.values.reserve_exact(rows * features);
        self.rows.reserve_exact(rows);
    }

    /// Appends a row. Its squared norm starts from the squared norm of the base row, so that it does not depend on how
    /// the row is stored.
    pub(crate) fn push(&mut self, z: &[T], (base, squared_norm): (&[T], T)) {
        let mut squared_norm = squared_norm;
        for (j, (&z, &b)) in z.iter().zip(base).enumerate() {
            self.push_feature(j as u32, (z, b), &mut squared_norm);
        }
        self.end_row(squared_norm);
    }

    /// Appends a feature to the present row if its value z differs from the base row's value b. A row that is pushed
    /// feature by feature, in increasing order, equals the row of [`Differences::push`]: `squared_norm` starts from the
    /// squared norm of the base row.
    #[inline(always)]
    pub(crate) fn push_feature(&mut self, feature: u32, (z, b): (T, T), squared_norm: &mut T) {
        if z != b {
            self.features.push(feature);
            self.values.push(ExpandedSquare::encode(z - b));
            *squared_norm += z * z - b * b;
        }
    }

    /// Ends a row that was pushed feature by feature.
    #[inline(always)]
    pub(crate) fn end_row(&mut self, squared_norm: T) {
        self.rows.push((self.features.len(), squared_norm));
    }

    /// The features, values and squared norm of a row.
    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> (&[u32], &[T], T) {
        let from = row.checked_sub(1).map_or(0, |before| self.rows[before].0);
        let (to, squared_norm) = self.rows[row];
        (&self.features[from..to], &self.values[from..to], squared_norm)
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The number of differences of all rows.
    pub(crate) fn n_entries(&self) -> usize {
        self.features.len()
    }
}

operations! {
    /// Sums over the features of rows that are given by their differences. The row statistics of the support
    /// vectors are `|s|^2 - 2 b.s`.
    pub(crate) trait DifferenceOps<T: Real> {
        /// The squared distances of each row to every support vector in use, row by row in `sums`.
        fn accumulate_differences(
            s: P,
            stored: SupportView<'_, T>,
            rows: &Differences<T>,
            sums: &mut [SimdBuffer<T>],
        ) {
            let SupportView { panels, row_stats, used, .. } = stored;
            let row_stats = row_stats.as_slice();
            for first in (0..used).step_by(PANEL) {
                for (row, sums) in sums.iter_mut().enumerate().take(rows.len()) {
                    let (features, values, squared_norm) = rows.row(row);
                    let row = DifferenceRow { s, features, values, squared_norm, row_stats };
                    let sums = sums.as_mut_slice();
                    match PANEL.min(panels.n_simd - first) {
                        PANEL => panel_tiles::<T, P, PANEL>(panels, first, sums, &row),
                        4 => panel_tiles::<T, P, 4>(panels, first, sums, &row),
                        2 => panel_tiles::<T, P, 2>(panels, first, sums, &row),
                        _ => panel_tiles::<T, P, 1>(panels, first, sums, &row),
                    }
                }
            }
        }

        /// The inner product of two vectors, summed like a row of the linear kernel.
        fn inner_product(s: P, a: &[T], b: &[T]) -> T {
            let mut sum = V::<T, P>::zero(s);
            for (&a, &b) in a.iter().zip(b) {
                sum = Product::step_dense(sum, V::splat(s, a), V::splat(s, b));
            }
            sum.to_array().as_ref()[0]
        }
    }
}

struct DifferenceRow<'a, T: Real, S> {
    s: S,
    features: &'a [u32],
    values: &'a [T],
    squared_norm: T,
    row_stats: &'a [SimdVec<T>],
}

impl<T: Real, S: Simd<T>> TiledRow<T, S> for DifferenceRow<'_, T, S> {
    #[inline(always)]
    fn tile<const WIDTH: usize, const W: usize>(
        &self,
        data: &[[SimdVec<T>; WIDTH]],
        first: usize,
        i_simd: usize,
    ) -> [V<T, S>; W] {
        let mut sums = start(self.s, self.squared_norm, &self.row_stats[i_simd + first..]);
        for (&j, &x) in self.features.iter().zip(self.values) {
            if let Some(data) = data[j as usize][first..].first_chunk::<W>() {
                step(
                    self.s,
                    x,
                    data,
                    &mut sums,
                    #[inline(always)]
                    |sum, x, v| ExpandedSquare::step_dense(sum, x, v),
                );
            }
        }
        for sum in &mut sums {
            *sum = ExpandedSquare::clamp_at_zero(*sum);
        }
        sums
    }
}
