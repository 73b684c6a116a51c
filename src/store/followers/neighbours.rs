//! A follower of the slots: the nearest neighbours of every support vector, by the distance in feature space.

use super::DerivedState;
use crate::error::Result;
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::ops::removal::{NO_SLOT, NeighbourRank, NeighbourRanks};
use crate::ops::{KernelMatrix, NeighbourRow, SimdBuffer};
use crate::persist::Tensors;
use crate::row::Row;
use crate::slot::Slot;
use crate::store::edits::{Edit, MergedPair, NewVector};
use crate::store::support::SupportSet;

/// A neighbour: who, how far in feature space, squared, and the kernel value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Neighbour<T> {
    pub(crate) slot: Slot,
    pub(crate) distance: T,
    pub(crate) k: T,
}

/// The `n` nearest of every support vector, nearest first, the older one where they are as near:
/// `|phi_i - phi_j|^2 = k_ii + k_jj - 2 k_ij`.
///
/// A newcomer that exceeds the budget has neighbours but is nobody's, until it is known who leaves. Invariant: each
/// list holds the nearest of all other live slots but the newcomer.
#[derive(Debug, Clone)]
pub(crate) struct Neighbours<T: Real> {
    /// The nearest of every slot first, then the second nearest, and so on.
    ranks: Vec<NeighbourRank<T>>,
    /// The distance that a new neighbour must be under: that of the last rank; below all distances where the slot is
    /// not live.
    reach: SimdBuffer<T>,
    newcomer: Option<Slot>,
    /// The kernel row of the slot inserted last.
    row: SimdBuffer<T>,
    /// `k_ij`, a row to the slot; kept for two neighbours and more, which ask for the values among them.
    gram: Option<KernelMatrix<T>>,
    distances: SimdBuffer<T>,
    /// Whose lists a new slot may enter.
    closer: Vec<Slot>,
    /// Whose lists must be made anew.
    orphans: Vec<Slot>,
    /// Another slot's vector and kernel row.
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
            newcomer: None,
            row: SimdBuffer::default(),
            gram: (n > 1).then(KernelMatrix::default),
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
        NeighbourRanks { ranks: &self.ranks, kernel_matrix: self.gram.as_ref() }
    }

    /// Finds the neighbours of a slot by its kernel row, among the live slots but itself and the newcomer.
    fn find(&mut self, slot: Slot, k: &SimdBuffer<T>, support: &SupportSet<T>) {
        let around = NeighbourRow { slot, k, diags: support.expansion.diags(), live: support.live() };
        let reach = support.ops.find_neighbours(around, self.newcomer, &mut self.ranks, &mut self.distances);
        self.reach.set(slot.index(), reach);
    }

    /// A new slot. A dense row has its kernel row already; that of a sparse one is summed up in another order than
    /// between stored vectors. One that exceeds the budget is nobody's neighbour as yet.
    fn insert(&mut self, kernel: AnyKernel, slot: Slot, new: &NewVector<'_, T>, support: &SupportSet<T>) {
        let mut k = std::mem::take(&mut self.row);
        match new.x {
            Row::Dense(_) => {
                k.as_mut_slice().iter_mut().zip(new.k.as_slice()).for_each(|(to, from)| *to = *from);
            }
            Row::Sparse(..) => support.row(kernel, slot, &mut self.x, &mut k),
        }
        if let Some(gram) = &mut self.gram {
            gram.set(slot, &k, support.expansion.diags().get(slot.index()), support.age.iter());
        }
        self.newcomer = None;
        self.find(slot, &k, support);
        if support.capacity.is_some_and(|capacity| support.len() == capacity) {
            self.newcomer = Some(slot);
        } else {
            self.enter(slot, &k, support);
        }
        self.row = k;
    }

    /// Offers a slot to the lists of all others: it is younger than whoever is in them.
    fn enter(&mut self, slot: Slot, k: &SimdBuffer<T>, support: &SupportSet<T>) {
        let around = NeighbourRow { slot, k, diags: support.expansion.diags(), live: support.live() };
        self.closer.clear();
        support.ops.find_closer(around, &self.reach, &mut self.distances, &mut self.closer);
        let own = around.diags.get(slot.index());
        for i in 0..self.closer.len() {
            let other = self.closer[i].index();
            self.offer(other, slot, [self.distances.get(other), k.get(other), own]);
        }
    }

    /// Puts a younger neighbour into the list of a slot; the last one drops out.
    fn offer(&mut self, to: usize, mut who: Slot, [mut distance, mut k, mut diag]: [T; 3]) {
        let mut displaces = false;
        for rank in &mut self.ranks {
            displaces |= distance < rank.distances.get(to) || rank.slots[to] == NO_SLOT;
            if displaces {
                who = Slot(std::mem::replace(&mut rank.slots[to], who.0));
                let next = (rank.distances.get(to), rank.k.get(to), rank.diags.get(to));
                rank.distances.set(to, distance);
                rank.k.set(to, k);
                rank.diags.set(to, diag);
                (distance, k, diag) = next;
                if who.0 == NO_SLOT {
                    break;
                }
            }
        }
        let last = self.ranks.last().map_or(T::MIN, |rank| rank.distances.get(to));
        self.reach.set(to, last);
    }

    /// Forgets a slot that is no longer live.
    fn remove(&mut self, kernel: AnyKernel, slot: Slot, support: &SupportSet<T>) {
        for rank in &mut self.ranks {
            rank.slots[slot.index()] = NO_SLOT;
            rank.k.set(slot.index(), T::ZERO);
            rank.diags.set(slot.index(), T::ZERO);
        }
        self.reach.set(slot.index(), T::MIN);
        let newcomer = self.newcomer.take();
        if newcomer == Some(slot) {
            return;
        }
        if let Some(newcomer) = newcomer {
            let own = std::mem::take(&mut self.row);
            self.enter(newcomer, &own, support);
            self.row = own;
        }
        self.orphans.clear();
        for rank in &self.ranks {
            support.ops.find_with_neighbour(rank, slot, support.used(), &mut self.orphans);
        }
        let mut k = std::mem::take(&mut self.k);
        while let Some(orphan) = self.orphans.pop() {
            match &self.gram {
                Some(gram) => k.as_mut_slice().copy_from_slice(gram.row(orphan).as_slice()),
                None => support.row(kernel, orphan, &mut self.x, &mut k),
            }
            self.find(orphan, &k, support);
        }
        self.k = k;
    }
}

impl<T: Real> DerivedState<T> for Neighbours<T> {
    fn after(&mut self, kernel: AnyKernel, edit: &Edit<'_, T>, support: &SupportSet<T>) {
        match edit {
            Edit::Insert { slot, new } => self.insert(kernel, *slot, new, support),
            Edit::Remove { slot, .. } | Edit::Project { p: slot, .. } => self.remove(kernel, *slot, support),
            Edit::Merge { merger: MergedPair { m, .. }, .. } => {
                self.remove(kernel, *m, support);
                self.refresh(kernel, support);
            }
            // Distances do not depend on coefficients.
            Edit::Give { .. }
            | Edit::Redirect { .. }
            | Edit::Absorb { .. }
            | Edit::Rescale { .. }
            | Edit::RescaleOthers { .. }
            | Edit::StepLinear { .. }
            | Edit::CommitInsert => {}
        }
    }

    fn grow(&mut self, vectors: usize) {
        let (before, slots) = (self.reach.as_slice().len() * T::LANES, vectors * T::LANES);
        for rank in &mut self.ranks {
            rank.slots.resize(slots, NO_SLOT);
            rank.distances.grow(vectors);
            rank.k.grow(vectors);
            rank.diags.grow(vectors);
        }
        self.reach.grow(vectors);
        for slot in before..slots {
            self.reach.set(slot, T::MIN);
        }
        self.distances.grow(vectors);
        self.k.grow(vectors);
        self.row.grow(vectors);
        self.closer.reserve(slots);
        self.orphans.reserve(slots);
        if let Some(gram) = &mut self.gram {
            gram.grow(vectors);
        }
    }

    fn refresh(&mut self, kernel: AnyKernel, support: &SupportSet<T>) {
        self.newcomer = None;
        let mut k = std::mem::take(&mut self.k);
        for slot in support.age.iter() {
            support.row(kernel, slot, &mut self.x, &mut k);
            if let Some(gram) = &mut self.gram {
                gram.set(slot, &k, support.expansion.diags().get(slot.index()), support.age.iter());
            }
            self.find(slot, &k, support);
        }
        self.k = k;
    }

    /// They are not saved.
    fn load(&mut self, kernel: AnyKernel, _: &Tensors, support: &SupportSet<T>) -> Result<()> {
        self.refresh(kernel, support);
        Ok(())
    }
}
