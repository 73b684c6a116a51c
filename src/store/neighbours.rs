//! A follower of the slots: the nearest neighbours of every support vector, by the distance in feature space.

use super::Slot;
use super::age::Age;
use super::square::Square;
use crate::float::{Real, splat};
use crate::ops::Lanes;
use fearless_simd::{Simd, SimdBase, SimdFloat, SimdMask};

/// A neighbour: who, how far in feature space, squared, and the kernel value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Near<T> {
    pub(crate) slot: Slot,
    pub(crate) distance: T,
    pub(crate) k: T,
}

/// Of every slot the neighbour of one rank.
#[derive(Debug, Clone)]
pub(crate) struct Rank<T: Real> {
    /// Who; [`NOBODY`] where there is none.
    pub(crate) who: Vec<u32>,
    distances: Lanes<T>,
    /// The kernel value with the neighbour; 0 where there is none.
    pub(crate) k: Lanes<T>,
    /// The neighbour's `k_jj`; 0 where there is none.
    pub(crate) diags: Lanes<T>,
}

/// No slot has this number.
pub(crate) const NOBODY: u32 = u32::MAX;

/// The slots that neighbours are found among.
#[derive(Clone, Copy)]
pub(super) struct Slots<'a, T: Real> {
    pub(super) diags: &'a Lanes<T>,
    pub(super) age: &'a Age,
    /// Vectors of lanes in use.
    pub(super) used: usize,
}

/// The `n` nearest of every support vector, nearest first, the older one where they are as near:
/// `|phi_i - phi_j|^2 = k_ii + k_jj - 2 k_ij`.
///
/// A newcomer that exceeds the budget has neighbours but is nobody's, until it is known who leaves. Invariant: each list
/// holds the nearest of all other live slots but the newcomer.
#[derive(Debug, Clone)]
pub(crate) struct Neighbours<T: Real> {
    /// The nearest of every slot first, then the second nearest, and so on.
    ranks: Vec<Rank<T>>,
    /// The distance that a new neighbour must be under: that of the last rank; below all distances where the slot is
    /// not live.
    reach: Lanes<T>,
    newcomer: Option<Slot>,
    /// The kernel row of the slot inserted last.
    row: Lanes<T>,
    /// `k_ij`, a row to the slot; kept for two neighbours and more, which ask for the values among them.
    gram: Option<Square<T>>,
    distances: Lanes<T>,
    /// Whose lists must be made anew.
    orphans: Vec<Slot>,
}

impl<T: Real> Neighbours<T> {
    pub(super) fn new(n: usize) -> Self {
        let rank = || {
            let (distances, k, diags) = (Lanes::default(), Lanes::default(), Lanes::default());
            Rank { who: Vec::new(), distances, k, diags }
        };
        Self {
            ranks: (0..n).map(|_| rank()).collect(),
            reach: Lanes::default(),
            newcomer: None,
            row: Lanes::default(),
            gram: (n > 1).then(Square::default),
            distances: Lanes::default(),
            orphans: Vec::new(),
        }
    }

    /// Room for `vectors` vectors of slots.
    pub(super) fn grow(&mut self, vectors: usize) {
        let (before, slots) = (self.reach.lines().len() * T::LANES, vectors * T::LANES);
        for rank in &mut self.ranks {
            rank.who.resize(slots, NOBODY);
            rank.distances.grow(vectors);
            rank.k.grow(vectors);
            rank.diags.grow(vectors);
        }
        self.reach.grow(vectors);
        for slot in before..slots {
            self.reach.set(slot, T::LEAST);
        }
        self.distances.grow(vectors);
        self.row.grow(vectors);
        self.orphans.reserve(slots);
        if let Some(gram) = &mut self.gram {
            gram.grow(vectors);
        }
    }

    /// The neighbours of a slot, nearest first.
    pub(crate) fn of(&self, slot: Slot) -> impl Iterator<Item = Near<T>> + '_ {
        let i = slot.index();
        let ranks = self.ranks.iter().take_while(move |rank| rank.who[i] != NOBODY);
        ranks.map(move |rank| Near {
            slot: Slot(rank.who[i]),
            distance: rank.distances.get(i),
            k: rank.k.get(i),
        })
    }

    /// Neighbours by rank, of every slot.
    #[inline(always)]
    pub(crate) fn ranks(&self) -> &[Rank<T>] {
        &self.ranks
    }

    /// The kernel value of two live slots, where there is more than one neighbour.
    #[inline(always)]
    pub(crate) fn between(&self, a: usize, b: usize) -> T {
        self.gram.as_ref().map_or(T::ZERO, |gram| gram.row(Slot(a as u32)).get(b))
    }

    /// `k_ii + k_jj - 2 k_ij` of one slot and a vector of others.
    #[inline(always)]
    fn distance<S: Simd>(s: S, own: T, k: T::V<S>, diags: T::V<S>) -> T::V<S> {
        k.mul_add(splat::<T, S>(s, T::from_f64(-2.0)), diags + splat::<T, S>(s, own))
    }

    /// Finds the neighbours of a slot by its kernel row, among the live slots but itself and the newcomer.
    #[inline(always)]
    fn find<S: Simd>(&mut self, s: S, slot: Slot, k: &Lanes<T>, among: Slots<'_, T>) {
        let Slots { diags, age, used } = among;
        let own = diags.get(slot.index());
        let others = k.lines().iter().zip(diags.lines());
        for (distances, (k, diags)) in self.distances.lines_mut()[..used].iter_mut().zip(others) {
            distances.store(Self::distance(s, own, k.load(s), diags.load(s)));
        }
        for other in [Some(slot), self.newcomer].into_iter().flatten() {
            self.distances.set(other.index(), T::INFINITY);
        }
        let mut reach = T::INFINITY;
        for rank in &mut self.ranks {
            let found = age.least(s, &self.distances, used, T::ZERO);
            let (who, distance, k, diag) = match found {
                Some((who, distance)) => (who.0, distance, k.get(who.index()), diags.get(who.index())),
                None => (NOBODY, T::INFINITY, T::ZERO, T::ZERO),
            };
            rank.who[slot.index()] = who;
            rank.distances.set(slot.index(), distance);
            rank.k.set(slot.index(), k);
            rank.diags.set(slot.index(), diag);
            reach = distance;
            if let Some((who, _)) = found {
                self.distances.set(who.index(), T::INFINITY);
            }
        }
        self.reach.set(slot.index(), reach);
    }

    /// Where the kernel row of a slot about to be inserted belongs.
    pub(super) fn row_mut(&mut self) -> &mut Lanes<T> {
        &mut self.row
    }

    /// A new slot whose kernel row is in its place. One that exceeds the budget is nobody's neighbour as yet.
    #[inline(always)]
    pub(super) fn insert<S: Simd>(&mut self, s: S, slot: Slot, among: Slots<'_, T>, exceeds: bool) {
        let k = std::mem::take(&mut self.row);
        if let Some(gram) = &mut self.gram {
            gram.set(slot, &k, among.diags.get(slot.index()), among.age);
        }
        self.newcomer = None;
        self.find(s, slot, &k, among);
        if exceeds {
            self.newcomer = Some(slot);
        } else {
            self.enter(s, slot, &k, among);
        }
        self.row = k;
    }

    /// Offers a slot to the lists of all others: it is younger than whoever is in them.
    #[inline(always)]
    fn enter<S: Simd>(&mut self, s: S, slot: Slot, k: &Lanes<T>, among: Slots<'_, T>) {
        let own = among.diags.get(slot.index());
        for vector in 0..among.used {
            let distances = Self::distance(s, own, k.load(s, vector), among.diags.load(s, vector));
            let mut closer = distances.simd_lt(self.reach.load(s, vector)).to_bitmask();
            if closer == 0 {
                continue;
            }
            self.distances.store(vector, distances);
            while closer != 0 {
                let other = vector * T::LANES + closer.trailing_zeros() as usize;
                closer &= closer - 1;
                if other != slot.index() {
                    self.offer(other, slot, [self.distances.get(other), k.get(other), own]);
                }
            }
        }
    }

    /// Puts a younger neighbour into the list of a slot; the last one drops out.
    fn offer(&mut self, to: usize, mut who: Slot, [mut distance, mut k, mut diag]: [T; 3]) {
        let mut displaces = false;
        for rank in &mut self.ranks {
            displaces |= distance < rank.distances.get(to) || rank.who[to] == NOBODY;
            if displaces {
                who = Slot(std::mem::replace(&mut rank.who[to], who.0));
                let next = (rank.distances.get(to), rank.k.get(to), rank.diags.get(to));
                rank.distances.set(to, distance);
                rank.k.set(to, k);
                rank.diags.set(to, diag);
                (distance, k, diag) = next;
                if who.0 == NOBODY {
                    break;
                }
            }
        }
        let last = self.ranks.last().map_or(T::LEAST, |rank| rank.distances.get(to));
        self.reach.set(to, last);
    }

    /// Forgets a slot that is no longer live; `row` gives the kernel row of those that had it as a neighbour.
    #[inline(always)]
    pub(super) fn remove<S: Simd>(
        &mut self,
        s: S,
        slot: Slot,
        among: Slots<'_, T>,
        mut row: impl FnMut(Slot, &mut Lanes<T>),
        k: &mut Lanes<T>,
    ) {
        for rank in &mut self.ranks {
            rank.who[slot.index()] = NOBODY;
            rank.k.set(slot.index(), T::ZERO);
            rank.diags.set(slot.index(), T::ZERO);
        }
        self.reach.set(slot.index(), T::LEAST);
        let newcomer = self.newcomer.take();
        if newcomer == Some(slot) {
            return;
        }
        if let Some(newcomer) = newcomer {
            let own = std::mem::take(&mut self.row);
            self.enter(s, newcomer, &own, among);
            self.row = own;
        }
        self.orphans.clear();
        for rank in &self.ranks {
            let vectors = rank.who[..among.used * T::LANES].chunks_exact(T::LANES).enumerate();
            for (vector, who) in vectors.filter(|(_, who)| contains(who, slot)) {
                let having = who.iter().enumerate().filter(|(_, who)| **who == slot.0);
                self.orphans.extend(having.map(|(lane, _)| Slot((vector * T::LANES + lane) as u32)));
            }
        }
        while let Some(orphan) = self.orphans.pop() {
            self.fill(orphan, &mut row, k);
            self.find(s, orphan, k, among);
        }
    }

    /// The kernel row of a live slot.
    #[inline(always)]
    fn fill(&self, slot: Slot, row: &mut impl FnMut(Slot, &mut Lanes<T>), k: &mut Lanes<T>) {
        match &self.gram {
            Some(gram) => k.lines_mut().copy_from_slice(gram.row(slot).lines()),
            None => row(slot, k),
        }
    }

    /// Finds every neighbour anew.
    pub(super) fn refresh<S: Simd>(
        &mut self,
        s: S,
        among: Slots<'_, T>,
        mut row: impl FnMut(Slot, &mut Lanes<T>),
        k: &mut Lanes<T>,
    ) {
        self.newcomer = None;
        for slot in among.age.iter() {
            row(slot, k);
            if let Some(gram) = &mut self.gram {
                gram.set(slot, k, among.diags.get(slot.index()), among.age);
            }
            self.find(s, slot, k, among);
        }
    }
}

/// Whether a slot is among these. It looks at all of them, which is one comparison of a whole vector.
#[inline(always)]
fn contains(who: &[u32], slot: Slot) -> bool {
    who.iter().fold(0, |found, who| found | u32::from(*who == slot.0)) != 0
}
