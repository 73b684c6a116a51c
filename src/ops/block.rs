//! Many rows against every stored vector: a tile of rows by vectors stays in registers, so that a number that is loaded
//! serves several rows. Each chain is that of a row alone, feature by feature: the same bits.

#[cfg(test)]
mod tests;

use super::SimdImpl;
use super::accumulate::{AbsoluteDifference, Chain, ExpandedDifference, PANEL, Product, SquaredDifference};
use super::lanes::{SimdBuffer, SimdVec};
use super::rows::SupportView;
use super::simd::{Processor, Simd, V};
use crate::float::Real;
use crate::kernel::{Accumulation, AnyKernel};

/// Rows to the block.
pub(crate) const ROWS: usize = 32;

/// Whether row number `t`, the first being 1, is the first of a block. Blocks end at multiples of their length,
/// whatever the batches, so that what is looked at once to the block is looked at before the same rows.
#[inline(always)]
pub(crate) fn starts_block(t: u64) -> bool {
    (t - 1).is_multiple_of(ROWS as u64)
}

/// Rows of as many lanes as a vector has, feature by feature, a lane to the row; group after group.
#[derive(Debug, Clone, Default)]
pub(crate) struct PackedRows<T: Real> {
    lines: SimdBuffer<T>,
    /// Of each row, where the chains are such as start from row_stats.
    row_stats: SimdBuffer<T>,
    features: usize,
    expands: bool,
}

impl<T: Real> PackedRows<T> {
    /// Holds the rows from `first` on now, `features` numbers each, in the places from `first` on; where chains start
    /// from row_stats, as these take them.
    pub(crate) fn write(&mut self, first: usize, features: usize, rows: &[T], expands: bool) {
        self.features = features;
        self.expands = expands;
        self.lines.grow(ROWS / T::LANES * features);
        self.row_stats.grow(ROWS / T::LANES);
        for (row, x) in (first..).zip(rows.chunks_exact(features)) {
            let place = row / T::LANES * features * T::LANES + row % T::LANES;
            for (j, &x) in x.iter().enumerate() {
                self.lines.set(place + j * T::LANES, if expands { ExpandedDifference::weigh(x) } else { x });
            }
        }
        if expands {
            let groups = self.lines.lines().chunks_exact(features);
            for (group, row_stats) in groups.zip(self.row_stats.lines_mut()) {
                *row_stats = squares(group);
            }
        }
    }

    /// The group that a row is in.
    #[inline(always)]
    fn group(&self, row: usize) -> &[SimdVec<T>] {
        &self.lines.lines()[row / T::LANES * self.features..][..self.features]
    }
}

/// The squared length of each row of a group of weighed numbers, `-2 x`: the same bits as of x.
#[inline]
fn squares<T: Real>(group: &[SimdVec<T>]) -> SimdVec<T> {
    let mut squares = SimdVec::default();
    for line in group {
        for (square, &x) in squares.numbers_mut().iter_mut().zip(line.numbers()) {
            *square += x * x;
        }
    }
    squares.numbers_mut().iter_mut().for_each(|square| *square *= T::from_f64(0.25));
    squares
}

/// Sums over the features for many rows.
pub(crate) trait Blocks<T: Real> {
    /// What the features of the rows `first..to` of a block add up to against every vector in use, row by row in
    /// `sums`. What `sums` has for other rows is lost.
    fn block(
        &self,
        kernel: AnyKernel,
        stored: SupportView<'_, T>,
        block: &PackedRows<T>,
        rows: (usize, usize),
        sums: &mut [SimdBuffer<T>],
    );

    /// What the features of one vector, with its row_stat, add up to against each row of a block, from a row on.
    fn column(
        &self,
        kernel: AnyKernel,
        x: (&[T], T),
        block: &PackedRows<T>,
        first: usize,
        sums: &mut SimdBuffer<T>,
    );
}

/// The chains of an accumulation, chosen once for a whole call.
macro_rules! with_chain {
    ($kernel:expr, $block:expr, $chain:ident => $call:expr) => {
        match $kernel.accumulation() {
            Accumulation::SquaredDifference if $block.expands => {
                type $chain = ExpandedDifference;
                $call
            }
            Accumulation::SquaredDifference => {
                type $chain = SquaredDifference;
                $call
            }
            Accumulation::AbsoluteDifference => {
                type $chain = AbsoluteDifference;
                $call
            }
            Accumulation::Product => {
                type $chain = Product;
                $call
            }
        }
    };
}

impl<T: Real, P: Processor + Simd<T>> Blocks<T> for SimdImpl<P> {
    fn block(
        &self,
        kernel: AnyKernel,
        stored: SupportView<'_, T>,
        block: &PackedRows<T>,
        rows: (usize, usize),
        sums: &mut [SimdBuffer<T>],
    ) {
        let s = self.0;
        s.run(
            #[inline(always)]
            || with_chain!(kernel, block, C => panels::<T, P, C>(s, stored, block, rows, sums)),
        );
    }

    fn column(
        &self,
        kernel: AnyKernel,
        x: (&[T], T),
        block: &PackedRows<T>,
        first: usize,
        sums: &mut SimdBuffer<T>,
    ) {
        let s = self.0;
        s.run(
            #[inline(always)]
            || with_chain!(kernel, block, C => column::<T, P, C>(s, x, block, first, sums)),
        );
    }
}

/// Every tile, a panel after the other.
#[inline(always)]
fn panels<T: Real, S: Processor + Simd<T>, C: Chain>(
    s: S,
    stored: SupportView<'_, T>,
    block: &PackedRows<T>,
    rows: (usize, usize),
    sums: &mut [SimdBuffer<T>],
) {
    let SupportView { panels, row_stats, used, .. } = stored;
    let full = panels.vectors - panels.vectors % PANEL;
    let mut vector = 0;
    while vector < used {
        let lines = panels.panel(vector).lines;
        match if vector < full { PANEL } else { panels.vectors - full } {
            PANEL => panel::<T, S, C, PANEL>(s, lines, (vector, row_stats), block, rows, sums),
            4 => panel::<T, S, C, 4>(s, lines, (vector, row_stats), block, rows, sums),
            2 => panel::<T, S, C, 2>(s, lines, (vector, row_stats), block, rows, sums),
            _ => panel::<T, S, C, 1>(s, lines, (vector, row_stats), block, rows, sums),
        }
        vector += PANEL;
    }
}

/// Every tile of a panel of `WIDTH` vectors that starts at `vector`: where registers are many, of eight rows by two
/// vectors, else of four by one.
#[inline(always)]
fn panel<T: Real, S: Processor + Simd<T>, C: Chain, const WIDTH: usize>(
    s: S,
    lines: &[SimdVec<T>],
    (vector, row_stats): (usize, &SimdBuffer<T>),
    block: &PackedRows<T>,
    (first, to): (usize, usize),
    sums: &mut [SimdBuffer<T>],
) {
    let lines = lines.as_chunks::<WIDTH>().0;
    let (wide, many) = (S::TILE >= PANEL, if S::TILE >= PANEL { 8 } else { 4 });
    for at in (0..WIDTH).step_by(if wide { 2 } else { 1 }) {
        for row in (first / many * many..to).step_by(many) {
            let (group, lane) = (block.group(row), row % T::LANES);
            let start = (&row_stats.lines()[vector + at..], &block.row_stats.lines()[row / T::LANES]);
            let sums = &mut sums[row..row + many];
            if !wide {
                put(tile::<T, S, C, WIDTH, 4, 1>(s, (lines, at), (group, lane), start), vector + at, sums);
            } else if WIDTH == 1 {
                put(tile::<T, S, C, WIDTH, 8, 1>(s, (lines, at), (group, lane), start), vector + at, sums);
            } else {
                put(tile::<T, S, C, WIDTH, 8, 2>(s, (lines, at), (group, lane), start), vector + at, sums);
            }
        }
    }
}

/// The finished chains of `ROWS` rows from a lane of their group on, against `W` vectors.
#[inline(always)]
fn tile<T: Real, S: Simd<T>, C: Chain, const WIDTH: usize, const ROWS: usize, const W: usize>(
    s: S,
    (lines, first): (&[[SimdVec<T>; WIDTH]], usize),
    (group, lane): (&[SimdVec<T>], usize),
    (row_stats, norms_of_rows): (&[SimdVec<T>], &SimdVec<T>),
) -> [[V<T, S>; W]; ROWS] {
    let mut sums = [[V::zero(s); W]; ROWS];
    if C::EXPANDS {
        for (sums, &row_stat) in sums.iter_mut().zip(&norms_of_rows.numbers()[lane..]) {
            for (sum, row_stats) in sums.iter_mut().zip(row_stats) {
                *sum = V::splat(s, row_stat) + row_stats.load(s);
            }
        }
    }
    for (xs, lines) in group.iter().zip(lines) {
        let (Some(xs), Some(lines)) =
            (xs.numbers()[lane..].first_chunk::<ROWS>(), lines[first..].first_chunk::<W>())
        else {
            continue;
        };
        let mut vectors = [V::zero(s); W];
        for (vector, line) in vectors.iter_mut().zip(lines) {
            *vector = line.load(s);
        }
        for (sums, &x) in sums.iter_mut().zip(xs) {
            let x = V::splat(s, x);
            for (sum, vector) in sums.iter_mut().zip(vectors) {
                *sum = C::dense(*sum, x, vector);
            }
        }
    }
    if C::EXPANDS {
        for sum in sums.as_flattened_mut() {
            *sum = C::mend(*sum);
        }
    }
    sums
}

#[inline(always)]
fn put<T: Real, S: Simd<T>, const ROWS: usize, const W: usize>(
    tile: [[V<T, S>; W]; ROWS],
    vector: usize,
    sums: &mut [SimdBuffer<T>],
) {
    for (sums, tile) in sums.iter_mut().zip(tile) {
        for (to, sum) in sums.lines_mut()[vector..].iter_mut().zip(tile) {
            to.store(sum);
        }
    }
}

/// The chains of one vector, a lane to the row: two groups side by side hide each other's latency. No operation of a
/// chain minds which of the two numbers is the row's.
#[inline(always)]
fn column<T: Real, S: Simd<T>, C: Chain>(
    s: S,
    (x, row_stat): (&[T], T),
    block: &PackedRows<T>,
    first: usize,
    sums: &mut SimdBuffer<T>,
) {
    let pair = 2 * T::LANES;
    for row in (first / pair * pair..ROWS).step_by(pair) {
        let mut chains = [V::zero(s); 2];
        if C::EXPANDS {
            for (chain, row_stats) in chains.iter_mut().zip(&block.row_stats.lines()[row / T::LANES..]) {
                *chain = row_stats.load(s) + V::splat(s, row_stat);
            }
        }
        let lines = block.group(row).iter().zip(block.group(row + T::LANES));
        for (&x, (a, b)) in x.iter().zip(lines) {
            let x = V::splat(s, x);
            chains[0] = C::dense(chains[0], x, a.load(s));
            chains[1] = C::dense(chains[1], x, b.load(s));
        }
        for (i, chain) in chains.into_iter().enumerate() {
            sums.store(row / T::LANES + i, if C::EXPANDS { C::mend(chain) } else { chain });
        }
    }
}
