//! The inner loops: one row against every stored vector, one running sum per vector.
//!
//! A panel is feature-major: `[feature][width]` vectors of lanes, a lane being a stored vector. A running sum
//! adds the features in order whatever the tile, so that the tile never changes the bits.

use super::buffer::SimdVec;
use super::simd::{Processor, Simd, V};
use crate::batch::Row;
use crate::float::{Real, Vector};
use crate::kernel::Accumulation;
use std::marker::PhantomData;

/// Vectors per panel row: 512 bytes.
pub(crate) const PANEL: usize = 8;

/// Stored vectors as `PanelStorage` lays them out; each panel has room for `room` features.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PanelView<'a, T: Real> {
    pub(crate) data: &'a [SimdVec<T>],
    pub(crate) features: usize,
    pub(crate) room: usize,
    /// Vectors of lanes to a feature, over all panels.
    pub(crate) n_simd: usize,
}

impl<'a, T: Real> PanelView<'a, T> {
    /// The panel that starts at a vector of lanes.
    #[inline(always)]
    pub(crate) fn panel(&self, i_simd: usize) -> Panel<'a, T> {
        let width = PANEL.min(self.n_simd - i_simd);
        let from = i_simd * self.room;
        Panel { data: &self.data[from..from + width * self.features], width }
    }
}

/// A panel, `width` vectors to the feature.
#[derive(Clone, Copy)]
pub(crate) struct Panel<'a, T: Real> {
    pub(crate) data: &'a [SimdVec<T>],
    pub(super) width: usize,
}

/// The steps of a running sum.
pub(super) trait Accumulator {
    /// Adds one feature of the row and of stored vectors.
    fn step_dense<T: Real, V: Vector<T>>(sum: V, x: V, v: V) -> V;
    /// Adds a non-zero feature of a sparse row, on top of [`Accumulator::init_from_stats`].
    fn step_sparse<T: Real, V: Vector<T>>(sum: V, x: V, v: V) -> V;
    /// The sums of an all-zero row with stored vectors that have these row statistics.
    fn init_from_stats<T: Real, V: Vector<T>>(row_stats: V) -> V;
    /// Replaces a negative distance, which rounding on the sparse path can cause, by zero.
    fn clamp_at_zero<T: Real, V: Vector<T>>(sum: V) -> V;
    /// True if sums of dense rows, too, start from the row statistics of the row and of the stored vectors, and end in
    /// [`Accumulator::clamp_at_zero`].
    const USES_ROW_STATS: bool = false;
    /// A value of the row as [`Accumulator::step_dense`] reads it.
    #[inline(always)]
    fn encode<T: Real>(x: T) -> T {
        x
    }
}

pub(super) struct SquaredDifference;
/// `|x - v|^2` as `|x|^2 + |v|^2 - 2 x.v`: one operation per step instead of two. For clipped rows; far from the
/// origin digits would be lost.
pub(super) struct ExpandedSquare;
pub(super) struct AbsoluteDifference;
pub(super) struct Product;

impl Accumulator for SquaredDifference {
    #[inline(always)]
    fn step_dense<T: Real, V: Vector<T>>(sum: V, x: V, v: V) -> V {
        let difference = x - v;
        difference.mul_add(difference, sum)
    }
    #[inline(always)]
    fn step_sparse<T: Real, V: Vector<T>>(sum: V, x: V, v: V) -> V {
        x.mul_add(x - (v + v), sum)
    }
    #[inline(always)]
    fn init_from_stats<T: Real, V: Vector<T>>(row_stats: V) -> V {
        row_stats
    }
    #[inline(always)]
    fn clamp_at_zero<T: Real, V: Vector<T>>(sum: V) -> V {
        sum.max(sum.broadcast(T::ZERO))
    }
}

impl Accumulator for ExpandedSquare {
    #[inline(always)]
    fn step_dense<T: Real, V: Vector<T>>(sum: V, x: V, v: V) -> V {
        x.mul_add(v, sum)
    }
    #[inline(always)]
    fn step_sparse<T: Real, V: Vector<T>>(sum: V, x: V, v: V) -> V {
        SquaredDifference::step_sparse(sum, x, v)
    }
    #[inline(always)]
    fn init_from_stats<T: Real, V: Vector<T>>(row_stats: V) -> V {
        SquaredDifference::init_from_stats(row_stats)
    }
    #[inline(always)]
    fn clamp_at_zero<T: Real, V: Vector<T>>(sum: V) -> V {
        SquaredDifference::clamp_at_zero(sum)
    }
    const USES_ROW_STATS: bool = true;
    #[inline(always)]
    fn encode<T: Real>(x: T) -> T {
        -(x + x)
    }
}

impl Accumulator for AbsoluteDifference {
    #[inline(always)]
    fn step_dense<T: Real, V: Vector<T>>(sum: V, x: V, v: V) -> V {
        sum + (x - v).abs()
    }
    #[inline(always)]
    fn step_sparse<T: Real, V: Vector<T>>(sum: V, x: V, v: V) -> V {
        sum + ((x - v).abs() - v.abs())
    }
    #[inline(always)]
    fn init_from_stats<T: Real, V: Vector<T>>(row_stats: V) -> V {
        row_stats
    }
    #[inline(always)]
    fn clamp_at_zero<T: Real, V: Vector<T>>(sum: V) -> V {
        sum.max(sum.broadcast(T::ZERO))
    }
}

impl Accumulator for Product {
    #[inline(always)]
    fn step_dense<T: Real, V: Vector<T>>(sum: V, x: V, v: V) -> V {
        x.mul_add(v, sum)
    }
    #[inline(always)]
    fn step_sparse<T: Real, V: Vector<T>>(sum: V, x: V, v: V) -> V {
        x.mul_add(v, sum)
    }
    #[inline(always)]
    fn init_from_stats<T: Real, V: Vector<T>>(row_stats: V) -> V {
        row_stats.broadcast(T::ZERO)
    }
    #[inline(always)]
    fn clamp_at_zero<T: Real, V: Vector<T>>(sum: V) -> V {
        sum
    }
}

/// A row whose sums are computed for a tile of SIMD vectors at a time.
pub(super) trait TiledRow<T: Real, S: Simd<T>> {
    /// The finished sums of the `W` SIMD vectors from `first` on, in a panel of `WIDTH` that starts at `i_simd`.
    fn tile<const WIDTH: usize, const W: usize>(
        &self,
        data: &[[SimdVec<T>; WIDTH]],
        first: usize,
        i_simd: usize,
    ) -> [V<T, S>; W];
}

struct DenseRow<'a, T: Real, S, A> {
    s: S,
    x: &'a [T],
    /// The row statistic; read only if [`Accumulator::USES_ROW_STATS`].
    row_stat: T,
    row_stats: &'a [SimdVec<T>],
    accumulator: PhantomData<A>,
}

struct SparseRow<'a, T: Real, S, A> {
    s: S,
    indices: &'a [u32],
    values: &'a [T],
    row_stats: &'a [SimdVec<T>],
    accumulator: PhantomData<A>,
}

impl<T: Real, S: Simd<T>, A: Accumulator> TiledRow<T, S> for DenseRow<'_, T, S, A> {
    #[inline(always)]
    fn tile<const WIDTH: usize, const W: usize>(
        &self,
        data: &[[SimdVec<T>; WIDTH]],
        first: usize,
        i_simd: usize,
    ) -> [V<T, S>; W] {
        let mut sums = if A::USES_ROW_STATS {
            start(self.s, self.row_stat, &self.row_stats[i_simd + first..])
        } else {
            [V::zero(self.s); W]
        };
        for (&x, data) in self.x.iter().zip(data) {
            if let Some(data) = data[first..].first_chunk::<W>() {
                step(
                    self.s,
                    A::encode(x),
                    data,
                    &mut sums,
                    #[inline(always)]
                    |sum, x, v| A::step_dense(sum, x, v),
                );
            }
        }
        if A::USES_ROW_STATS {
            for sum in &mut sums {
                *sum = A::clamp_at_zero(*sum);
            }
        }
        sums
    }
}

impl<T: Real, S: Simd<T>, A: Accumulator> TiledRow<T, S> for SparseRow<'_, T, S, A> {
    #[inline(always)]
    fn tile<const WIDTH: usize, const W: usize>(
        &self,
        data: &[[SimdVec<T>; WIDTH]],
        first: usize,
        i_simd: usize,
    ) -> [V<T, S>; W] {
        let mut sums = [V::zero(self.s); W];
        for (sum, row_stats) in sums.iter_mut().zip(&self.row_stats[i_simd + first..][..W]) {
            *sum = A::init_from_stats(row_stats.load(self.s));
        }
        for (&j, &x) in self.indices.iter().zip(self.values) {
            if let Some(data) = data[j as usize][first..].first_chunk::<W>() {
                step(
                    self.s,
                    x,
                    data,
                    &mut sums,
                    #[inline(always)]
                    |sum, x, v| A::step_sparse(sum, x, v),
                );
            }
        }
        for sum in &mut sums {
            *sum = A::clamp_at_zero(*sum);
        }
        sums
    }
}

/// Sums that start from the row statistics of the row and of `W` vectors of lanes.
#[inline(always)]
pub(super) fn start<T: Real, S: Simd<T>, const W: usize>(
    s: S,
    row_stat: T,
    row_stats: &[SimdVec<T>],
) -> [V<T, S>; W] {
    let row_stat = V::splat(s, row_stat);
    let mut sums = [V::zero(s); W];
    for (sum, row_stats) in sums.iter_mut().zip(row_stats) {
        *sum = row_stat + row_stats.load(s);
    }
    sums
}

#[inline(always)]
pub(super) fn step<T: Real, S: Simd<T>, const W: usize>(
    s: S,
    x: T,
    data: &[SimdVec<T>; W],
    sums: &mut [V<T, S>; W],
    add: impl Fn(V<T, S>, V<T, S>, V<T, S>) -> V<T, S>,
) {
    let x = V::splat(s, x);
    for (sum, lanes) in sums.iter_mut().zip(data) {
        *sum = add(*sum, x, lanes.load(s));
    }
}

/// Every tile of the panels that hold the first `used` vectors of lanes.
#[inline(always)]
fn tiles<T: Real, S: Processor + Simd<T>>(
    panels: PanelView<'_, T>,
    used: usize,
    sums: &mut [SimdVec<T>],
    row: &impl TiledRow<T, S>,
) {
    let full = panels.n_simd - panels.n_simd % PANEL;
    for i_simd in (0..used.min(full)).step_by(PANEL) {
        panel_tiles::<T, S, PANEL>(panels, i_simd, sums, row);
    }
    if used > full {
        match panels.n_simd - full {
            4 => panel_tiles::<T, S, 4>(panels, full, sums, row),
            2 => panel_tiles::<T, S, 2>(panels, full, sums, row),
            _ => panel_tiles::<T, S, 1>(panels, full, sums, row),
        }
    }
}

/// Every tile of the panel of `WIDTH` that starts at `vector`: as wide as the processor's registers hold, or the panel.
#[inline(always)]
pub(super) fn panel_tiles<T: Real, S: Processor + Simd<T>, const WIDTH: usize>(
    panels: PanelView<'_, T>,
    i_simd: usize,
    sums: &mut [SimdVec<T>],
    row: &impl TiledRow<T, S>,
) {
    let from = i_simd * panels.room;
    let data = panels.data[from..from + WIDTH * panels.features].as_chunks::<WIDTH>().0;
    let sums = &mut sums[i_simd..];
    if S::TILE >= WIDTH {
        return put(row.tile::<WIDTH, WIDTH>(data, 0, i_simd), sums);
    }
    for first in (0..WIDTH).step_by(S::TILE) {
        let to = &mut sums[first..];
        if S::TILE == 4 {
            put(row.tile::<WIDTH, 4>(data, first, i_simd), to);
        } else {
            put(row.tile::<WIDTH, 2>(data, first, i_simd), to);
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
pub(super) fn accumulate<T: Real, S: Processor + Simd<T>, A: Accumulator>(
    s: S,
    panels: PanelView<'_, T>,
    x: Row<'_, T>,
    row_stats: &[SimdVec<T>],
    used: usize,
    sums: &mut [SimdVec<T>],
) {
    let accumulator = PhantomData::<A>;
    match x {
        Row::Dense(x) => {
            let row_stat = if A::USES_ROW_STATS {
                Accumulation::SquaredDifference.row_stat(Row::Dense(x))
            } else {
                T::ZERO
            };
            tiles(panels, used, sums, &DenseRow { s, x, row_stat, row_stats, accumulator });
        }
        Row::Sparse(indices, values) => {
            tiles(panels, used, sums, &SparseRow { s, indices, values, row_stats, accumulator });
        }
    }
}
