//! Many rows against every stored vector: a tile of rows by vectors stays in registers, so that a number that is loaded
//! serves several rows. Each chain is that of a row alone, feature by feature: the same bits.

use super::At;
use super::accumulate::{AbsoluteDifference, Chain, ExpandedDifference, PANEL, Product, SquaredDifference};
use super::lanes::{Lanes, Line};
use super::rows::Stored;
use super::simd::{Processor, Simd, V};
use crate::float::Real;
use crate::kernel::{Accumulation, AnyKernel};

/// Rows to the block.
pub(crate) const ROWS: usize = 32;

/// Rows to the tile, at most: the least share of a block that one thread takes.
pub(crate) const TILE: usize = 8;

/// Whether row number `t`, the first being 1, is the first of a block. Blocks end at multiples of their length, whatever
/// the batches, so that what is looked at once to the block is looked at before the same rows.
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
    /// What the features of the rows `first..to` of a block add up to against every vector in use, row by row in `sums`,
    /// from the row on with which the tile of `first` begins. What `sums` has for other rows is lost.
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

/// Every tile of a panel of `WIDTH` vectors that starts at `vector`: where registers are many, of eight rows by two vectors,
/// else of four by one.
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
    let (wide, many) = (S::TILE >= PANEL, if S::TILE >= PANEL { TILE } else { TILE / 2 });
    for at in (0..WIDTH).step_by(if wide { 2 } else { 1 }) {
        for row in (first / many * many..to).step_by(many) {
            let (group, lane) = (block.group(row), row % T::LANES);
            let start = (&norms.lines()[vector + at..], &block.norms.lines()[row / T::LANES]);
            let sums = &mut sums[row - first / TILE * TILE..][..many];
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

/// The chains of one vector, a lane to the row: two groups side by side hide each other's latency. No operation of a chain
/// minds which of the two numbers is the row's.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Laplacian, Linear, Rbf};
    use crate::ops::{Ops, all_levels};
    use crate::panels::Panels;
    use crate::rng::Rng;
    use crate::row::Row;
    use crate::slot::Slot;

    /// Of blocks of any rows, and of one vector that has changed, the sums are those of each row alone.
    fn sums_are_those_of_rows<T: Real>() {
        let mut rng = Rng::new(8);
        let kernels = [
            AnyKernel::Rbf(Rbf { gamma: 0.3 }),
            AnyKernel::Laplacian(Laplacian { gamma: 0.2 }),
            AnyKernel::Linear(Linear),
        ];
        for (slots, features) in [(1, 1), (20, 3), (70, 17), (128, 5), (130, 2), (300, 40)] {
            let mut panels = Panels::new(Some(slots), features);
            while panels.vectors() * T::LANES < slots {
                panels.grow();
            }
            let mut row = |n: usize| -> Vec<T> { (0..n).map(|_| T::from_f64(rng.normal())).collect() };
            for slot in 0..slots {
                panels.write(Slot(slot as u32), row(features).into_iter());
            }
            let used = slots.div_ceil(T::LANES);
            let rows = row(ROWS * features);
            let changed = row(features);
            for (level, kernel, (first, to)) in all_levels().into_iter().flat_map(|level| {
                let ranges = [(0, ROWS), (0, 1), (3, 30), (31, 32), (9, 17)];
                kernels.iter().flat_map(move |kernel| ranges.map(|range| (level, *kernel, range)))
            }) {
                // Both ways to compute a squared distance.
                let is_centred = first % 2 == 1;
                let expands = is_centred && kernel.accumulation() == Accumulation::SquaredDifference;
                let square = |x: &[T]| Accumulation::SquaredDifference.norm(Row::Dense(x));
                let mut norms = Lanes::zeros(panels.vectors());
                let mut x = vec![T::ZERO; features];
                for slot in 0..slots {
                    panels.read(Slot(slot as u32), &mut x);
                    norms.set(slot, square(&x));
                }
                let ops: Ops<T> = Ops::at(level);
                let alone = |panels: &Panels<T>, norms: &Lanes<T>, row: usize| {
                    let x = Row::Dense(&rows[row * features..(row + 1) * features]);
                    let mut k = Lanes::zeros(panels.vectors());
                    ops.row(
                        kernel,
                        Stored { panels: panels.view(), norms, used, is_centred },
                        (x, T::ZERO),
                        &mut k,
                    );
                    k
                };
                let mut block = Block::default();
                block.write(first, features, &rows[first * features..to * features], expands);
                let mut sums = vec![Lanes::zeros(panels.vectors()); ROWS];
                let finish = |panels: &Panels<T>, norms: &Lanes<T>, sums: &Lanes<T>| {
                    let (stored, mut k) =
                        (Stored { panels: panels.view(), norms, used, is_centred }, sums.clone());
                    ops.finish(
                        kernel,
                        stored,
                        crate::ops::Coefficients { lines: &[], outputs: 0 },
                        T::ZERO,
                        &mut k,
                        &mut [],
                    );
                    k
                };
                let mut panels = panels.clone();
                ops.block(
                    kernel,
                    Stored { panels: panels.view(), norms: &norms, used, is_centred },
                    &block,
                    (first, to),
                    &mut sums[first / TILE * TILE..],
                );
                for (row, sums) in sums.iter().enumerate().take(to).skip(first) {
                    assert_eq!(
                        finish(&panels, &norms, sums),
                        alone(&panels, &norms, row),
                        "{level:?} {kernel:?} {slots} {row}"
                    );
                }
                let slot = slots / 2;
                panels.write(Slot(slot as u32), changed.iter().copied());
                norms.set(slot, square(&changed));
                let mut column = Lanes::zeros(ROWS / T::LANES);
                ops.column(kernel, (&changed, square(&changed)), &block, first, &mut column);
                for (row, sums) in sums.iter_mut().enumerate().take(to).skip(first) {
                    sums.set(slot, column.get(row));
                    assert_eq!(
                        finish(&panels, &norms, sums),
                        alone(&panels, &norms, row),
                        "{level:?} {kernel:?} {slots} {row}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_block_has_the_bits_of_its_rows() {
        sums_are_those_of_rows::<f32>();
        sums_are_those_of_rows::<f64>();
    }
}
