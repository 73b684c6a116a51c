//! Many rows against every stored vector: a tile of rows by vectors stays in registers, so that a number that is loaded
//! serves several rows. Each chain is that of a row alone, feature by feature: the same bits.

#[cfg(test)]
mod tests;

use super::At;
use super::accumulate::{AbsoluteDifference, Chain, ExpandedDifference, PANEL, Product, SquaredDifference};
use super::lanes::{Lanes, Line};
use super::rows::Stored;
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
pub(crate) struct Block<T: Real> {
    lines: Lanes<T>,
    /// Of each row, where the chains are such as start from norms.
    norms: Lanes<T>,
    features: usize,
    expands: bool,
}

impl<T: Real> Block<T> {
    /// Holds the rows from `first` on now, `features` numbers each, in the places from `first` on; where chains start
    /// from norms, as these take them.
    pub(crate) fn write(&mut self, first: usize, features: usize, rows: &[T], expands: bool) {
        self.features = features;
        self.expands = expands;
        self.lines.grow(ROWS / T::LANES * features);
        self.norms.grow(ROWS / T::LANES);
        for (row, x) in (first..).zip(rows.chunks_exact(features)) {
            let place = row / T::LANES * features * T::LANES + row % T::LANES;
            for (j, &x) in x.iter().enumerate() {
                self.lines.set(place + j * T::LANES, if expands { ExpandedDifference::weigh(x) } else { x });
            }
        }
        if expands {
            let groups = self.lines.lines().chunks_exact(features);
            for (group, norms) in groups.zip(self.norms.lines_mut()) {
                *norms = squares(group);
            }
        }
    }

    /// The group that a row is in.
    #[inline(always)]
    fn group(&self, row: usize) -> &[Line<T>] {
        &self.lines.lines()[row / T::LANES * self.features..][..self.features]
    }
}

/// The squared length of each row of a group of weighed numbers, `-2 x`: the same bits as of x.
#[inline]
fn squares<T: Real>(group: &[Line<T>]) -> Line<T> {
    let mut squares = Line::default();
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
        stored: Stored<'_, T>,
        block: &Block<T>,
        rows: (usize, usize),
        sums: &mut [Lanes<T>],
    );

    /// What the features of one vector, with its norm, add up to against each row of a block, from a row on.
    fn column(&self, kernel: AnyKernel, x: (&[T], T), block: &Block<T>, first: usize, sums: &mut Lanes<T>);
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

impl<T: Real, P: Processor + Simd<T>> Blocks<T> for At<P> {
    fn block(
        &self,
        kernel: AnyKernel,
        stored: Stored<'_, T>,
        block: &Block<T>,
        rows: (usize, usize),
        sums: &mut [Lanes<T>],
    ) {
        let s = self.0;
        s.run(
            #[inline(always)]
            || with_chain!(kernel, block, C => panels::<T, P, C>(s, stored, block, rows, sums)),
        );
    }

    fn column(&self, kernel: AnyKernel, x: (&[T], T), block: &Block<T>, first: usize, sums: &mut Lanes<T>) {
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
    stored: Stored<'_, T>,
    block: &Block<T>,
    rows: (usize, usize),
    sums: &mut [Lanes<T>],
) {
    let Stored { panels, norms, used, .. } = stored;
    let full = panels.vectors - panels.vectors % PANEL;
    let mut vector = 0;
    while vector < used {
        let lines = panels.panel(vector).lines;
        match if vector < full { PANEL } else { panels.vectors - full } {
            PANEL => panel::<T, S, C, PANEL>(s, lines, (vector, norms), block, rows, sums),
            4 => panel::<T, S, C, 4>(s, lines, (vector, norms), block, rows, sums),
            2 => panel::<T, S, C, 2>(s, lines, (vector, norms), block, rows, sums),
            _ => panel::<T, S, C, 1>(s, lines, (vector, norms), block, rows, sums),
        }
        vector += PANEL;
    }
}

/// Every tile of a panel of `WIDTH` vectors that starts at `vector`: where registers are many, of eight rows by two
/// vectors, else of four by one.
#[inline(always)]
fn panel<T: Real, S: Processor + Simd<T>, C: Chain, const WIDTH: usize>(
    s: S,
    lines: &[Line<T>],
    (vector, norms): (usize, &Lanes<T>),
    block: &Block<T>,
    (first, to): (usize, usize),
    sums: &mut [Lanes<T>],
) {
    let lines = lines.as_chunks::<WIDTH>().0;
    let (wide, many) = (S::TILE >= PANEL, if S::TILE >= PANEL { 8 } else { 4 });
    for at in (0..WIDTH).step_by(if wide { 2 } else { 1 }) {
        for row in (first / many * many..to).step_by(many) {
            let (group, lane) = (block.group(row), row % T::LANES);
            let start = (&norms.lines()[vector + at..], &block.norms.lines()[row / T::LANES]);
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
    (lines, first): (&[[Line<T>; WIDTH]], usize),
    (group, lane): (&[Line<T>], usize),
    (norms, norms_of_rows): (&[Line<T>], &Line<T>),
) -> [[V<T, S>; W]; ROWS] {
    let mut sums = [[V::zero(s); W]; ROWS];
    if C::EXPANDS {
        for (sums, &norm) in sums.iter_mut().zip(&norms_of_rows.numbers()[lane..]) {
            for (sum, norms) in sums.iter_mut().zip(norms) {
                *sum = V::splat(s, norm) + norms.load(s);
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
    sums: &mut [Lanes<T>],
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
    (x, norm): (&[T], T),
    block: &Block<T>,
    first: usize,
    sums: &mut Lanes<T>,
) {
    let pair = 2 * T::LANES;
    for row in (first / pair * pair..ROWS).step_by(pair) {
        let mut chains = [V::zero(s); 2];
        if C::EXPANDS {
            for (chain, norms) in chains.iter_mut().zip(&block.norms.lines()[row / T::LANES..]) {
                *chain = norms.load(s) + V::splat(s, norm);
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
