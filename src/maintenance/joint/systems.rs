//! Small symmetric systems side by side, one to the candidate: the Gram matrices of the vectors that may take something.

use crate::float::{Real, splat};
use crate::ops::{Lanes, Line};
use crate::store::{NOBODY, Neighbours, Store};
use fearless_simd::{Select, Simd, SimdBase, SimdFloat};

/// The share of its own squared length that must be left of a vector beside the others of its system: 1e-10, and 1e-6 in
/// single precision.
pub(super) fn least_pivot<T: Real>() -> f64 {
    0.1 * T::TIE.to_f64()
}

/// The systems of all candidates side by side, a lane each: on the newcomer and the n nearest of every slot.
#[derive(Debug, Clone)]
pub(super) struct Systems<T: Real> {
    n: usize,
    /// Row `i` of the unit triangle `L`, that of the neighbours of rank `i`, at `i (i + 1)/2`: first the newcomer's column,
    /// then those of the ranks before.
    l: Vec<Line<T>>,
    d: Vec<Line<T>>,
    z: Vec<Line<T>>,
    /// The newcomer's kernel row, one number after the other.
    row: Vec<T>,
    /// The newcomer's kernel values with the neighbours of every slot, rank by rank; 0 where there is none.
    nears: Vec<Vec<T>>,
}

impl<T: Real> Systems<T> {
    pub(super) fn new(n: usize) -> Self {
        let lines = |count: usize| vec![Line::default(); count];
        let (l, d, z) = (lines(n * (n + 1) / 2), lines(n), lines(n));
        Self { n, l, d, z, row: Vec::new(), nears: vec![Vec::new(); n] }
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
        self.look_up(s, store, k);
        costs.grow(store.vectors());
        let rests = &mut costs.lines_mut()[..store.used()];
        let inverse = splat::<T, S>(s, T::from_f64(1.0 / k_tt.to_f64()));
        let slots = k.lines().iter().zip(store.expansion().diags().lines());
        if let ([nears], [rank]) = (&self.nears[..], store.neighbours().ranks()) {
            // One neighbour, the default, needs no system in memory: that takes about half the time.
            let ranked = nears.chunks_exact(T::LANES).zip(rank.k.lines()).zip(rank.diags.lines());
            for (rest, ((k, own), ((k_t, k_r), diag))) in rests.iter_mut().zip(slots.zip(ranked)) {
                let (newcomer, k_t) = ((k.load(s), inverse), T::V::<S>::from_slice(s, k_t));
                let near = Beside::<T, S>::new(newcomer, k_t, k_r.load(s), diag.load(s));
                rest.store(near.enter(s, Self::alone(newcomer, own.load(s))).0);
            }
        } else {
            for (vector, (rest, (k, own))) in rests.iter_mut().zip(slots).enumerate() {
                let newcomer = (k.load(s), inverse);
                let mut left = Self::alone(newcomer, own.load(s));
                for i in 0..self.n {
                    left = self.add(s, store.neighbours(), vector, i, newcomer, left);
                }
                rest.store(left);
            }
        }
        store.expansion().weigh(s, rests);
    }

    /// The newcomer's kernel values with all neighbours.
    #[inline(always)]
    fn look_up<S: Simd>(&mut self, s: S, store: &Store<T>, k: &Lanes<T>) {
        let slots = store.used() * T::LANES;
        self.row.resize(slots, T::ZERO);
        for (part, line) in self.row.chunks_exact_mut(T::LANES).zip(k.lines()) {
            line.load(s).store_slice(part);
        }
        for (nears, rank) in self.nears.iter_mut().zip(store.neighbours().ranks()) {
            nears.resize(slots, T::ZERO);
            gather(&self.row, &rank.who, nears);
        }
    }

    /// What the newcomer alone, of the product `k` with the candidates and of `1/k_tt`, leaves of their squared lengths.
    ///
    /// Fused, as all here: the square of a small kernel value alone is subnormal, and a narrow kernel took three times as
    /// long.
    #[inline(always)]
    fn alone<S: Simd>((k, inverse): (T::V<S>, T::V<S>), own: T::V<S>) -> T::V<S> {
        k.mul_add(-(k * inverse), own)
    }

    /// Adds the neighbours of rank `i`. From what was left before gives what is left beside them.
    #[inline(always)]
    fn add<S: Simd>(
        &mut self,
        s: S,
        neighbours: &Neighbours<T>,
        vector: usize,
        i: usize,
        newcomer: (T::V<S>, T::V<S>),
        rest: T::V<S>,
    ) -> T::V<S> {
        let rank = &neighbours.ranks()[i];
        let slots = vector * T::LANES..(vector + 1) * T::LANES;
        let zero = splat::<T, S>(s, T::ZERO);
        let (above, row) = self.l.split_at_mut(i * (i + 1) / 2);
        let k_t = T::V::<S>::from_slice(s, &self.nears[i][slots.clone()]);
        let mut near = Beside::<T, S>::new(newcomer, k_t, rank.k.load(s, vector), rank.diags.load(s, vector));
        row[0].store(near.l);
        for j in 0..i {
            let (who, other) = (&rank.who[slots.clone()], &neighbours.ranks()[j].who[slots.clone()]);
            let mut u = T::V::<S>::from_fn(s, |lane| match who[lane] {
                NOBODY => T::ZERO,
                who => neighbours.between(who as usize, other[lane] as usize),
            });
            let above = &above[j * (j + 1) / 2..];
            u = above[0].load::<S>(s).mul_add(-k_t, u);
            for m in 0..j {
                let scaled = row[m + 1].load::<S>(s) * self.d[m].load::<S>(s);
                u = above[m + 1].load::<S>(s).mul_add(-scaled, u);
            }
            // A vector that was left out has the pivot 0 and takes part in nothing.
            let d = self.d[j].load::<S>(s);
            let l = d.simd_gt(zero).select(u / d, zero);
            row[j + 1].store(l);
            near.subtract(u, l, self.z[j].load(s));
        }
        let (rest, pivot, z) = near.enter(s, rest);
        self.d[i].store(pivot);
        self.z[i].store(z);
        rest
    }
}

/// A neighbour of every candidate, beside the newcomer and those that were subtracted since.
struct Beside<T: Real, S: Simd> {
    /// Its coefficient of the newcomer.
    l: T::V<S>,
    /// Its own squared length, and what is left of it.
    own: T::V<S>,
    pivot: T::V<S>,
    /// What is left of its product with the candidate.
    z: T::V<S>,
}

impl<T: Real, S: Simd> Beside<T, S> {
    /// From the newcomer's product with the candidates and `1/k_tt`, and the neighbours' products with the newcomer, the
    /// candidates and themselves.
    #[inline(always)]
    fn new((k, inverse): (T::V<S>, T::V<S>), k_t: T::V<S>, k_r: T::V<S>, own: T::V<S>) -> Self {
        let l = k_t * inverse;
        let mut near = Self { l, own, pivot: own, z: k_r };
        near.subtract(k_t, l, k);
        near
    }

    /// Subtracts its part along a vector: `u = d l`, and `z` is that one's.
    #[inline(always)]
    fn subtract(&mut self, u: T::V<S>, l: T::V<S>, z: T::V<S>) {
        self.pivot = u.mul_add(-l, self.pivot);
        self.z = l.mul_add(-z, self.z);
    }

    /// From what was left of the candidates gives what is left now, and pivot and `z`. Where it lies in the span of the
    /// others nothing changes, and both are zero; so where there is no neighbour, whose products are all zero.
    #[inline(always)]
    fn enter(self, s: S, rest: T::V<S>) -> (T::V<S>, T::V<S>, T::V<S>) {
        let Self { own, pivot, z, .. } = self;
        let zero = splat::<T, S>(s, T::ZERO);
        let least = own * splat::<T, S>(s, T::from_f64(least_pivot::<T>()));
        let enters = pivot.simd_ge(least) & pivot.simd_gt(zero);
        let rest = enters.select(z.mul_add(-(z / pivot), rest), rest);
        (rest, enters.select(pivot, zero), enters.select(z, zero))
    }
}

/// The number at each place of a row, 0 where the row has no such place. Nothing but a loop over slices: it compiles to
/// gathering loads where the processor has good ones.
#[inline(always)]
fn gather<T: Real>(row: &[T], places: &[u32], to: &mut [T]) {
    for (to, &place) in to.iter_mut().zip(places) {
        *to = row.get(place as usize).copied().unwrap_or(T::ZERO);
    }
}
