//! A matrix applied to all stored vectors, in tiles that stay in registers.

use super::PanelsMut;
use super::accumulate::PANEL;
use super::buffer::{SimdBuffer, SimdVec};
use super::simd::{Simd, V};
use super::simd_impl::operations;
use crate::float::{Real, Vector};

/// SIMD vectors that a matrix transforms together where registers are many, and its rows that are multiplied together.
const COLUMNS: usize = 4;
const MATRIX_ROWS: usize = 4;

operations! {
    /// Linear maps of all stored vectors.
    pub(crate) trait LinearMapOps<T: Real> {
        /// `s_j <- s_j + E s_j` over the first features; then `row_stats` are the squared lengths. E is given
        /// row by row; `column` is a buffer.
        fn transform_features(
            s: P,
            panels: PanelsMut<'_, T>,
            e: &[T],
            row_stats: &mut SimdBuffer<T>,
            column: &mut SimdBuffer<T>,
        ) {
            let side = e.len().isqrt();
            column.grow(side * COLUMNS);
            for (first, width, data) in panels.each() {
                let row_stats = &mut row_stats.as_mut_slice()[first..first + width];
                let mut at = 0;
                while at < width {
                    let place = (at, width);
                    if P::TILE >= PANEL && width - at >= COLUMNS {
                        transform::<T, P, COLUMNS>(s, data, place, (e, side), column.as_mut_slice());
                        at += COLUMNS;
                    } else {
                        transform::<T, P, 1>(s, data, place, (e, side), column.as_mut_slice());
                        at += 1;
                    }
                }
                row_stats.fill(SimdVec::default());
                for data in data.chunks_exact(width) {
                    for (lanes, row_stat) in data.iter().zip(row_stats.iter_mut()) {
                        let x = lanes.load(s);
                        row_stat.store(row_stat.load(s) + x * x);
                    }
                }
            }
        }
    }
}

/// `s <- s + E s` for `N` SIMD vectors of a panel of `width`, from `at` on. `column` receives a copy of them.
#[inline(always)]
fn transform<T: Real, S: Simd<T>, const N: usize>(
    s: S,
    data: &mut [SimdVec<T>],
    (at, width): (usize, usize),
    (e, side): (&[T], usize),
    column: &mut [SimdVec<T>],
) {
    let column = &mut column.as_chunks_mut::<N>().0[..side];
    for (column, data) in column.iter_mut().zip(data.chunks_exact(width)) {
        column.copy_from_slice(&data[at..at + N]);
    }
    let (column, mut row) = (&*column, 0);
    while row < side {
        if side - row >= MATRIX_ROWS {
            transform_rows::<T, S, N, MATRIX_ROWS>(s, data, (at, width), (e, row), column);
            row += MATRIX_ROWS;
        } else {
            transform_rows::<T, S, N, 1>(s, data, (at, width), (e, row), column);
            row += 1;
        }
    }
}

/// `R` rows of the product, from `row` on.
#[inline(always)]
fn transform_rows<T: Real, S: Simd<T>, const N: usize, const R: usize>(
    s: S,
    data: &mut [SimdVec<T>],
    (at, width): (usize, usize),
    (e, row): (&[T], usize),
    column: &[[SimdVec<T>; N]],
) {
    let side = column.len();
    let mut rows = [&e[..0]; R];
    for (i, e) in e[row * side..].chunks_exact(side).take(R).enumerate() {
        rows[i] = e;
    }
    let mut sums = [[V::zero(s); N]; R];
    for (j, lanes) in column.iter().enumerate() {
        for (sums, row) in sums.iter_mut().zip(rows) {
            let e = V::splat(s, row[j]);
            for (sum, lanes) in sums.iter_mut().zip(lanes) {
                *sum = lanes.load(s).mul_add(e, *sum);
            }
        }
    }
    for (data, sums) in data[row * width..].chunks_exact_mut(width).zip(sums) {
        for (lanes, sum) in data[at..].iter_mut().zip(sums) {
            lanes.store(lanes.load(s) + sum);
        }
    }
}
