//! A lower triangle in panels of eight rows, and the two triangular solves.

use crate::float::{Mask, Vector};
use crate::ops::buffer::{SimdBuffer, SimdVec};
use crate::ops::simd::{M, Processor, Shuffle, V};

/// Rows of a panel: the numbers of one vector.
pub(crate) const PANEL_ROWS: usize = 8;

/// A lower triangle `L` with positive pivots.
///
/// Panel `r` holds the rows `8r..8r + 8` as columns `0..8r + 8` of eight numbers, one panel after the other: the
/// forward solve is one sequential stream without horizontal sums, and a row is appended without moving anything.
///
/// Invariants: entries above the diagonal, and rows from `len` on, are zero; `inverse_pivots` holds `1/L_kk`, and
/// zero from `len` on, so that solutions are zero there; there is always one panel more than the rows fill.
#[derive(Debug, Clone)]
pub(crate) struct Lower {
    pub(super) data: SimdBuffer<f64>,
    pub(crate) inverse_pivots: Vec<f64>,
    pub(crate) len: usize,
}

/// Where panel `r` starts, in vectors.
pub(super) fn start(r: usize) -> usize {
    PANEL_ROWS * r * (r + 1) / 2
}

/// The least multiple of eight that holds `n` numbers.
pub(crate) fn padded(n: usize) -> usize {
    n.next_multiple_of(PANEL_ROWS)
}

/// Where the entry in row `i` and column `k <= i` stands.
fn place(i: usize, k: usize) -> usize {
    (start(i / PANEL_ROWS) + k) * PANEL_ROWS + i % PANEL_ROWS
}

impl Lower {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        let mut lower = Self { data: SimdBuffer::zeros(0), inverse_pivots: Vec::new(), len: 0 };
        lower.reserve(capacity);
        lower
    }

    /// Makes room for `capacity` rows and the one that passes through during a replacement.
    pub(crate) fn reserve(&mut self, capacity: usize) {
        let panels = capacity / PANEL_ROWS + 2;
        self.data.grow(start(panels));
        self.inverse_pivots.resize(self.inverse_pivots.len().max(panels * PANEL_ROWS), 0.0);
    }

    /// The number of panels that hold rows.
    pub(super) fn panels(&self) -> usize {
        self.len.div_ceil(PANEL_ROWS)
    }

    /// The columns of panel `r`.
    #[inline(always)]
    pub(super) fn panel(&self, r: usize) -> &[SimdVec<f64>] {
        &self.data.as_slice()[start(r)..start(r + 1)]
    }

    /// Row `i` up to its pivot.
    pub(crate) fn row(&self, i: usize) -> impl Iterator<Item = f64> + '_ {
        (0..=i).map(move |k| self.data.get(place(i, k)))
    }

    /// Appends a row with its pivot last.
    pub(crate) fn push(&mut self, row: impl IntoIterator<Item = f64>, pivot: f64) {
        let i = self.len;
        for (k, x) in (0..i).zip(row) {
            self.data.set(place(i, k), x);
        }
        self.len += 1;
        self.set_pivot(i, pivot);
    }

    pub(crate) fn set_pivot(&mut self, i: usize, pivot: f64) {
        self.data.set(place(i, i), pivot);
        self.inverse_pivots[i] = 1.0 / pivot;
    }

    pub(crate) fn clear(&mut self) {
        self.data.clear();
        self.inverse_pivots.fill(0.0);
        self.len = 0;
    }

    /// Solves `L y = b` in place, for a `b` that is zero before `from` and padded with zeros.
    #[inline(always)]
    pub(super) fn forward<S: Processor>(&self, s: S, from: usize, y: &mut [f64]) {
        let first = from / PANEL_ROWS;
        for r in first..self.panels() {
            let (left, block) = self.panel(r).split_at(PANEL_ROWS * r);
            let (known, rest) = y.split_at_mut(PANEL_ROWS * r);
            let inverse = V::<f64, S>::from_slice(s, &self.inverse_pivots[PANEL_ROWS * r..][..PANEL_ROWS]);
            let sum = product(s, &left[PANEL_ROWS * first..], &known[PANEL_ROWS * first..]);
            // Pivot times y, so that from row to row there is one multiply-add to wait for.
            let mut v = V::<f64, S>::from_slice(s, &rest[..PANEL_ROWS]) - sum;
            for (j, column) in block.iter().enumerate().take(PANEL_ROWS - 1) {
                let below = lanes_from(s, j + 1).select(column.load(s), V::<f64, S>::zero(s));
                v = (below * -self.inverse_pivots[PANEL_ROWS * r + j])
                    .mul_add(V::splat(s, v.to_array()[j]), v);
            }
            (v * inverse).store_slice(&mut rest[..PANEL_ROWS]);
        }
    }

    /// Solves `L' x = y` in place.
    #[inline(always)]
    pub(super) fn backward<S: Processor>(&self, s: S, x: &mut [f64]) {
        let zero = V::<f64, S>::zero(s);
        for r in (0..self.panels()).rev() {
            let mut sums = [zero; PANEL_ROWS];
            for q in r + 1..self.panels() {
                let known = V::<f64, S>::from_slice(s, &x[PANEL_ROWS * q..][..PANEL_ROWS]);
                let below = &self.panel(q)[PANEL_ROWS * r..][..PANEL_ROWS];
                for j in 0..PANEL_ROWS {
                    sums[j] = below[j].load(s).mul_add(known, sums[j]);
                }
            }
            let block = &self.panel(r)[PANEL_ROWS * r..][..PANEL_ROWS];
            let mut rows = [zero; PANEL_ROWS];
            for j in 0..PANEL_ROWS {
                rows[j] = lanes_from(s, j + 1).select(block[j].load(s), zero);
            }
            let rows = transpose(rows);
            let inverse = V::<f64, S>::from_slice(s, &self.inverse_pivots[PANEL_ROWS * r..][..PANEL_ROWS]);
            let mut v = V::<f64, S>::from_slice(s, &x[PANEL_ROWS * r..][..PANEL_ROWS]) - sum(transpose(sums));
            for j in (1..PANEL_ROWS).rev() {
                v = (rows[j] * -self.inverse_pivots[PANEL_ROWS * r + j])
                    .mul_add(V::splat(s, v.to_array()[j]), v);
            }
            (v * inverse).store_slice(&mut x[PANEL_ROWS * r..][..PANEL_ROWS]);
        }
    }
}

/// The lanes from `j` on.
#[inline(always)]
pub(super) fn lanes_from<S: Processor>(s: S, j: usize) -> M<f64, S> {
    M::from_bits(s, (0xFF << j) & 0xFF)
}

/// The columns times `y`, in four chains that are added in pairs.
#[inline(always)]
fn product<S: Processor>(s: S, columns: &[SimdVec<f64>], y: &[f64]) -> V<f64, S> {
    let mut sums = [V::zero(s); 4];
    for (columns, y) in columns.chunks_exact(4).zip(y.chunks_exact(4)) {
        for j in 0..4 {
            sums[j] = columns[j].load(s).mul_add(V::splat(s, y[j]), sums[j]);
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// Row `i`, lane `j` becomes row `j`, lane `i`: three rounds of a perfect shuffle.
#[inline(always)]
fn transpose<S: Shuffle>(mut rows: [V<f64, S>; PANEL_ROWS]) -> [V<f64, S>; PANEL_ROWS] {
    for _ in 0..3 {
        let (a, b) = (rows[0].interleave(rows[4]), rows[1].interleave(rows[5]));
        let (c, d) = (rows[2].interleave(rows[6]), rows[3].interleave(rows[7]));
        rows = [a.0, a.1, b.0, b.1, c.0, c.1, d.0, d.1];
    }
    rows
}

/// The sum of eight vectors in a fixed tree.
#[inline(always)]
fn sum<S: Shuffle>(v: [V<f64, S>; PANEL_ROWS]) -> V<f64, S> {
    ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]))
}

#[cfg(test)]
impl Lower {
    /// Asserts what the type's comment promises.
    pub(crate) fn check_invariants(&self) {
        let stored =
            |i: usize, k: usize| self.data.get((start(i / PANEL_ROWS) + k) * PANEL_ROWS + i % PANEL_ROWS);
        assert!(start(self.panels() + 1) <= self.data.len(), "one panel more than the rows fill");
        for i in 0..self.inverse_pivots.len() {
            for k in 0..PANEL_ROWS * (i / PANEL_ROWS + 1) {
                let x = stored(i, k);
                assert!(x.is_finite() && (x == 0.0 || (i < self.len && k <= i)), "{x} in ({i}, {k})");
            }
            let inverse = if i < self.len { 1.0 / stored(i, i) } else { 0.0 };
            assert_eq!(self.inverse_pivots[i], inverse, "row {i} of {}", self.len);
            assert!(i >= self.len || inverse > 0.0, "a pivot that is not positive");
        }
    }
}
