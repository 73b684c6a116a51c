//! Small symmetric systems, factored row by row: the Gram matrix of the vectors that may take something.

use crate::float::{Real, splat};
use crate::simd::{Lanes, Line};
use crate::store::{NOBODY, Store};
use fearless_simd::{Select, Simd, SimdBase, SimdFloat};

/// The share of its own squared length that must be left of a vector beside the others of its system: 1e-10, and 1e-6 in
/// single precision.
pub(super) fn least_pivot<T: Real>() -> f64 {
    0.1 * T::TIE.to_f64()
}

/// `L D L'` of a Gram matrix of at most so many vectors, and one right side.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct System {
    /// Row `i` at `i * size`, the unit diagonal left out.
    l: Vec<f64>,
    d: Vec<f64>,
    /// `L^-1` times the right side.
    z: Vec<f64>,
    size: usize,
    len: usize,
    /// The squared residual so far.
    rest: f64,
}

impl System {
    pub(super) fn new(size: usize) -> Self {
        Self { l: vec![0.0; size * size], d: vec![0.0; size], z: vec![0.0; size], size, len: 0, rest: 0.0 }
    }

    /// Empties it, for a vector of squared length `length`.
    #[inline(always)]
    pub(super) fn start(&mut self, length: f64) {
        self.len = 0;
        self.rest = length;
    }

    /// What is left of the squared length beside the span of the vectors so far.
    #[inline(always)]
    pub(super) fn rest(&self) -> f64 {
        self.rest.max(0.0)
    }

    /// Adds a vector of squared length `diag`: `with(j)` is its product with the j-th one, `right` that with the vector
    /// that is projected. False, and nothing is added, where its own residual is below `least`.
    #[inline(always)]
    pub(super) fn add(&mut self, diag: f64, right: f64, least: f64, with: impl Fn(usize) -> f64) -> bool {
        let (i, size) = (self.len, self.size);
        let (above, row) = self.l.split_at_mut(i * size);
        let (mut pivot, mut z) = (diag, right);
        for j in 0..i {
            // Row j of L times D, of the new row: first u = D l, then l.
            let mut u = with(j);
            for k in 0..j {
                u -= above[j * size + k] * row[k] * self.d[k];
            }
            row[j] = u / self.d[j];
            pivot -= u * row[j];
            z -= row[j] * self.z[j];
        }
        if pivot < least || pivot <= 0.0 {
            return false;
        }
        self.d[i] = pivot;
        self.z[i] = z;
        self.rest -= z * (z / pivot);
        self.len += 1;
        true
    }

    /// The coefficients of the projection, in the order in which the vectors were added.
    #[inline(always)]
    pub(super) fn solve(&mut self) -> &[f64] {
        let (len, size) = (self.len, self.size);
        for i in (0..len).rev() {
            let mut x = self.z[i] / self.d[i];
            for j in i + 1..len {
                x -= self.l[j * size + i] * self.z[j];
            }
            self.z[i] = x;
        }
        &self.z[..len]
    }
}

/// The systems of all candidates side by side, a lane each: on the newcomer and the n nearest of every slot.
#[derive(Debug, Clone)]
pub(super) struct Systems<T: Real> {
    n: usize,
    /// Row `i` of the unit triangle `L` at `i (i + 1)/2`, the newcomer being row 0; the diagonal is left out.
    l: Vec<Line<T>>,
    d: Vec<Line<T>>,
    z: Vec<Line<T>>,
    /// The newcomer's kernel row, one number after the other, and a zero for who is nobody.
    row: Vec<T>,
}

impl<T: Real> Systems<T> {
    pub(super) fn new(n: usize) -> Self {
        let lines = |count: usize| vec![Line::default(); count];
        Self { n, l: lines((n + 1) * (n + 2) / 2), d: lines(n + 1), z: lines(n + 1), row: Vec::new() }
    }

    /// `|alpha_r|^2 rho_r` of every slot r, from the newcomer's kernel row `k`: `rho_r` is the squared residual of `phi_r`
    /// on the newcomer and the neighbours of r, and none at all where only rounding is left. Free lanes hold nonsense.
    #[inline(always)]
    pub(super) fn costs<S: Simd>(
        &mut self,
        s: S,
        store: &Store<T>,
        k: &Lanes<T>,
        k_tt: T,
        costs: &mut Lanes<T>,
    ) {
        costs.grow(store.vectors());
        let (diags, weights) = (store.expansion().diags(), store.expansion().weights());
        self.row.resize(store.used() * T::LANES + 1, T::ZERO);
        for (vector, part) in self.row.chunks_exact_mut(T::LANES).take(store.used()).enumerate() {
            k.load(s, vector).store_slice(part);
        }
        let zero = splat::<T, S>(s, T::ZERO);
        self.d[0].store(splat::<T, S>(s, k_tt));
        let inverse = splat::<T, S>(s, T::from_f64(1.0 / k_tt.to_f64()));
        for vector in 0..store.used() {
            let (product, own) = (k.load(s, vector), diags.load(s, vector));
            self.z[0].store(product);
            let mut rest = product.mul_add(-(product * inverse), own);
            for i in 1..=self.n {
                rest = self.add(s, store, vector, i, (rest, inverse));
            }
            let rest = rest / own;
            let rest = rest.simd_gt(splat::<T, S>(s, T::NOTHING)).select(rest, zero);
            costs.store(vector, weights.load(s, vector) * rest);
        }
    }

    /// Row `i`: the neighbours of rank `i - 1`. From what was left before, and `1/k_tt`, gives what is left beside them.
    #[inline(always)]
    fn add<S: Simd>(
        &mut self,
        s: S,
        store: &Store<T>,
        vector: usize,
        i: usize,
        (rest, inverse): (T::V<S>, T::V<S>),
    ) -> T::V<S> {
        let ranks = store.neighbours().ranks();
        let first = vector * T::LANES;
        let who = &ranks[i - 1].who[first..first + T::LANES];
        // Where there is no neighbour the pivot is zero, and nothing enters.
        let own = ranks[i - 1].diags.load(s, vector);
        let (row_k, nobody) = (&self.row[..], self.row.len() - 1);
        let zero = splat::<T, S>(s, T::ZERO);
        let (mut pivot, mut z) = (own, ranks[i - 1].k.load(s, vector));
        let row = i * (i + 1) / 2;
        for j in 0..i {
            let mut u = if j == 0 {
                T::V::<S>::from_fn(s, |lane| row_k[(who[lane] as usize).min(nobody)])
            } else {
                let other = &ranks[j - 1].who[first..first + T::LANES];
                T::V::<S>::from_fn(s, |lane| match who[lane] {
                    NOBODY => T::ZERO,
                    who => store.neighbours().between(who as usize, other[lane] as usize),
                })
            };
            let above = j * (j + 1) / 2;
            for m in 0..j {
                let scaled = self.l[row + m].load::<S>(s) * self.d[m].load::<S>(s);
                u = self.l[above + m].load::<S>(s).mul_add(-scaled, u);
            }
            // A vector that was left out has the pivot 0 and takes part in nothing.
            let d = self.d[j].load::<S>(s);
            let l = if j == 0 { u * inverse } else { d.simd_gt(zero).select(u / d, zero) };
            self.l[row + j].store(l);
            pivot = u.mul_add(-l, pivot);
            z = l.mul_add(-self.z[j].load::<S>(s), z);
        }
        let least = own * splat::<T, S>(s, T::from_f64(least_pivot::<T>()));
        let enters = pivot.simd_ge(least) & pivot.simd_gt(zero);
        let kept = enters.select(pivot, zero);
        self.d[i].store(kept);
        let z = enters.select(z, zero);
        self.z[i].store(z);
        enters.select(z.mul_add(-(z / pivot), rest), rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projects_by_hand() {
        // On (2, 0) and (1, 1) the vector (3, 5) is (-1, 5); (4, 0) is no news.
        let vectors = [[2.0, 0.0], [4.0, 0.0], [1.0, 1.0]];
        let target = [3.0, 5.0];
        let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
        let mut system = System::new(3);
        system.start(dot(target, target) + 7.0);
        let mut kept: Vec<[f64; 2]> = Vec::new();
        for v in vectors {
            if system.add(dot(v, v), dot(v, target), 1e-12, |j| dot(v, kept[j])) {
                kept.push(v);
            }
        }
        assert_eq!(kept, [vectors[0], vectors[2]]);
        assert!((system.rest() - 7.0).abs() < 1e-12);
        assert_eq!(system.solve(), [-1.0, 5.0]);
    }
}
