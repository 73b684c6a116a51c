//! The nearest neighbours of every support vector, by the distance in feature space.

use super::DerivedState;
use crate::batch::Row;
use crate::error::Result;
use crate::expansion::{Edit, KernelExpansion, MergedPair, NewSupportVector, OnEdit, SupportSet};
use crate::float::Real;
use crate::ops::removal::{NO_SLOT, NeighbourRank, NeighbourRanks, RemovalSystems};
use crate::ops::{KernelMatrix, NeighbourRow, SimdBuffer};
use crate::persist::Tensors;
use crate::slot::Slot;

/// A neighbour of a support vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Neighbour<T> {
    pub(crate) slot: Slot,
    /// The squared distance in feature space.
    pub(crate) distance: T,
    /// The kernel value.
    pub(crate) k: T,
}

/// The `n` nearest neighbours of every support vector, nearest first, ties to the older one:
/// `|phi_i - phi_j|^2 = k_ii + k_jj - 2 k_ij`.
///
/// A new vector that exceeds the budget has neighbours, but enters no list before a removal. Invariant: each list holds
/// the nearest of all other live slots, except the pending slot.
#[derive(Debug, Clone)]
pub(crate) struct Neighbours<T: Real> {
    /// The nearest neighbour of every slot, then the second nearest, and so on.
    ranks: Vec<NeighbourRank<T>>,
    /// The distance of the last rank, which a new neighbour must be under; below all distances if the slot is not live.
    reach: SimdBuffer<T>,
    /// The new slot, if it exceeds the budget.
    pending: Option<Slot>,
    /// The kernel row of the slot inserted last.
    row: SimdBuffer<T>,
    /// `k_ij`, one row per slot; only for `n > 1`, where kernel values between neighbours are needed.
    kernel_matrix: Option<KernelMatrix<T>>,
    distances: SimdBuffer<T>,
    /// The slots whose lists the new slot enters.
    closer: Vec<Slot>,
    /// The slots whose lists must be searched again.
    orphans: Vec<Slot>,
    /// The vector and the kernel row of any other slot.
    x: Vec<T>,
    k: SimdBuffer<T>,
}

impl<T: Real> Neighbours<T> {
    pub(crate) fn new(n: usize) -> Self {
        let rank = || {
            let (distances, k, diags) = (SimdBuffer::default(), SimdBuffer::default(), SimdBuffer::default());
            NeighbourRank { slots: Vec::new(), distances, k, diags }
        };
        Self {
            ranks: (0..n).map(|_| rank()).collect(),
            reach: SimdBuffer::default(),
            pending: None,
            row: SimdBuffer::default(),
            kernel_matrix: (n > 1).then(KernelMatrix::default),
            distances: SimdBuffer::default(),
            closer: Vec::new(),
            orphans: Vec::new(),
            x: Vec::new(),
            k: SimdBuffer::default(),
        }
    }

    /// The neighbours of a slot, nearest first.
    pub(crate) fn of(&self, slot: Slot) -> impl Iterator<Item = Neighbour<T>> + '_ {
        let i = slot.index();
        let ranks = self.ranks.iter().take_while(move |rank| rank.slots[i] != NO_SLOT);
        ranks.map(move |rank| Neighbour {
            slot: Slot(rank.slots[i]),
            distance: rank.distances.get(i),
            k: rank.k.get(i),
        })
    }

    /// Neighbours by rank, of every slot.
    pub(crate) fn ranks(&self) -> NeighbourRanks<'_, T> {
        NeighbourRanks { ranks: &self.ranks, kernel_matrix: self.kernel_matrix.as_ref() }
    }

    /// The old support vector whose projection on the new vector `t` and on its own nearest neighbours changes the
    /// model least, and the squared change.
    pub(crate) fn cheapest(
        &self,
        systems: &mut RemovalSystems<T>,
        expansion: &KernelExpansion<T>,
        t: Slot,
        k: &SimdBuffer<T>,
        k_tt: T,
    ) -> (Slot, f64) {
        let candidates = expansion.removal_candidates(t, k, k_tt);
        let found = expansion.ops().cheapest_given_neighbours(systems, candidates, self.ranks());
        found.map_or_else(|| (expansion.nth_oldest(0), 0.0), |(slot, cost)| (slot, cost.to_f64()))
    }

    /// Finds the neighbours of a slot by its kernel row, among all other live slots except the pending slot.
    fn find(&mut self, slot: Slot, k: &SimdBuffer<T>, support: &SupportSet<T>) {
        let around = NeighbourRow { slot, k, diags: support.coefficients.diags(), live: support.live() };
        let reach = support.ops.find_neighbours(around, self.pending, &mut self.ranks, &mut self.distances);
        self.reach.set(slot.index(), reach);
    }

    /// Inserts a new slot; one that exceeds the budget enters no list yet. The kernel row of a dense row is reused. A
    /// sparse row is summed in another order than stored vectors, so its kernel row is computed again.
    fn insert(&mut self, slot: Slot, new: &NewSupportVector<'_, T>, support: &SupportSet<T>) {
        let mut k = std::mem::take(&mut self.row);
        match new.z {
            Row::Dense(_) => {
                k.as_mut_slice().iter_mut().zip(new.k.as_slice()).for_each(|(to, from)| *to = *from);
            }
            Row::Sparse(..) => support.kernel_row(slot, &mut self.x, &mut k),
        }
        if let Some(kernel_matrix) = &mut self.kernel_matrix {
            kernel_matrix.set(slot, &k, support.coefficients.diags().get(slot.index()), support.order.iter());
        }
        self.pending = None;
        self.find(slot, &k, support);
        if support.capacity.is_some_and(|capacity| support.len() == capacity) {
            self.pending = Some(slot);
        } else {
            self.enter(slot, &k, support);
        }
        self.row = k;
    }

    /// Enters a slot into the lists of all other slots that it is close enough to. The slot must be newer than all
    /// listed slots, because ties go to the older one.
    fn enter(&mut self, slot: Slot, k: &SimdBuffer<T>, support: &SupportSet<T>) {
        let around = NeighbourRow { slot, k, diags: support.coefficients.diags(), live: support.live() };
        self.closer.clear();
        support.ops.find_closer(around, &self.reach, &mut self.distances, &mut self.closer);
        let diag = around.diags.get(slot.index());
        for i in 0..self.closer.len() {
            let other = self.closer[i].index();
            self.enter_list(other, slot, [self.distances.get(other), k.get(other), diag]);
        }
    }

    /// Puts a newer neighbour into the list of a slot, and drops the last one.
    fn enter_list(&mut self, to: usize, mut neighbour: Slot, [mut distance, mut k, mut diag]: [T; 3]) {
        let mut displaces = false;
        for rank in &mut self.ranks {
            displaces |= distance < rank.distances.get(to) || rank.slots[to] == NO_SLOT;
            if displaces {
                neighbour = Slot(std::mem::replace(&mut rank.slots[to], neighbour.0));
                let next = (rank.distances.get(to), rank.k.get(to), rank.diags.get(to));
                rank.distances.set(to, distance);
                rank.k.set(to, k);
                rank.diags.set(to, diag);
                (distance, k, diag) = next;
                if neighbour.0 == NO_SLOT {
                    break;
                }
            }
        }
        let last = self.ranks.last().map_or(T::MIN, |rank| rank.distances.get(to));
        self.reach.set(to, last);
    }

    /// Removes a slot that is no longer live from all lists, and finds the missing neighbours.
    fn remove(&mut self, slot: Slot, support: &SupportSet<T>) {
        for rank in &mut self.ranks {
            rank.slots[slot.index()] = NO_SLOT;
            rank.k.set(slot.index(), T::ZERO);
            rank.diags.set(slot.index(), T::ZERO);
        }
        self.reach.set(slot.index(), T::MIN);
        let pending = self.pending.take();
        if pending == Some(slot) {
            return;
        }
        if let Some(pending) = pending {
            let row = std::mem::take(&mut self.row);
            self.enter(pending, &row, support);
            self.row = row;
        }
        self.orphans.clear();
        for rank in &self.ranks {
            support.ops.find_with_neighbour(rank, slot, support.n_simd_used(), &mut self.orphans);
        }
        let mut k = std::mem::take(&mut self.k);
        while let Some(orphan) = self.orphans.pop() {
            match &self.kernel_matrix {
                Some(kernel_matrix) => k.as_mut_slice().copy_from_slice(kernel_matrix.row(orphan).as_slice()),
                None => support.kernel_row(orphan, &mut self.x, &mut k),
            }
            self.find(orphan, &k, support);
        }
        self.k = k;
    }
}

impl<T: Real> OnEdit<T> for Neighbours<T> {
    fn after_edit(&mut self, edit: &Edit<'_, T>, support: &SupportSet<T>) {
        match edit {
            Edit::Insert { slot, new } => self.insert(*slot, new, support),
            Edit::Remove { slot, .. } | Edit::Project { p: slot, .. } => self.remove(*slot, support),
            Edit::Merge { merger: MergedPair { m, .. }, .. } => {
                self.remove(*m, support);
                self.refresh(support);
            }
            // Distances do not depend on coefficients.
            Edit::Give { .. }
            | Edit::Redirect { .. }
            | Edit::Absorb { .. }
            | Edit::MultiplyAll { .. }
            | Edit::MultiplyOthers { .. }
            | Edit::StepLinear { .. }
            | Edit::CommitInsert => {}
        }
    }

    fn reserve(&mut self, n_simd: usize) {
        let (before, slots) = (self.reach.as_slice().len() * T::LANES, n_simd * T::LANES);
        for rank in &mut self.ranks {
            rank.slots.resize(slots, NO_SLOT);
            rank.distances.grow(n_simd);
            rank.k.grow(n_simd);
            rank.diags.grow(n_simd);
        }
        self.reach.grow(n_simd);
        for slot in before..slots {
            self.reach.set(slot, T::MIN);
        }
        self.distances.grow(n_simd);
        self.k.grow(n_simd);
        self.row.grow(n_simd);
        self.closer.reserve(slots);
        self.orphans.reserve(slots);
        if let Some(kernel_matrix) = &mut self.kernel_matrix {
            kernel_matrix.grow(n_simd);
        }
    }

    fn refresh(&mut self, support: &SupportSet<T>) {
        self.pending = None;
        let mut k = std::mem::take(&mut self.k);
        for slot in support.order.iter() {
            support.kernel_row(slot, &mut self.x, &mut k);
            if let Some(kernel_matrix) = &mut self.kernel_matrix {
                kernel_matrix.set(
                    slot,
                    &k,
                    support.coefficients.diags().get(slot.index()),
                    support.order.iter(),
                );
            }
            self.find(slot, &k, support);
        }
        self.k = k;
    }
}

impl<T: Real> DerivedState<T> for Neighbours<T> {
    fn load(&mut self, _: &Tensors, support: &SupportSet<T>) -> Result<()> {
        self.refresh(support);
        Ok(())
    }
}
