//! The inner loops: one row against every stored vector, one accumulation chain to the vector.
//!
//! A panel is feature-major: `[feature][width]` vectors of lanes, a lane being a stored vector. The chain of a lane
//! visits the features in order whatever the tile, so that the tile never changes the bits.

use super::lanes::SimdVec;
use super::simd::{Processor, Simd, V};
use crate::float::{Real, Vector};
use crate::kernel::Accumulation;
use crate::row::Row;
use std::marker::PhantomData;

/// Vectors per panel row: 512 bytes.
pub(crate) const PANEL: usize = 8;

/// SupportView vectors, feature-major in panels `[panel][feature][8 vectors of lanes]`, the last panel narrower: 1, 2, 4 or
/// 8 vectors. SimdBuffer that hold no vector are zero.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PanelView<'a, T: Real> {
    pub(crate) lines: &'a [SimdVec<T>],
    pub(crate) features: usize,
    /// Vectors of lanes to a feature, over all panels.
    pub(crate) vectors: usize,
}

impl<'a, T: Real> PanelView<'a, T> {
    /// The panel that starts at a vector of lanes.
    #[inline(always)]
    pub(super) fn panel(&self, vector: usize) -> Panel<'a, T> {
        let width = PANEL.min(self.vectors - vector);
        let from = vector * self.features;
        Panel { lines: &self.lines[from..from + width * self.features], width }
    }
}

/// A panel, `width` vectors to the feature.
#[derive(Clone, Copy)]
pub(super) struct Panel<'a, T: Real> {
    pub(super) lines: &'a [SimdVec<T>],
    pub(super) width: usize,
}

/// The links of an accumulation chain.
pub(super) trait Chain {
    /// The next link: one feature of the row and of stored vectors.
    fn dense<T: Real, V: Vector<T>>(sum: V, x: V, v: V) -> V;
    /// The next link for a non-zero feature of a sparse row, on top of [`Chain::rest`].
    fn sparse<T: Real, V: Vector<T>>(sum: V, x: V, v: V) -> V;
    /// What an all-zero row accumulates against stored vectors of these row_stats.
    fn rest<T: Real, V: Vector<T>>(row_stats: V) -> V;
    /// Mends what rounding of the sparse path may have broken (a negative distance).
    fn mend<T: Real, V: Vector<T>>(sum: V) -> V;
    /// Whether a dense row too is accumulated on top of row_stats, its own and those of the stored vectors, and mended.
    const EXPANDS: bool = false;
    /// A number of the row as the links of such a chain take it.
    #[inline(always)]
    fn weigh<T: Real>(x: T) -> T {
        x
    }
}

pub(super) struct SquaredDifference;
/// `|x - v|^2` as `|x|^2 + |v|^2 - 2 x.v`: one operation to the link instead of two. For clipped rows; far from the
/// origin digits would be lost.
pub(super) struct ExpandedDifference;
pub(super) struct AbsoluteDifference;
pub(super) struct Product;

impl Chain for SquaredDifference {
    #[inline(always)]
    fn dense<T: Real, V: Vector<T>>(sum: V, x: V, v: V) -> V {
        let difference = x - v;
        difference.mul_add(difference, sum)
    }
    #[inline(always)]
    fn sparse<T: Real, V: Vector<T>>(sum: V, x: V, v: V) -> V {
        x.mul_add(x - (v + v), sum)
    }
    #[inline(always)]
    fn rest<T: Real, V: Vector<T>>(row_stats: V) -> V {
        row_stats
    }
    #[inline(always)]
    fn mend<T: Real, V: Vector<T>>(sum: V) -> V {
        sum.max(sum.all(T::ZERO))
    }
}

impl Chain for ExpandedDifference {
    #[inline(always)]
    fn dense<T: Real, V: Vector<T>>(sum: V, x: V, v: V) -> V {
        x.mul_add(v, sum)
    }
    #[inline(always)]
    fn sparse<T: Real, V: Vector<T>>(sum: V, x: V, v: V) -> V {
        SquaredDifference::sparse(sum, x, v)
    }
    #[inline(always)]
    fn rest<T: Real, V: Vector<T>>(row_stats: V) -> V {
        SquaredDifference::rest(row_stats)
    }
    #[inline(always)]
    fn mend<T: Real, V: Vector<T>>(sum: V) -> V {
        SquaredDifference::mend(sum)
    }
    const EXPANDS: bool = true;
    #[inline(always)]
    fn weigh<T: Real>(x: T) -> T {
        -(x + x)
    }
}

impl Chain for AbsoluteDifference {
    #[inline(always)]
    fn dense<T: Real, V: Vector<T>>(sum: V, x: V, v: V) -> V {
        sum + (x - v).abs()
    }
    #[inline(always)]
    fn sparse<T: Real, V: Vector<T>>(sum: V, x: V, v: V) -> V {
        sum + ((x - v).abs() - v.abs())
    }
    #[inline(always)]
    fn rest<T: Real, V: Vector<T>>(row_stats: V) -> V {
        row_stats
    }
    #[inline(always)]
    fn mend<T: Real, V: Vector<T>>(sum: V) -> V {
        sum.max(sum.all(T::ZERO))
    }
}

impl Chain for Product {
    #[inline(always)]
    fn dense<T: Real, V: Vector<T>>(sum: V, x: V, v: V) -> V {
        x.mul_add(v, sum)
    }
    #[inline(always)]
    fn sparse<T: Real, V: Vector<T>>(sum: V, x: V, v: V) -> V {
        x.mul_add(v, sum)
    }
    #[inline(always)]
    fn rest<T: Real, V: Vector<T>>(row_stats: V) -> V {
        row_stats.all(T::ZERO)
    }
    #[inline(always)]
    fn mend<T: Real, V: Vector<T>>(sum: V) -> V {
        sum
    }
}

/// A row whose chains are computed a tile of vectors at a time.
trait Source<T: Real, S: Simd<T>> {
    /// The finished chains of the `W` vectors of lanes from `first` on, in a panel of `WIDTH` that starts at `vector`.
    fn tile<const WIDTH: usize, const W: usize>(
        &self,
        lines: &[[SimdVec<T>; WIDTH]],
        first: usize,
        vector: usize,
    ) -> [V<T, S>; W];
}

struct Dense<'a, T: Real, S, C> {
    s: S,
    x: &'a [T],
    /// Its row_stat, where the chain is one from row_stats.
    row_stat: T,
    row_stats: &'a [SimdVec<T>],
    chain: PhantomData<C>,
}

struct Sparse<'a, T: Real, S, C> {
    s: S,
    indices: &'a [u32],
    values: &'a [T],
    row_stats: &'a [SimdVec<T>],
    chain: PhantomData<C>,
}

impl<T: Real, S: Simd<T>, C: Chain> Source<T, S> for Dense<'_, T, S, C> {
    #[inline(always)]
    fn tile<const WIDTH: usize, const W: usize>(
        &self,
        lines: &[[SimdVec<T>; WIDTH]],
        first: usize,
        vector: usize,
    ) -> [V<T, S>; W] {
        let mut sums = [V::zero(self.s); W];
        if C::EXPANDS {
            let row_stat = V::splat(self.s, self.row_stat);
            for (sum, row_stats) in sums.iter_mut().zip(&self.row_stats[vector + first..][..W]) {
                *sum = row_stat + row_stats.load(self.s);
            }
        }
        for (&x, lines) in self.x.iter().zip(lines) {
            if let Some(lines) = lines[first..].first_chunk::<W>() {
                step(
                    self.s,
                    C::weigh(x),
                    lines,
                    &mut sums,
                    #[inline(always)]
                    |sum, x, v| C::dense(sum, x, v),
                );
            }
        }
        if C::EXPANDS {
            for sum in &mut sums {
                *sum = C::mend(*sum);
            }
        }
        sums
    }
}

impl<T: Real, S: Simd<T>, C: Chain> Source<T, S> for Sparse<'_, T, S, C> {
    #[inline(always)]
    fn tile<const WIDTH: usize, const W: usize>(
        &self,
        lines: &[[SimdVec<T>; WIDTH]],
        first: usize,
        vector: usize,
    ) -> [V<T, S>; W] {
        let mut sums = [V::zero(self.s); W];
        for (sum, row_stats) in sums.iter_mut().zip(&self.row_stats[vector + first..][..W]) {
            *sum = C::rest(row_stats.load(self.s));
        }
        for (&j, &x) in self.indices.iter().zip(self.values) {
            if let Some(lines) = lines[j as usize][first..].first_chunk::<W>() {
                step(
                    self.s,
                    x,
                    lines,
                    &mut sums,
                    #[inline(always)]
                    |sum, x, v| C::sparse(sum, x, v),
                );
            }
        }
        for sum in &mut sums {
            *sum = C::mend(*sum);
        }
        sums
    }
}

#[inline(always)]
fn step<T: Real, S: Simd<T>, const W: usize>(
    s: S,
    x: T,
    lines: &[SimdVec<T>; W],
    sums: &mut [V<T, S>; W],
    link: impl Fn(V<T, S>, V<T, S>, V<T, S>) -> V<T, S>,
) {
    let x = V::splat(s, x);
    for (sum, line) in sums.iter_mut().zip(lines) {
        *sum = link(*sum, x, line.load(s));
    }
}

/// Every tile of the panels that hold the first `used` vectors of lanes.
#[inline(always)]
fn tiles<T: Real, S: Processor + Simd<T>>(
    panels: PanelView<'_, T>,
    used: usize,
    sums: &mut [SimdVec<T>],
    row: &impl Source<T, S>,
) {
    let full = panels.vectors - panels.vectors % PANEL;
    for vector in (0..used.min(full)).step_by(PANEL) {
        panel_tiles::<T, S, PANEL>(panels, vector, sums, row);
    }
    if used > full {
        match panels.vectors - full {
            4 => panel_tiles::<T, S, 4>(panels, full, sums, row),
            2 => panel_tiles::<T, S, 2>(panels, full, sums, row),
            _ => panel_tiles::<T, S, 1>(panels, full, sums, row),
        }
    }
}

/// Every tile of the panel of `WIDTH` that starts at `vector`: as wide as the processor's registers hold, or the panel.
#[inline(always)]
fn panel_tiles<T: Real, S: Processor + Simd<T>, const WIDTH: usize>(
    panels: PanelView<'_, T>,
    vector: usize,
    sums: &mut [SimdVec<T>],
    row: &impl Source<T, S>,
) {
    let from = vector * panels.features;
    let lines = panels.lines[from..from + WIDTH * panels.features].as_chunks::<WIDTH>().0;
    let sums = &mut sums[vector..];
    if S::TILE >= WIDTH {
        return put(row.tile::<WIDTH, WIDTH>(lines, 0, vector), sums);
    }
    for first in (0..WIDTH).step_by(S::TILE) {
        let to = &mut sums[first..];
        if S::TILE == 4 {
            put(row.tile::<WIDTH, 4>(lines, first, vector), to);
        } else {
            put(row.tile::<WIDTH, 2>(lines, first, vector), to);
        }
    }
}

#[inline(always)]
fn put<T: Real, S: Simd<T>, const W: usize>(sums: [V<T, S>; W], to: &mut [SimdVec<T>]) {
    for (to, sum) in to[..W].iter_mut().zip(sums) {
        to.store(sum);
    }
}

/// Accumulates a row against the panels that hold the first `used` vectors of lanes, into `sums`.
#[inline(always)]
pub(super) fn accumulate<T: Real, S: Processor + Simd<T>, C: Chain>(
    s: S,
    panels: PanelView<'_, T>,
    x: Row<'_, T>,
    row_stats: &[SimdVec<T>],
    used: usize,
    sums: &mut [SimdVec<T>],
) {
    let chain = PhantomData::<C>;
    match x {
        Row::Dense(x) => {
            let row_stat =
                if C::EXPANDS { Accumulation::SquaredDifference.row_stat(Row::Dense(x)) } else { T::ZERO };
            tiles(panels, used, sums, &Dense { s, x, row_stat, row_stats, chain });
        }
        Row::Sparse(indices, values) => {
            tiles(panels, used, sums, &Sparse { s, indices, values, row_stats, chain });
        }
    }
}
