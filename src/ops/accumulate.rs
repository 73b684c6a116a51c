//! The inner loops: one row against every stored vector, one accumulation chain to the vector.
//!
//! A panel is feature-major: `[feature][width]` vectors of lanes, a lane being a stored vector. The chain of a lane
//! visits the features in order whatever the tile, so that the tile never changes the bits.

use super::lanes::Line;
use super::simd::{Processor, Simd, V};
use crate::float::{Real, Vector};
use crate::row::Row;
use std::marker::PhantomData;

/// Vectors per panel row: 512 bytes.
pub(crate) const PANEL: usize = 8;

/// Stored vectors, feature-major in panels `[panel][feature][8 vectors of lanes]`, the last panel narrower: 1, 2, 4 or 8
/// vectors. Lanes that hold no vector are zero.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Panels<'a, T: Real> {
    pub(crate) lines: &'a [Line<T>],
    pub(crate) features: usize,
    /// Vectors of lanes to a feature, over all panels.
    pub(crate) vectors: usize,
}

impl<'a, T: Real> Panels<'a, T> {
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
    pub(super) lines: &'a [Line<T>],
    pub(super) width: usize,
}

/// The links of an accumulation chain.
pub(super) trait Chain {
    /// The next link: one feature of the row and of stored vectors.
    fn dense<T: Real, V: Vector<T>>(sum: V, x: V, v: V) -> V;
    /// The next link for a non-zero feature of a sparse row, on top of [`Chain::rest`].
    fn sparse<T: Real, V: Vector<T>>(sum: V, x: V, v: V) -> V;
    /// What an all-zero row accumulates against stored vectors of these norms.
    fn rest<T: Real, V: Vector<T>>(norms: V) -> V;
    /// Mends what rounding of the sparse path may have broken (a negative distance).
    fn mend<T: Real, V: Vector<T>>(sum: V) -> V;
}

pub(super) struct SquaredDifference;
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
    fn rest<T: Real, V: Vector<T>>(norms: V) -> V {
        norms
    }
    #[inline(always)]
    fn mend<T: Real, V: Vector<T>>(sum: V) -> V {
        sum.max(sum.all(T::ZERO))
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
    fn rest<T: Real, V: Vector<T>>(norms: V) -> V {
        norms
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
    fn rest<T: Real, V: Vector<T>>(norms: V) -> V {
        norms.all(T::ZERO)
    }
    #[inline(always)]
    fn mend<T: Real, V: Vector<T>>(sum: V) -> V {
        sum
    }
}

/// A row whose chains are computed a tile of vectors at a time.
trait Source<T: Real, S: Simd<T>> {
    /// The finished chains of `W` vectors of lanes: `first..` in their panel, `vector..` in all.
    fn tile<const W: usize>(&self, panel: Panel<'_, T>, first: usize, vector: usize) -> [V<T, S>; W];
}

struct Dense<'a, T: Real, S, C> {
    s: S,
    x: &'a [T],
    chain: PhantomData<C>,
}

struct Sparse<'a, T: Real, S, C> {
    s: S,
    indices: &'a [u32],
    values: &'a [T],
    norms: &'a [Line<T>],
    chain: PhantomData<C>,
}

impl<T: Real, S: Processor + Simd<T>, C: Chain> Source<T, S> for Dense<'_, T, S, C> {
    #[inline(always)]
    fn tile<const W: usize>(&self, panel: Panel<'_, T>, first: usize, _: usize) -> [V<T, S>; W] {
        let mut sums = [V::zero(self.s); W];
        // Where a tile can be a whole panel, it always is one.
        if S::TILE == PANEL {
            for (&x, lines) in self.x.iter().zip(panel.lines.as_chunks::<W>().0) {
                step(self.s, x, lines, &mut sums, C::dense);
            }
        } else {
            for (&x, lines) in self.x.iter().zip(panel.lines.chunks_exact(panel.width)) {
                if let Some(lines) = lines[first..].first_chunk::<W>() {
                    step(self.s, x, lines, &mut sums, C::dense);
                }
            }
        }
        sums
    }
}

impl<T: Real, S: Simd<T>, C: Chain> Source<T, S> for Sparse<'_, T, S, C> {
    #[inline(always)]
    fn tile<const W: usize>(&self, panel: Panel<'_, T>, first: usize, vector: usize) -> [V<T, S>; W] {
        let mut sums = [V::zero(self.s); W];
        for (sum, norms) in sums.iter_mut().zip(&self.norms[vector..vector + W]) {
            *sum = C::rest(norms.load(self.s));
        }
        for (&j, &x) in self.indices.iter().zip(self.values) {
            let from = j as usize * panel.width + first;
            if let Some(lines) = panel.lines[from..].first_chunk::<W>() {
                step(self.s, x, lines, &mut sums, C::sparse);
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
    lines: &[Line<T>; W],
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
    panels: Panels<'_, T>,
    used: usize,
    sums: &mut [Line<T>],
    row: &impl Source<T, S>,
) {
    let mut vector = 0;
    while vector < used {
        let panel = panels.panel(vector);
        let mut first = 0;
        while first < panel.width {
            let to = &mut sums[vector + first..];
            match S::TILE.min(panel.width - first) {
                8 => put(row.tile::<8>(panel, first, vector + first), to),
                4 => put(row.tile::<4>(panel, first, vector + first), to),
                2 => put(row.tile::<2>(panel, first, vector + first), to),
                _ => put(row.tile::<1>(panel, first, vector + first), to),
            }
            first += S::TILE;
        }
        vector += PANEL;
    }
}

#[inline(always)]
fn put<T: Real, S: Simd<T>, const W: usize>(sums: [V<T, S>; W], to: &mut [Line<T>]) {
    for (to, sum) in to[..W].iter_mut().zip(sums) {
        to.store(sum);
    }
}

/// Accumulates a row against the panels that hold the first `used` vectors of lanes, into `sums`.
#[inline(always)]
pub(super) fn accumulate<T: Real, S: Processor + Simd<T>, C: Chain>(
    s: S,
    panels: Panels<'_, T>,
    x: Row<'_, T>,
    norms: &[Line<T>],
    used: usize,
    sums: &mut [Line<T>],
) {
    let chain = PhantomData::<C>;
    match x {
        Row::Dense(x) => tiles(panels, used, sums, &Dense { s, x, chain }),
        Row::Sparse(indices, values) => {
            tiles(panels, used, sums, &Sparse { s, indices, values, norms, chain });
        }
    }
}
