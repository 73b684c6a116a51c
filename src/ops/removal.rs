//! What the removal of each candidate would cost when others take what they can of it: small symmetric systems side by
//! side, one lane to the candidate, the Gram matrices of the vectors that may take something (Wang and Vucetic 2010).

use super::argmin::{ActiveMask, least};
use super::buffer::{SimdBuffer, SimdVec};
use super::kernel_matrix::KernelMatrix;
use super::simd::{Processor, Simd, V};
use super::{CoefficientView, SimdImpl};
use crate::float::{Mask, Real, Vector};
use crate::slot::Slot;

/// No slot has this number.
pub(crate) const NO_SLOT: u32 = u32::MAX;

/// Of every slot the neighbour of one rank.
#[derive(Debug, Clone)]
pub(crate) struct NeighbourRank<T: Real> {
    /// Who; [`NO_SLOT`] where there is none.
    pub(crate) who: Vec<u32>,
    pub(crate) distances: SimdBuffer<T>,
    /// The kernel value with the neighbour; 0 where there is none.
    pub(crate) k: SimdBuffer<T>,
    /// The neighbour's `k_jj`; 0 where there is none.
    pub(crate) diags: SimdBuffer<T>,
}

/// The neighbours of every slot, rank by rank.
#[derive(Clone, Copy)]
pub(crate) struct NeighbourRanks<'a, T: Real> {
    pub(crate) ranks: &'a [NeighbourRank<T>],
    /// `k_ij`, where there is more than one rank.
    pub(crate) square: Option<&'a KernelMatrix<T>>,
}

impl<T: Real> NeighbourRanks<'_, T> {
    /// The kernel value of two live slots, where there is more than one neighbour.
    #[inline(always)]
    pub(crate) fn between(&self, a: usize, b: usize) -> T {
        self.square.map_or(T::ZERO, |square| square.row(Slot(a as u32)).get(b))
    }
}

/// A newcomer among the support vectors, and those that may leave for it.
#[derive(Clone, Copy)]
pub(crate) struct RemovalCandidates<'a, T: Real> {
    pub(crate) newcomer: Slot,
    /// Its kernel row.
    pub(crate) k: &'a SimdBuffer<T>,
    pub(crate) k_tt: T,
    pub(crate) alpha: CoefficientView<'a, T>,
    /// `k_jj` of every slot.
    pub(crate) diags: &'a SimdBuffer<T>,
    /// `|alpha_j|^2 k_jj` of every slot.
    pub(crate) weights: &'a SimdBuffer<T>,
    pub(crate) live: ActiveMask<'a>,
}

/// The old support vector that costs least; the oldest within the tie tolerance, and of those that cost nothing but
/// rounding. None where no cost is finite.
pub(crate) trait RemovalOps<T: Real> {
    /// `argmin_r |alpha_r|^2 (k_rr - k_rt^2/k_tt)`: the newcomer alone takes what it can.
    fn cheapest_beside(
        &self,
        among: RemovalCandidates<'_, T>,
        costs: &mut SimdBuffer<T>,
    ) -> Option<(Slot, T)>;

    /// `argmin_r |alpha_r|^2 rho_r`, `rho_r` the squared residual of `phi_r` on the newcomer and the neighbours of r.
    fn cheapest_near(
        &self,
        systems: &mut RemovalSystems<T>,
        among: RemovalCandidates<'_, T>,
        near: NeighbourRanks<'_, T>,
    ) -> Option<(Slot, T)>;
}

impl<T: Real, P: Processor + Simd<T>> RemovalOps<T> for SimdImpl<P> {
    fn cheapest_beside(
        &self,
        among: RemovalCandidates<'_, T>,
        costs: &mut SimdBuffer<T>,
    ) -> Option<(Slot, T)> {
        let s = self.0;
        s.run(
            #[inline(always)]
            || {
                let (one, zero) = (V::splat(s, T::ONE), V::zero(s));
                let (k_tt, nothing) = (V::splat(s, among.k_tt), V::splat(s, T::RESIDUAL_RTOL));
                for i_simd in 0..among.live.used {
                    let k = among.k.load(s, i_simd);
                    // Free lanes divide nothing by nothing; they are not looked at.
                    let rest = (k / among.diags.load(s, i_simd)).mul_add(-(k / k_tt), one);
                    let rest = rest.gt(nothing).select(rest, zero);
                    costs.store(i_simd, among.weights.load(s, i_simd) * rest);
                }
                costs.set(among.newcomer.index(), T::INFINITY);
                least(s, costs, among.live, T::TIE_RTOL)
            },
        )
    }

    fn cheapest_near(
        &self,
        systems: &mut RemovalSystems<T>,
        among: RemovalCandidates<'_, T>,
        near: NeighbourRanks<'_, T>,
    ) -> Option<(Slot, T)> {
        let s = self.0;
        s.run(
            #[inline(always)]
            || {
                let mut costs = std::mem::take(&mut systems.costs);
                systems.find(s, among, near, &mut costs);
                costs.set(among.newcomer.index(), T::INFINITY);
                let found = least(s, &costs, among.live, T::TIE_RTOL);
                systems.costs = costs;
                found
            },
        )
    }
}

/// The share of its own squared length that must be left of a vector beside the others of its system: 1e-10, and 1e-6
/// in single precision.
pub(crate) fn least_pivot<T: Real>() -> f64 {
    0.1 * T::TIE_RTOL.to_f64()
}

/// The systems of all candidates side by side, a lane each: on the newcomer and the n nearest of every slot.
#[derive(Debug, Clone)]
pub(crate) struct RemovalSystems<T: Real> {
    n: usize,
    /// Row `i` of the unit triangle `L`, that of the neighbours of rank `i`, at `i (i + 1)/2`: first the newcomer's
    /// column, then those of the ranks before.
    l: Vec<SimdVec<T>>,
    d: Vec<SimdVec<T>>,
    z: Vec<SimdVec<T>>,
    /// The newcomer's kernel row, one number after the other.
    row: Vec<T>,
    /// The newcomer's kernel values with the neighbours of every slot, rank by rank; 0 where there is none.
    nears: Vec<Vec<T>>,
    costs: SimdBuffer<T>,
}

impl<T: Real> RemovalSystems<T> {
    pub(crate) fn new(n: usize) -> Self {
        let data = |count: usize| vec![SimdVec::default(); count];
        let (l, d, z) = (data(n * (n + 1) / 2), data(n), data(n));
        Self { n, l, d, z, row: Vec::new(), nears: vec![Vec::new(); n], costs: SimdBuffer::default() }
    }

    /// `|alpha_r|^2 rho_r` of every slot r, from the newcomer's kernel row `k`: `rho_r` is the squared residual of
    /// `phi_r` on the newcomer and the neighbours of r, and none at all where only rounding is left. Free lanes hold
    /// nonsense.
    #[inline(always)]
    fn find<S: Simd<T>>(
        &mut self,
        s: S,
        among: RemovalCandidates<'_, T>,
        near: NeighbourRanks<'_, T>,
        costs: &mut SimdBuffer<T>,
    ) {
        let RemovalCandidates { k, k_tt, diags, .. } = among;
        self.look_up(s, among, near);
        costs.grow(k.as_slice().len());
        let rests = &mut costs.as_mut_slice()[..among.live.used];
        let inverse = V::splat(s, T::from_f64(1.0 / k_tt.to_f64()));
        let slots = k.as_slice().iter().zip(diags.as_slice());
        if let ([nears], [rank]) = (&self.nears[..], near.ranks) {
            // One neighbour, the default, needs no system in memory: that takes about half the time.
            let ranked = nears.chunks_exact(T::LANES).zip(rank.k.as_slice()).zip(rank.diags.as_slice());
            for (rest, ((k, own), ((k_t, k_r), diag))) in rests.iter_mut().zip(slots.zip(ranked)) {
                let (newcomer, k_t) = ((k.load(s), inverse), V::<T, S>::from_slice(s, k_t));
                let beside = NeighbourResidual::<T, S>::new(newcomer, k_t, k_r.load(s), diag.load(s));
                rest.store(beside.enter(Self::alone(newcomer, own.load(s))).0);
            }
        } else {
            for (i_simd, (rest, (k, own))) in rests.iter_mut().zip(slots).enumerate() {
                let newcomer = (k.load(s), inverse);
                let mut left = Self::alone(newcomer, own.load(s));
                for i in 0..self.n {
                    left = self.add(s, near, i_simd, i, newcomer, left);
                }
                rest.store(left);
            }
        }
        among.alpha.weigh(s, diags, rests);
    }

    /// The newcomer's kernel values with all neighbours.
    #[inline(always)]
    fn look_up<S: Simd<T>>(&mut self, s: S, among: RemovalCandidates<'_, T>, near: NeighbourRanks<'_, T>) {
        let slots = among.live.used * T::LANES;
        self.row.resize(slots, T::ZERO);
        for (part, lanes) in self.row.chunks_exact_mut(T::LANES).zip(among.k.as_slice()) {
            lanes.load(s).store_slice(part);
        }
        for (nears, rank) in self.nears.iter_mut().zip(near.ranks) {
            nears.resize(slots, T::ZERO);
            gather(&self.row, &rank.who, nears);
        }
    }

    /// What the newcomer alone, of the product `k` with the candidates and of `1/k_tt`, leaves of their squared
    /// lengths.
    ///
    /// Fused, as all here: the square of a small kernel value alone is subnormal, and a narrow kernel took three times
    /// as long.
    #[inline(always)]
    fn alone<S: Simd<T>>((k, inverse): (V<T, S>, V<T, S>), own: V<T, S>) -> V<T, S> {
        k.mul_add(-(k * inverse), own)
    }

    /// Adds the neighbours of rank `i`. Takes the residual before and returns the residual after them.
    #[inline(always)]
    fn add<S: Simd<T>>(
        &mut self,
        s: S,
        near: NeighbourRanks<'_, T>,
        i_simd: usize,
        i: usize,
        newcomer: (V<T, S>, V<T, S>),
        rest: V<T, S>,
    ) -> V<T, S> {
        let rank = &near.ranks[i];
        let slots = i_simd * T::LANES..(i_simd + 1) * T::LANES;
        let zero = V::zero(s);
        let (above, row) = self.l.split_at_mut(i * (i + 1) / 2);
        let k_t = V::<T, S>::from_slice(s, &self.nears[i][slots.clone()]);
        let mut beside =
            NeighbourResidual::<T, S>::new(newcomer, k_t, rank.k.load(s, i_simd), rank.diags.load(s, i_simd));
        row[0].store(beside.l);
        for j in 0..i {
            let (who, other) = (&rank.who[slots.clone()], &near.ranks[j].who[slots.clone()]);
            let mut u = V::<T, S>::from_fn(s, |lane| match who[lane] {
                NO_SLOT => T::ZERO,
                who => near.between(who as usize, other[lane] as usize),
            });
            let above = &above[j * (j + 1) / 2..];
            u = above[0].load::<S>(s).mul_add(-k_t, u);
            for m in 0..j {
                let scaled = row[m + 1].load::<S>(s) * self.d[m].load::<S>(s);
                u = above[m + 1].load::<S>(s).mul_add(-scaled, u);
            }
            // A vector that was left out has the pivot 0 and takes part in nothing.
            let d = self.d[j].load::<S>(s);
            let l = d.gt(zero).select(u / d, zero);
            row[j + 1].store(l);
            beside.subtract(u, l, self.z[j].load(s));
        }
        let (rest, pivot, z) = beside.enter(rest);
        self.d[i].store(pivot);
        self.z[i].store(z);
        rest
    }
}

/// A neighbour of every candidate, beside the newcomer and those that were subtracted since.
struct NeighbourResidual<T: Real, S: Simd<T>> {
    /// Its coefficient of the newcomer.
    l: V<T, S>,
    /// Its own squared length, and what is left of it.
    own: V<T, S>,
    pivot: V<T, S>,
    /// What is left of its product with the candidate.
    z: V<T, S>,
}

impl<T: Real, S: Simd<T>> NeighbourResidual<T, S> {
    /// From the newcomer's product with the candidates and `1/k_tt`, and the neighbours' products with the newcomer,
    /// the candidates and themselves.
    #[inline(always)]
    fn new((k, inverse): (V<T, S>, V<T, S>), k_t: V<T, S>, k_r: V<T, S>, own: V<T, S>) -> Self {
        let l = k_t * inverse;
        let mut near = Self { l, own, pivot: own, z: k_r };
        near.subtract(k_t, l, k);
        near
    }

    /// Subtracts its part along a vector: `u = d l`, and `z` is that one's.
    #[inline(always)]
    fn subtract(&mut self, u: V<T, S>, l: V<T, S>, z: V<T, S>) {
        self.pivot = u.mul_add(-l, self.pivot);
        self.z = l.mul_add(-z, self.z);
    }

    /// From the residual of the candidates returns the new residual, the pivot and `z`. Where it lies in the span of
    /// the others nothing changes, and both are zero; so where there is no neighbour, whose products are all zero.
    #[inline(always)]
    fn enter(self, rest: V<T, S>) -> (V<T, S>, V<T, S>, V<T, S>) {
        let Self { own, pivot, z, .. } = self;
        let zero = own.broadcast(T::ZERO);
        let least = own * own.constant(least_pivot::<T>());
        let enters = pivot.ge(least) & pivot.gt(zero);
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
