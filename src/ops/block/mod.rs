//! Many rows against every stored vector: a tile of rows by vectors stays in registers, so that a number that is loaded
//! serves several rows. Each sum adds the features in the order of a single row, so the results are bit-identical.

#[cfg(test)]
mod tests;

use super::Differences;
use super::accumulate::{Accumulator, ExpandedSquare, PANEL};
use super::buffer::{SimdBuffer, SimdVec};
use super::kernel_rows::{SupportView, with_accumulator};
use super::simd::{Processor, Simd, V};
use super::simd_impl::operations;
use crate::float::Real;
use crate::kernel::AnyKernel;

/// The number of rows of a block of the stream, and the maximum number of rows computed together.
pub(crate) const BLOCK_ROWS: usize = 32;

/// Whether row `t` of the stream, counted from 1, is the first row of a block: 1, 33, 65, ...
///
/// Rows that are learned together lie in one block of the stream. The window of the running scaler, its statistics
/// after row 256, and the metric change at the start of a block only. So results do not depend on how the rows are
/// divided into batches.
#[inline(always)]
pub(crate) fn starts_block(t: u64) -> bool {
    (t - 1).is_multiple_of(BLOCK_ROWS as u64)
}

/// The number of rows up to the end of the block of row `t`, including row `t`.
#[inline(always)]
pub(crate) fn rows_left_in_block(t: u64) -> usize {
    BLOCK_ROWS - ((t - 1) % BLOCK_ROWS as u64) as usize
}

/// Rows of as many lanes as a vector has, feature by feature, one lane per row; group after group.
#[derive(Debug, Clone, Default)]
pub(crate) struct PackedRows<T: Real> {
    data: SimdBuffer<T>,
    /// The row statistic of each row; used only if `expands`.
    row_stats: SimdBuffer<T>,
    features: usize,
    /// Whether squared distances are expanded, so that sums start from row statistics.
    expands: bool,
}

impl<T: Real> PackedRows<T> {
    /// Writes rows of `features` values to the places from `first` on. `expands`: squared distances are expanded.
    pub(crate) fn write(&mut self, first: usize, features: usize, rows: &[T], expands: bool) {
        self.features = features;
        self.expands = expands;
        self.data.grow(BLOCK_ROWS / T::LANES * features);
        self.row_stats.grow(BLOCK_ROWS / T::LANES);
        for (row, x) in (first..).zip(rows.chunks_exact(features)) {
            let place = row / T::LANES * features * T::LANES + row % T::LANES;
            for (j, &x) in x.iter().enumerate() {
                self.data.set(place + j * T::LANES, if expands { ExpandedSquare::encode(x) } else { x });
            }
        }
        if expands {
            let groups = self.data.as_slice().chunks_exact(features);
            for (group, row_stats) in groups.zip(self.row_stats.as_mut_slice()) {
                *row_stats = squares(group);
            }
        }
    }

    /// Writes rows that are given by their differences from a base row, for sums that start from the offsets of the
    /// support vectors.
    pub(crate) fn write_differences(&mut self, first: usize, features: usize, rows: &Differences<T>) {
        self.features = features;
        self.expands = true;
        self.data.grow(BLOCK_ROWS / T::LANES * features);
        self.data.clear();
        self.row_stats.grow(BLOCK_ROWS / T::LANES);
        for i in 0..rows.len() {
            let (row, (indices, values, squared_norm)) = (first + i, rows.row(i));
            let place = row / T::LANES * features * T::LANES + row % T::LANES;
            for (&j, &x) in indices.iter().zip(values) {
                self.data.set(place + j as usize * T::LANES, x);
            }
            self.row_stats.set(row, squared_norm);
        }
    }

    /// The group that a row is in.
    #[inline(always)]
    fn group(&self, row: usize) -> &[SimdVec<T>] {
        &self.data.as_slice()[row / T::LANES * self.features..][..self.features]
    }
}

/// The squared length of each row of a group of encoded values, `-2 x`: the same bits as of x.
#[inline]
fn squares<T: Real>(group: &[SimdVec<T>]) -> SimdVec<T> {
    let mut squares = SimdVec::default();
    for lanes in group {
        for (square, &x) in squares.values_mut().iter_mut().zip(lanes.values()) {
            *square += x * x;
        }
    }
    squares.values_mut().iter_mut().for_each(|square| *square *= T::from_f64(0.25));
    squares
}

operations! {
    /// Sums over the features for many rows.
    pub(crate) trait BlockOps<T: Real> {
        /// The sums over the features of the rows `first..to` of a block against every vector in use, row by
        /// row in `sums`. The sums of other rows are overwritten.
        fn accumulate_block(
            s: P,
            kernel: AnyKernel,
            stored: SupportView<'_, T>,
            block: &PackedRows<T>,
            rows: (usize, usize),
            sums: &mut [SimdBuffer<T>],
        ) {
            with_accumulator!(kernel, block.expands, A => panels::<T, P, A>(s, stored, block, rows, sums));
        }

        /// The sums over the features of one vector, with its row statistic, against each row of a block from
        /// `first` on.
        fn accumulate_column(
            s: P,
            kernel: AnyKernel,
            x: (&[T], T),
            block: &PackedRows<T>,
            first: usize,
            sums: &mut SimdBuffer<T>,
        ) {
            with_accumulator!(kernel, block.expands, A => column::<T, P, A>(s, x, block, first, sums));
        }
    }
}

/// Every tile, a panel after the other.
#[inline(always)]
fn panels<T: Real, S: Processor + Simd<T>, A: Accumulator>(
    s: S,
    stored: SupportView<'_, T>,
    block: &PackedRows<T>,
    rows: (usize, usize),
    sums: &mut [SimdBuffer<T>],
) {
    let SupportView { panels, row_stats, used, .. } = stored;
    let full = panels.n_simd - panels.n_simd % PANEL;
    let mut i_simd = 0;
    while i_simd < used {
        let data = panels.panel(i_simd).data;
        match if i_simd < full { PANEL } else { panels.n_simd - full } {
            PANEL => panel::<T, S, A, PANEL>(s, data, (i_simd, row_stats), block, rows, sums),
            4 => panel::<T, S, A, 4>(s, data, (i_simd, row_stats), block, rows, sums),
            2 => panel::<T, S, A, 2>(s, data, (i_simd, row_stats), block, rows, sums),
            _ => panel::<T, S, A, 1>(s, data, (i_simd, row_stats), block, rows, sums),
        }
        i_simd += PANEL;
    }
}

/// Every tile of a panel of `WIDTH` vectors that starts at `vector`: where registers are many, of eight rows by two
/// vectors, else of four by one.
#[inline(always)]
fn panel<T: Real, S: Processor + Simd<T>, A: Accumulator, const WIDTH: usize>(
    s: S,
    data: &[SimdVec<T>],
    (i_simd, row_stats): (usize, &SimdBuffer<T>),
    block: &PackedRows<T>,
    (first, to): (usize, usize),
    sums: &mut [SimdBuffer<T>],
) {
    let data = data.as_chunks::<WIDTH>().0;
    let (wide, many) = (S::TILE >= PANEL, if S::TILE >= PANEL { 8 } else { 4 });
    for at in (0..WIDTH).step_by(if wide { 2 } else { 1 }) {
        for row in (first / many * many..to).step_by(many) {
            let (group, lane) = (block.group(row), row % T::LANES);
            let start = (&row_stats.as_slice()[i_simd + at..], &block.row_stats.as_slice()[row / T::LANES]);
            let sums = &mut sums[row..row + many];
            if !wide {
                put(tile::<T, S, A, WIDTH, 4, 1>(s, (data, at), (group, lane), start), i_simd + at, sums);
            } else if WIDTH == 1 {
                put(tile::<T, S, A, WIDTH, 8, 1>(s, (data, at), (group, lane), start), i_simd + at, sums);
            } else {
                put(tile::<T, S, A, WIDTH, 8, 2>(s, (data, at), (group, lane), start), i_simd + at, sums);
            }
        }
    }
}

/// The finished sums of `BLOCK_ROWS` rows from a lane of their group on, with `W` SIMD vectors.
#[inline(always)]
fn tile<T: Real, S: Simd<T>, A: Accumulator, const WIDTH: usize, const BLOCK_ROWS: usize, const W: usize>(
    s: S,
    (data, first): (&[[SimdVec<T>; WIDTH]], usize),
    (group, lane): (&[SimdVec<T>], usize),
    (row_stats, stats_of_rows): (&[SimdVec<T>], &SimdVec<T>),
) -> [[V<T, S>; W]; BLOCK_ROWS] {
    let mut sums = [[V::zero(s); W]; BLOCK_ROWS];
    if A::USES_ROW_STATS {
        for (sums, &row_stat) in sums.iter_mut().zip(&stats_of_rows.values()[lane..]) {
            for (sum, row_stats) in sums.iter_mut().zip(row_stats) {
                *sum = V::splat(s, row_stat) + row_stats.load(s);
            }
        }
    }
    for (xs, data) in group.iter().zip(data) {
        let (Some(xs), Some(data)) =
            (xs.values()[lane..].first_chunk::<BLOCK_ROWS>(), data[first..].first_chunk::<W>())
        else {
            continue;
        };
        let mut vectors = [V::zero(s); W];
        for (i_simd, lanes) in vectors.iter_mut().zip(data) {
            *i_simd = lanes.load(s);
        }
        for (sums, &x) in sums.iter_mut().zip(xs) {
            let x = V::splat(s, x);
            for (sum, i_simd) in sums.iter_mut().zip(vectors) {
                *sum = A::step_dense(*sum, x, i_simd);
            }
        }
    }
    if A::USES_ROW_STATS {
        for sum in sums.as_flattened_mut() {
            *sum = A::clamp_at_zero(*sum);
        }
    }
    sums
}

#[inline(always)]
fn put<T: Real, S: Simd<T>, const BLOCK_ROWS: usize, const W: usize>(
    tile: [[V<T, S>; W]; BLOCK_ROWS],
    i_simd: usize,
    sums: &mut [SimdBuffer<T>],
) {
    for (sums, tile) in sums.iter_mut().zip(tile) {
        for (to, sum) in sums.as_mut_slice()[i_simd..].iter_mut().zip(tile) {
            to.store(sum);
        }
    }
}

/// The sums of one stored vector, one lane per row: two groups side by side hide each other's latency. No step depends
/// on which of its two numbers is the row's.
#[inline(always)]
fn column<T: Real, S: Simd<T>, A: Accumulator>(
    s: S,
    (x, row_stat): (&[T], T),
    block: &PackedRows<T>,
    first: usize,
    sums: &mut SimdBuffer<T>,
) {
    let pair = 2 * T::LANES;
    for row in (first / pair * pair..BLOCK_ROWS).step_by(pair) {
        let mut pair_of_sums = [V::zero(s); 2];
        if A::USES_ROW_STATS {
            for (sum, row_stats) in pair_of_sums.iter_mut().zip(&block.row_stats.as_slice()[row / T::LANES..])
            {
                *sum = row_stats.load(s) + V::splat(s, row_stat);
            }
        }
        let data = block.group(row).iter().zip(block.group(row + T::LANES));
        for (&x, (a, b)) in x.iter().zip(data) {
            let x = V::splat(s, x);
            pair_of_sums[0] = A::step_dense(pair_of_sums[0], x, a.load(s));
            pair_of_sums[1] = A::step_dense(pair_of_sums[1], x, b.load(s));
        }
        for (i, sum) in pair_of_sums.into_iter().enumerate() {
            sums.store(row / T::LANES + i, if A::USES_ROW_STATS { A::clamp_at_zero(sum) } else { sum });
        }
    }
}
