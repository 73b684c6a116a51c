//! Cost of removing each support vector if others take over its share: small symmetric systems solved side by side, one
//! lane per candidate, on the Gram matrices of the vectors that take over (Wang and Vucetic 2010).

use super::argmin::{ActiveMask, argmin};
use super::buffer::{SimdBuffer, SimdVec};
use super::kernel_matrix::KernelMatrix;
use super::simd::{Simd, V};
use super::simd_impl::operations;
use crate::float::{Mask, Real, Vector};
use crate::slot::Slot;

/// Slot number that means "no slot".
pub(crate) const NO_SLOT: u32 = u32::MAX;

/// The neighbour of one rank (nearest, second nearest, ...) of every slot.
#[derive(Debug, Clone)]
pub(crate) struct NeighbourRank<T: Real> {
    /// The neighbour; [`NO_SLOT`] if there is none.
    pub(crate) slots: Vec<u32>,
    pub(crate) distances: SimdBuffer<T>,
    /// The kernel value with the neighbour; 0 if there is none.
    pub(crate) k: SimdBuffer<T>,
    /// The neighbour's `k_jj`; 0 if there is none.
    pub(crate) diags: SimdBuffer<T>,
}

/// The neighbours of every slot, by rank.
#[derive(Clone, Copy)]
pub(crate) struct NeighbourRanks<'a, T: Real> {
    pub(crate) ranks: &'a [NeighbourRank<T>],
    /// `k_ij`, kept if there is more than one rank.
    pub(crate) kernel_matrix: Option<&'a KernelMatrix<T>>,
}

impl<T: Real> NeighbourRanks<'_, T> {
    /// Kernel value of two active slots; 0 if the kernel matrix is not kept.
    #[inline(always)]
    pub(crate) fn kernel(&self, a: usize, b: usize) -> T {
        self.kernel_matrix.map_or(T::ZERO, |matrix| matrix.row(Slot(a as u32)).get(b))
    }
}

/// The new support vector and the old ones, one of which is to be removed.
#[derive(Clone, Copy)]
pub(crate) struct RemovalCandidates<'a, T: Real> {
    pub(crate) new_slot: Slot,
    /// Kernel row of the new vector.
    pub(crate) k: &'a SimdBuffer<T>,
    pub(crate) k_tt: T,
    /// `k_jj` of every slot.
    pub(crate) diags: &'a SimdBuffer<T>,
    /// `|alpha_j|^2 k_jj` of every slot.
    pub(crate) weights: &'a SimdBuffer<T>,
    pub(crate) live: ActiveMask<'a>,
}

operations! {
    /// Searches for the old support vector whose removal costs least. Ties go to the oldest; costs of pure
    /// rounding are ties. None if no cost is finite.
    pub(crate) trait RemovalOps<T: Real> {
        /// `argmin_r |alpha_r|^2 (k_rr - k_rt^2/k_tt)`: only the new vector t takes over the share of r.
        fn cheapest_given_new(
            s: P,
            candidates: RemovalCandidates<'_, T>,
            costs: &mut SimdBuffer<T>,
        ) -> Option<(Slot, T)> {
            let (one, zero) = (V::splat(s, T::ONE), V::zero(s));
            let (k_tt, rtol) = (V::splat(s, candidates.k_tt), V::splat(s, T::RESIDUAL_RTOL));
            for i_simd in 0..candidates.live.used {
                let k = candidates.k.load(s, i_simd);
                // Free lanes compute 0/0; `argmin` ignores them.
                let residual = (k / candidates.diags.load(s, i_simd)).mul_add(-(k / k_tt), one);
                let residual = residual.gt(rtol).select(residual, zero);
                costs.store(i_simd, candidates.weights.load(s, i_simd) * residual);
            }
            costs.set(candidates.new_slot.index(), T::INFINITY);
            argmin(s, costs, candidates.live, T::TIE_RTOL)
        }

        /// `argmin_r |alpha_r|^2 rho_r`, `rho_r` the squared residual of `phi_r` on the new vector and the
        /// neighbours of r.
        fn cheapest_given_neighbours(
            s: P,
            systems: &mut RemovalSystems<T>,
            candidates: RemovalCandidates<'_, T>,
            neighbours: NeighbourRanks<'_, T>,
        ) -> Option<(Slot, T)> {
            let mut costs = std::mem::take(&mut systems.costs);
            systems.write_costs(s, candidates, neighbours, &mut costs);
            costs.set(candidates.new_slot.index(), T::INFINITY);
            let found = argmin(s, &costs, candidates.live, T::TIE_RTOL);
            systems.costs = costs;
            found
        }
    }
}

/// Least pivot of a vector that joins a system, as a share of its squared norm: 1e-10 (f64), 1e-6 (f32).
pub(crate) fn min_pivot<T: Real>() -> f64 {
    0.1 * T::TIE_RTOL.to_f64()
}

/// The `L D L'` systems of all candidates, one lane per candidate: the Gram matrices of the new vector and the `n`
/// nearest neighbours of each candidate.
#[derive(Debug, Clone)]
pub(crate) struct RemovalSystems<T: Real> {
    n: usize,
    /// Unit lower triangle `L`. Row `i` (neighbours of rank `i`) starts at `i (i + 1)/2` and holds the column of the
    /// new vector, then the columns of the lower ranks.
    l: Vec<SimdVec<T>>,
    d: Vec<SimdVec<T>>,
    z: Vec<SimdVec<T>>,
    /// Kernel row of the new vector, as a plain array.
    row: Vec<T>,
    /// Kernel values of the new vector with the neighbours of every slot, by rank; 0 if there is no neighbour.
    k_t: Vec<Vec<T>>,
    costs: SimdBuffer<T>,
}

impl<T: Real> RemovalSystems<T> {
    pub(crate) fn new(n: usize) -> Self {
        let zeros = |count: usize| vec![SimdVec::default(); count];
        let (l, d, z) = (zeros(n * (n + 1) / 2), zeros(n), zeros(n));
        Self { n, l, d, z, row: Vec::new(), k_t: vec![Vec::new(); n], costs: SimdBuffer::default() }
    }

    /// Writes `|alpha_r|^2 rho_r` of every slot r: `rho_r` is the squared residual of `phi_r` on the new vector and the
    /// neighbours of r, set to zero if only rounding is left. Free lanes are undefined.
    #[inline(always)]
    fn write_costs<S: Simd<T>>(
        &mut self,
        s: S,
        candidates: RemovalCandidates<'_, T>,
        neighbours: NeighbourRanks<'_, T>,
        costs: &mut SimdBuffer<T>,
    ) {
        let RemovalCandidates { k, k_tt, diags, .. } = candidates;
        self.look_up(s, candidates, neighbours);
        costs.grow(k.as_slice().len());
        let residuals = &mut costs.as_mut_slice()[..candidates.live.used];
        let inverse = V::splat(s, T::from_f64(1.0 / k_tt.to_f64()));
        let slots = k.as_slice().iter().zip(diags.as_slice());
        if let ([k_t], [rank]) = (&self.k_t[..], neighbours.ranks) {
            // One neighbour, the default, needs no system in memory: half the time.
            let ranked = k_t.chunks_exact(T::LANES).zip(rank.k.as_slice()).zip(rank.diags.as_slice());
            for (residual, ((k, own), ((k_t, k_r), diag))) in residuals.iter_mut().zip(slots.zip(ranked)) {
                let (new, k_t) = ((k.load(s), inverse), V::<T, S>::from_slice(s, k_t));
                let neighbour = NeighbourResidual::<T, S>::new(new, k_t, k_r.load(s), diag.load(s));
                residual.store(neighbour.join(Self::on_new_alone(new, own.load(s))).0);
            }
        } else {
            for (i_simd, (residual, (k, own))) in residuals.iter_mut().zip(slots).enumerate() {
                let new = (k.load(s), inverse);
                let mut rho = Self::on_new_alone(new, own.load(s));
                for i in 0..self.n {
                    rho = self.add_rank(s, neighbours, i_simd, i, new, rho);
                }
                residual.store(rho);
            }
        }
        let (rtol, zero) = (V::splat(s, T::RESIDUAL_RTOL), V::zero(s));
        for (i_simd, cost) in residuals.iter_mut().enumerate() {
            let residual = cost.load(s) / diags.load(s, i_simd);
            let residual = residual.gt(rtol).select(residual, zero);
            cost.store(candidates.weights.load(s, i_simd) * residual);
        }
    }

    /// Looks up the kernel values of the new vector with all neighbours.
    #[inline(always)]
    fn look_up<S: Simd<T>>(
        &mut self,
        s: S,
        candidates: RemovalCandidates<'_, T>,
        neighbours: NeighbourRanks<'_, T>,
    ) {
        let slots = candidates.live.used * T::LANES;
        self.row.resize(slots, T::ZERO);
        for (part, lanes) in self.row.chunks_exact_mut(T::LANES).zip(candidates.k.as_slice()) {
            lanes.load(s).store_slice(part);
        }
        for (k_t, rank) in self.k_t.iter_mut().zip(neighbours.ranks) {
            k_t.resize(slots, T::ZERO);
            gather(&self.row, &rank.slots, k_t);
        }
    }

    /// Squared residuals of the candidates on the new vector alone: `k_rr - k^2/k_tt`.
    ///
    /// Every product here is fused into an addition: the square of a small kernel value alone is subnormal, which made
    /// narrow kernels three times slower.
    #[inline(always)]
    fn on_new_alone<S: Simd<T>>((k, inverse): (V<T, S>, V<T, S>), own: V<T, S>) -> V<T, S> {
        k.mul_add(-(k * inverse), own)
    }

    /// Adds the neighbours of rank `i` to the systems and returns the new squared residuals.
    #[inline(always)]
    fn add_rank<S: Simd<T>>(
        &mut self,
        s: S,
        neighbours: NeighbourRanks<'_, T>,
        i_simd: usize,
        i: usize,
        new: (V<T, S>, V<T, S>),
        residual: V<T, S>,
    ) -> V<T, S> {
        let rank = &neighbours.ranks[i];
        let slots = i_simd * T::LANES..(i_simd + 1) * T::LANES;
        let zero = V::zero(s);
        let (above, row) = self.l.split_at_mut(i * (i + 1) / 2);
        let k_t = V::<T, S>::from_slice(s, &self.k_t[i][slots.clone()]);
        let mut neighbour =
            NeighbourResidual::<T, S>::new(new, k_t, rank.k.load(s, i_simd), rank.diags.load(s, i_simd));
        row[0].store(neighbour.l);
        for j in 0..i {
            let (slot, other) = (&rank.slots[slots.clone()], &neighbours.ranks[j].slots[slots.clone()]);
            let mut u = V::<T, S>::from_fn(s, |lane| match slot[lane] {
                NO_SLOT => T::ZERO,
                slot => neighbours.kernel(slot as usize, other[lane] as usize),
            });
            let above = &above[j * (j + 1) / 2..];
            u = above[0].load::<S>(s).mul_add(-k_t, u);
            for m in 0..j {
                let scaled = row[m + 1].load::<S>(s) * self.d[m].load::<S>(s);
                u = above[m + 1].load::<S>(s).mul_add(-scaled, u);
            }
            // A neighbour that was left out has pivot 0 and no influence.
            let d = self.d[j].load::<S>(s);
            let l = d.gt(zero).select(u / d, zero);
            row[j + 1].store(l);
            neighbour.subtract(u, l, self.z[j].load(s));
        }
        let (residual, pivot, z) = neighbour.join(residual);
        self.d[i].store(pivot);
        self.z[i].store(z);
        residual
    }
}

/// A neighbour of every candidate, orthogonalised against the new vector and the neighbours of lower rank.
struct NeighbourResidual<T: Real, S: Simd<T>> {
    /// Coefficient of the new vector: `k_tj / k_tt`.
    l: V<T, S>,
    /// The neighbour's squared norm `k_jj`, and its squared residual so far.
    own: V<T, S>,
    pivot: V<T, S>,
    /// The product of its residual with the candidate.
    z: V<T, S>,
}

impl<T: Real, S: Simd<T>> NeighbourResidual<T, S> {
    /// Orthogonalises the neighbours against the new vector. Takes `k_rt` of the candidates and `1/k_tt`, and the
    /// kernel values of the neighbours with the new vector, the candidates and themselves.
    #[inline(always)]
    fn new((k, inverse): (V<T, S>, V<T, S>), k_t: V<T, S>, k_r: V<T, S>, own: V<T, S>) -> Self {
        let l = k_t * inverse;
        let mut neighbour = Self { l, own, pivot: own, z: k_r };
        neighbour.subtract(k_t, l, k);
        neighbour
    }

    /// Subtracts the part along another vector of the system: `u = d l`, and `z` is the product of that vector.
    #[inline(always)]
    fn subtract(&mut self, u: V<T, S>, l: V<T, S>, z: V<T, S>) {
        self.pivot = u.mul_add(-l, self.pivot);
        self.z = l.mul_add(-z, self.z);
    }

    /// Returns the new squared residuals of the candidates, the pivot and `z`. A neighbour in the span of the others,
    /// or a missing neighbour (all products zero), changes nothing and gets pivot and `z` zero.
    #[inline(always)]
    fn join(self, residual: V<T, S>) -> (V<T, S>, V<T, S>, V<T, S>) {
        let Self { own, pivot, z, .. } = self;
        let zero = own.broadcast(T::ZERO);
        let min = own * own.constant(min_pivot::<T>());
        let joins = pivot.ge(min) & pivot.gt(zero);
        let residual = joins.select(z.mul_add(-(z / pivot), residual), residual);
        (residual, joins.select(pivot, zero), joins.select(z, zero))
    }
}

/// `to[i] = row[places[i]]`, 0 if out of range. A plain loop over slices: it compiles to gather instructions if the
/// processor has fast ones.
#[inline(always)]
fn gather<T: Real>(row: &[T], places: &[u32], to: &mut [T]) {
    for (to, &place) in to.iter_mut().zip(places) {
        *to = row.get(place as usize).copied().unwrap_or(T::ZERO);
    }
}
