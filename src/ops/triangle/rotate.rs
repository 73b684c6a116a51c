//! Deleting a row from a lower triangle: one pass of plane rotations.

use super::lower::{Lower, PANEL_ROWS, lanes_from, start};
use crate::float::{Mask, Vector};
use crate::ops::buffer::SimdVec;
use crate::ops::simd::{Processor, V};

/// The number of panels that are rotated side by side, because each has one chain of dependent multiply-adds.
const PANELS_ABREAST: usize = 4;

/// The rotations that delete row `p` of `L`, all of them known before the first is applied.
///
/// When row `p` goes, the trailing block `T` takes up what stood in column `p`, the vector `x`:
/// `T~ T~' = T T' + x x'`. Rotating `x` with one column of `T` after the other does it, each rotation annihilating one
/// entry of `x`. With `z = T^-1 x` and the running sums `q_k = 1 + z_1^2 + .. + z_k^2` the rotation of column `k` has
/// the cosine `sqrt(q_{k-1}/q_k)` and the sine `z_k/sqrt(q_k)` (Gill, Golub, Murray and Saunders 1974), so that no root
/// or division waits for another. The pass carries `w = sqrt(q_{k-1}) x` instead of the rotated `x`, so `sine` here is
/// divided by that root, and then
///
/// `T~_ik = cosine_k T_ik + sine_k w_i`, and `w_i -= z_k T_ik`,
///
/// of which the second half is the forward solve for `z`. As `q` never falls, errors in `w` never grow against it. And
/// `z` is at hand: the forward half of the column of `A` is `L^-1 e_p = (1, -z)/L_pp`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rotations {
    cosine: Vec<f64>,
    sine: Vec<f64>,
    minus_z: Vec<f64>,
    q: Vec<f64>,
}

impl Rotations {
    /// The rotations that delete row `p`, from `half = L^-1 e_p`. Up to column `p` they are zero, and so they are for
    /// the two columns past the last: one may belong to a row that passes through during a replacement.
    #[inline(always)]
    pub(super) fn prepare(&mut self, half: &[f64], p: usize) {
        let n = half.len();
        for v in [&mut self.cosine, &mut self.sine, &mut self.minus_z, &mut self.q] {
            v.clear();
            v.resize(n + 2, 0.0);
        }
        let pivot = 1.0 / half[p];
        self.q[p] = 1.0;
        for (k, y) in half.iter().enumerate().skip(p + 1) {
            let minus_z = y * pivot;
            self.minus_z[k] = minus_z;
            self.q[k] = self.q[k - 1] + minus_z * minus_z;
        }
        let n = n - p - 1;
        let (cosine, sine) = (&mut self.cosine[p + 1..][..n], &mut self.sine[p + 1..][..n]);
        let (before, q, minus_z) = (&self.q[p..][..n], &self.q[p + 1..][..n], &self.minus_z[p + 1..][..n]);
        for k in 0..n {
            let inverse = 1.0 / (before[k] * q[k]).sqrt();
            cosine[k] = before[k] * inverse;
            sine[k] = -minus_z[k] * inverse;
        }
    }

    /// The values of the columns before `end`.
    #[inline(always)]
    fn until(&self, end: usize) -> RotationsView<'_> {
        RotationsView { cosine: &self.cosine[..end], sine: &self.sine[..end], minus_z: &self.minus_z[..end] }
    }
}

/// Rotations, borrowed.
#[derive(Clone, Copy)]
struct RotationsView<'a> {
    cosine: &'a [f64],
    sine: &'a [f64],
    minus_z: &'a [f64],
}

impl RotationsView<'_> {
    /// Rotates column `k`, whose entries are `t`, and carries `w` to the next.
    #[inline(always)]
    fn turn<S: Processor>(self, k: usize, t: V<f64, S>, w: &mut V<f64, S>) -> V<f64, S> {
        let turned = w.mul_add(w.broadcast(self.sine[k]), t * self.cosine[k]);
        *w = t.mul_add(t.broadcast(self.minus_z[k]), *w);
        turned
    }
}

impl Lower {
    /// Deletes row `p` and column `p`.
    #[inline(always)]
    pub(super) fn delete<S: Processor>(&mut self, s: S, p: usize, rotations: &Rotations) {
        let (first, end) = (p / PANEL_ROWS, self.panels());
        let pass = RowDeletion { s, p, len: self.len, rotations };
        let mut r = first;
        while r < end {
            let abreast = if r > first && r + PANELS_ABREAST <= end { PANELS_ABREAST } else { 1 };
            let data = &mut self.data.as_mut_slice()[start(r)..start(r + abreast + 1)];
            let inverse_pivots = &mut self.inverse_pivots[PANEL_ROWS * r..PANEL_ROWS * (r + abreast)];
            if abreast == 1 {
                pass.panels::<1>(r, data, inverse_pivots);
            } else {
                pass.panels::<PANELS_ABREAST>(r, data, inverse_pivots);
            }
            r += abreast;
        }
        self.len -= 1;
    }
}

/// One deletion on its way through the panels.
struct RowDeletion<'a, S> {
    s: S,
    p: usize,
    len: usize,
    rotations: &'a Rotations,
}

impl<S: Processor> RowDeletion<'_, S> {
    /// Deletes within the panels `r..r + P`; `lines` holds one panel more, whose first row moves up into them.
    #[inline(always)]
    fn panels<const P: usize>(&self, r: usize, data: &mut [SimdVec<f64>], inverse_pivots: &mut [f64]) {
        let Self { s, p, .. } = *self;
        let mut below = data;
        let mut panels: [&mut [SimdVec<f64>]; P] = std::array::from_fn(|q| {
            let (panel, rest) = std::mem::take(&mut below).split_at_mut(PANEL_ROWS * (r + q + 1));
            below = rest;
            panel
        });
        // The columns left of all their diagonal blocks, and in the first panel those up to p.
        let common = (PANEL_ROWS * r).max(p + 1);
        let mut w = [V::zero(s); P];
        {
            let turns = self.rotations.until(common);
            let below = &below[..common];
            let panels = panels.each_mut().map(|panel| &mut panel[..common]);
            for k in 0..p {
                for q in 0..P {
                    let moved = self.moved(r, &panels, below, q, k);
                    panels[q][k].store(moved);
                }
            }
            for (q, w) in w.iter_mut().enumerate() {
                *w = self.moved(r, &panels, below, q, p);
            }
            for k in p + 1..common {
                for q in 0..P {
                    let t = self.moved(r, &panels, below, q, k);
                    panels[q][k - 1].store(turns.turn(k, t, &mut w[q]));
                }
            }
        }
        for q in 0..P {
            let (this, next) = panels[q..].split_at_mut(1);
            let next = next.first().map_or(&*below, |next| next);
            let inverse = self.finish(r + q, this[0], next, common, w[q]);
            inverse.store_slice(&mut inverse_pivots[PANEL_ROWS * q..PANEL_ROWS * (q + 1)]);
        }
    }

    /// Column `k` of panel `r + q` once the row below has moved up.
    #[inline(always)]
    fn moved<const P: usize>(
        &self,
        r: usize,
        panels: &[&mut [SimdVec<f64>]; P],
        below: &[SimdVec<f64>],
        q: usize,
        k: usize,
    ) -> V<f64, S> {
        let next = if q + 1 < P { panels[q + 1][k].load(self.s) } else { below[k].load(self.s) };
        self.up(r + q, panels[q][k].load(self.s), next)
    }

    /// The rows of panel `r` from `p` on move up by one.
    #[inline(always)]
    fn up(&self, r: usize, this: V<f64, S>, next: V<f64, S>) -> V<f64, S> {
        lanes_from(self.s, self.p.saturating_sub(PANEL_ROWS * r)).select(this.slide(next), this)
    }

    /// The columns of panel `r` from `from` on; returns its inverse pivots.
    #[inline(always)]
    fn finish(
        &self,
        r: usize,
        this: &mut [SimdVec<f64>],
        next: &[SimdVec<f64>],
        from: usize,
        mut w: V<f64, S>,
    ) -> V<f64, S> {
        let (s, zero) = (self.s, V::zero(self.s));
        let end = (PANEL_ROWS * (r + 1)).min(self.len);
        let turns = self.rotations.until(end + 1);
        for k in from..end {
            let t = self.up(r, this[k].load(s), next[k].load(s));
            this[k - 1].store(turns.turn(k, t, &mut w));
        }
        // Of the next column the row that moved up has its pivot; past the last column the rotation is zero.
        let t = if end < self.len { zero.slide(next[end].load(s)) } else { zero };
        this[end - 1].store(turns.turn(end, t, &mut w));
        let mut pivots = zero;
        for (j, column) in this[PANEL_ROWS * r..].iter_mut().enumerate() {
            // Above the diagonal w has left rounding errors.
            let lanes = lanes_from(s, j);
            column.store(lanes.select(column.load(s), zero));
            pivots = lanes.select(column.load(s), pivots);
        }
        pivots.gt(zero).select(V::splat(s, 1.0) / pivots, zero)
    }
}
