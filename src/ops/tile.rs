//! The inner loops: one row against a tile of stored vectors, one accumulation chain per stored vector.
//!
//! A panel is feature-major: `[feature][width]` vectors of lanes, a lane being a stored vector. The chain of a lane
//! visits the features in order whatever the tile, so that the tile never changes the bits.

use super::lanes::Line;
use crate::float::{Real, splat};
use fearless_simd::{Simd, SimdBase};

/// Vectors per panel row: 512 bytes.
pub(crate) const PANEL: usize = 8;

/// Vectors per tile at this level: as many chains as its registers hold beside the operands.
pub(crate) const fn tile_width<S: Simd>() -> usize {
    if <S::f32s as SimdBase<S>>::LEN >= 16 { PANEL } else { PANEL / 2 }
}

/// A panel, `width` vectors to the feature.
#[derive(Clone, Copy)]
pub(crate) struct Panel<'a, T: Real> {
    pub(crate) lines: &'a [Line<T>],
    pub(crate) width: usize,
}

/// `W` chains over every feature of a dense row, for the vectors `first..first + W` of the panel.
#[inline(always)]
pub(crate) fn dense<T: Real, S: Simd, const W: usize>(
    s: S,
    x: &[T],
    panel: Panel<'_, T>,
    first: usize,
    accumulate: impl Fn(T::V<S>, T::V<S>, T::V<S>) -> T::V<S> + Copy,
) -> [T::V<S>; W] {
    let mut acc = [splat::<T, S>(s, T::ZERO); W];
    // Where a tile can be a whole panel, it always is one.
    if const { tile_width::<S>() == PANEL } {
        for (&x, lines) in x.iter().zip(panel.lines.as_chunks::<W>().0) {
            step(s, x, lines, &mut acc, accumulate);
        }
    } else {
        for (&x, lines) in x.iter().zip(panel.lines.chunks_exact(panel.width)) {
            if let Some(lines) = lines[first..].first_chunk::<W>() {
                step(s, x, lines, &mut acc, accumulate);
            }
        }
    }
    acc
}

/// The same over the non-zero features of a sparse row, each chain starting at `start`.
#[inline(always)]
pub(crate) fn sparse<T: Real, S: Simd, const W: usize>(
    s: S,
    (indices, values): (&[u32], &[T]),
    panel: Panel<'_, T>,
    first: usize,
    start: [T::V<S>; W],
    accumulate: impl Fn(T::V<S>, T::V<S>, T::V<S>) -> T::V<S> + Copy,
) -> [T::V<S>; W] {
    let mut acc = start;
    for (&j, &x) in indices.iter().zip(values) {
        let from = j as usize * panel.width + first;
        if let Some(lines) = panel.lines[from..].first_chunk::<W>() {
            step(s, x, lines, &mut acc, accumulate);
        }
    }
    acc
}

#[inline(always)]
fn step<T: Real, S: Simd, const W: usize>(
    s: S,
    x: T,
    lines: &[Line<T>; W],
    acc: &mut [T::V<S>; W],
    accumulate: impl Fn(T::V<S>, T::V<S>, T::V<S>) -> T::V<S>,
) {
    let x = splat::<T, S>(s, x);
    for (acc, line) in acc.iter_mut().zip(lines) {
        *acc = accumulate(*acc, x, line.load(s));
    }
}
