//! A follower of the slots: the factor of their Gram matrix, always in double precision from the stored vectors.

use super::age::Age;
use super::{Slot, Store};
use crate::error::{Error, Result};
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::linalg::{Factor, Solution, State};
use crate::persist::Tensors;
use crate::row::Row;
use fearless_simd::Simd;

/// The Cholesky factor of the stored vectors' Gram matrix, and the vectors that are not in it.
///
/// A vector in the span of the others, to the rounding of the model's type, waits outside the factor; over budget it is the one that is
/// projected away, so none waits long. A newcomer stays outside too, until it is known who leaves: then it takes that
/// one's place in one pass (Le et al. 2016, Theorem 14, here as rotations of the factor) or is gone without a trace; where
/// nobody leaves it is bordered to the others. Invariant: members, waiting slots and newcomer together are the live slots,
/// and between examples there is no newcomer.
#[derive(Debug, Clone)]
pub(crate) struct Gram {
    pub(super) factor: Factor,
    /// Slots outside the factor, the oldest first.
    pub(super) waiting: Vec<Slot>,
    newcomer: Option<Newcomer>,
    /// What was inserted last, wherever it is now.
    last: Newcomer,
    scratch: Scratch,
}

/// The slot that was inserted last; the image `A k_t` is in the scratch.
#[derive(Debug, Clone, Copy)]
struct Newcomer {
    slot: Slot,
    /// `k_tt`
    diag: f64,
    /// The squared residual of `phi_t` on the members.
    delta: f64,
}

/// A stored vector, its kernel row by slot and in the factor's order, and what the factor makes of it; never saved.
#[derive(Debug, Clone, Default)]
struct Scratch {
    x: Vec<f64>,
    by_slot: Vec<f64>,
    ordered: Vec<f64>,
    /// `A k` of the newcomer, or of a waiting slot.
    image: Solution,
    /// `A e_p` of the member that leaves.
    column: Solution,
    /// The projection: who takes what share.
    targets: Vec<Slot>,
    shares: Vec<f64>,
}

impl Gram {
    /// For a store of `slots` slots, one of them for the newcomer; 0 is for one that grows.
    pub(super) fn new(slots: usize) -> Self {
        Self {
            factor: Factor::with_capacity(slots),
            waiting: Vec::with_capacity(slots),
            newcomer: None,
            last: Newcomer { slot: Slot(0), diag: 0.0, delta: 0.0 },
            scratch: Scratch::default(),
        }
    }

    /// The slots in the factor, in its order.
    #[cfg(test)]
    pub(super) fn members(&self) -> &[Slot] {
        self.factor.order()
    }

    /// The slot of which it is not known yet who leaves for it.
    #[cfg(test)]
    pub(super) fn newcomer(&self) -> Option<Slot> {
        self.newcomer.map(|newcomer| newcomer.slot)
    }

    /// The kernel row of a stored vector against the members, in their order; gives `k(x, x)`.
    #[inline(never)]
    fn row<T: Real, S: Simd>(&mut self, s: S, kernel: AnyKernel, slot: Slot, store: &Store<T>) -> f64 {
        let Scratch { x, by_slot, ordered, .. } = &mut self.scratch;
        x.resize(store.features(), 0.0);
        by_slot.resize(store.vectors() * T::LANES, 0.0);
        store.row_f64(s, kernel, slot, x, by_slot);
        ordered.clear();
        ordered.extend(self.factor.order().iter().map(|member| by_slot[member.index()]));
        by_slot[slot.index()]
    }

    /// `k(x, x)` of the row in the store's scratch, and its squared residual on the members; its image stays here.
    #[inline(never)]
    pub(super) fn residual<T: Real, S: Simd>(
        &mut self,
        s: S,
        kernel: AnyKernel,
        store: &Store<T>,
    ) -> (f64, f64) {
        let Scratch { x, by_slot, ordered, image, .. } = &mut self.scratch;
        x.clear();
        x.extend(store.scratch.x.iter().map(|x| x.to_f64()));
        by_slot.resize(store.vectors() * T::LANES, 0.0);
        store.values_f64(s, kernel, x, by_slot);
        ordered.clear();
        ordered.extend(self.factor.order().iter().map(|member| by_slot[member.index()]));
        self.factor.solve(s, ordered, image);
        let diag = kernel.diag(kernel.norm(Row::Dense(&x[..])));
        (diag, image.residual(s, diag))
    }

    /// The image that [`Gram::residual`] left.
    pub(super) fn image(&self) -> &[f64] {
        self.scratch.image.get()
    }

    /// Looks at a new slot and keeps it outside: until [`Gram::settle`], or for good.
    #[inline(never)]
    pub(super) fn insert<T: Real, S: Simd>(&mut self, s: S, kernel: AnyKernel, slot: Slot, store: &Store<T>) {
        let diag = self.row(s, kernel, slot, store);
        self.factor.solve(s, &self.scratch.ordered, &mut self.scratch.image);
        let delta = self.scratch.image.residual(s, diag);
        self.last = Newcomer { slot, diag, delta };
        if delta <= T::DEPENDENT * diag {
            self.waiting.push(slot);
        } else {
            self.newcomer = Some(self.last);
        }
    }

    /// Takes the newcomer, if there is one, into the factor beside all others.
    pub(super) fn settle<S: Simd>(&mut self, s: S) {
        if let Some(Newcomer { slot, diag, .. }) = self.newcomer.take() {
            self.factor.append_with(s, slot, &self.scratch.image, diag);
        }
    }

    /// Forgets a slot. Over budget the waiting ones leave before any member does, so no deletion frees one of them.
    pub(super) fn remove<S: Simd>(&mut self, s: S, slot: Slot) {
        if self.newcomer.is_some_and(|newcomer| newcomer.slot == slot) {
            self.newcomer = None;
            return;
        }
        self.settle(s);
        match self.waiting.iter().position(|&waiting| waiting == slot) {
            Some(place) => {
                self.waiting.remove(place);
            }
            None => self.factor.delete(s, slot),
        }
    }

    /// Factors anew, after the kernel has changed.
    pub(super) fn refresh<T: Real, S: Simd>(&mut self, s: S, kernel: AnyKernel, store: &Store<T>) {
        let mut rows = vec![Vec::new(); store.vectors() * T::LANES];
        for slot in store.age().iter() {
            self.row(s, kernel, slot, store);
            rows[slot.index()].clone_from(&self.scratch.by_slot);
        }
        self.factor.refresh(s, |a, b| rows[a.index()][b.index()]);
        self.waiting.clear();
        for slot in store.age().iter() {
            if self.factor.position(slot).is_none() {
                self.insert(s, kernel, slot, store);
                self.settle(s);
            }
        }
    }

    /// Leaves in the scratch who takes what share when `p` is projected on all others, and gives the squared residual of
    /// `phi_p`; then forgets `p`.
    ///
    /// With the newcomer bordered to A, `a = A k_t`: column p is `A_jp + a_j a_p/delta`, and `-a_p/delta` at t.
    #[inline(never)]
    fn project<T: Real, S: Simd>(&mut self, s: S, kernel: AnyKernel, p: Slot, store: &Store<T>) -> f64 {
        let waits = self.waiting.contains(&p);
        if waits {
            self.settle(s);
        }
        match (self.newcomer, self.factor.position(p)) {
            (Some(newcomer), None) => {
                let Scratch { image, targets, shares, .. } = &mut self.scratch;
                refill(targets, self.factor.order());
                refill(shares, image.get());
                self.newcomer = None;
                newcomer.delta
            }
            (None, None) => {
                let diag = self.row(s, kernel, p, store);
                let Scratch { ordered, image, targets, shares, .. } = &mut self.scratch;
                self.factor.solve(s, ordered, image);
                refill(targets, self.factor.order());
                refill(shares, image.get());
                self.waiting.retain(|&waiting| waiting != p);
                image.residual(s, diag).max(0.0)
            }
            (newcomer, Some(place)) => {
                let Scratch { image, column, targets, shares, .. } = &mut self.scratch;
                self.factor.column(s, p, column);
                refill(targets, self.factor.order());
                let bordered = newcomer.map(|newcomer| image.get()[place] / newcomer.delta);
                let a_pp = column.get()[place] + bordered.map_or(0.0, |b| b * image.get()[place]);
                shares.clear();
                match bordered {
                    Some(b) => {
                        let pairs = column.get().iter().zip(image.get());
                        shares.extend(pairs.map(|(column, a)| -(column + a * b) / a_pp));
                    }
                    None => shares.extend(column.get().iter().map(|column| -column / a_pp)),
                }
                self.newcomer = None;
                if let (Some(Newcomer { slot, diag, .. }), Some(b)) = (newcomer, bordered) {
                    targets.push(slot);
                    shares.push(b / a_pp);
                    // It is independent of all members, so of all but one too.
                    self.factor.replace_with(s, p, slot, column, image, diag);
                } else {
                    self.factor.delete_with(s, p, column);
                }
                1.0 / a_pp
            }
        }
    }

    /// `A_ii` of every slot that is not waiting, the newcomer's and its border included.
    fn diag(&self) -> impl Iterator<Item = (Slot, f64)> + Clone + '_ {
        let border = self.newcomer.map_or(0.0, |newcomer| 1.0 / newcomer.delta);
        let image = self.scratch.image.get();
        let members = self.factor.order().iter().zip(self.factor.diag()).enumerate();
        let members = members.map(move |(i, (&slot, a_ii))| {
            let a = if border > 0.0 { image[i] } else { 0.0 };
            (slot, a_ii + a * (a * border))
        });
        members.chain(self.newcomer.map(|newcomer| (newcomer.slot, border)))
    }

    pub(super) fn save(&self, out: &mut Tensors) {
        debug_assert!(self.newcomer.is_none(), "models are saved between examples");
        let State { lower, order, diag, changes } = self.factor.state();
        out.put("lower", &[lower.len()], lower);
        out.put("order", &[order.len()], order.into_iter().map(|slot| slot.0));
        out.put("diag", &[diag.len()], diag);
        out.set("changes", changes);
        out.set("capacity", self.factor.capacity());
        out.put("waiting", &[self.waiting.len()], self.waiting.iter().map(|slot| slot.0));
    }

    /// Restores into a fresh follower, once the store's slots are known.
    pub(super) fn load(&mut self, from: &Tensors, age: &Age, slots: usize) -> Result<()> {
        let refused = |reason: &'static str| Error::Model(reason.into());
        let [members] = from.shape("order")?;
        let [waiting] = from.shape("waiting")?;
        let [entries] = from.shape("lower")?;
        let capacity = from.usize("capacity")?;
        if members + waiting != age.len() {
            return Err(refused("the factor must hold the live slots"));
        }
        // That of a bounded store is made at the start, that of an unbounded one grows with the store.
        let legal = match self.factor.capacity() {
            0 => (members..=slots).contains(&capacity),
            fixed => capacity == fixed,
        };
        if !legal {
            return Err(refused("the factor has another capacity than its store"));
        }
        let order: Vec<u32> = from.get("order", &[members])?;
        let waiting: Vec<u32> = from.get("waiting", &[waiting])?;
        let mut seen = vec![false; slots];
        for &slot in order.iter().chain(&waiting) {
            let live = (slot as usize) < slots && age.is_live(Slot(slot));
            if !live || std::mem::replace(&mut seen[slot as usize], true) {
                return Err(refused("the factor must hold each live slot once"));
            }
        }
        let state = State {
            lower: from.get("lower", &[entries])?,
            order: order.into_iter().map(Slot).collect(),
            diag: from.get("diag", &[members])?,
            changes: from.usize("changes")?,
        };
        self.factor = Factor::from_state(capacity, &state)?;
        self.waiting = waiting.into_iter().map(Slot).collect();
        if !self.waiting.is_sorted_by(|a, b| age.older(*a, *b)) {
            return Err(refused("the oldest must wait first"));
        }
        Ok(())
    }
}

fn refill<X: Copy>(to: &mut Vec<X>, from: &[X]) {
    to.clear();
    to.extend_from_slice(from);
}

impl<T: Real> Store<T> {
    /// The oldest support vector that the factor could not take.
    pub(crate) fn waiting(&self) -> Option<Slot> {
        self.gram.as_ref().and_then(|gram| gram.waiting.first().copied())
    }

    /// `argmin |alpha_p|^2 / A_pp` over all but one, ties to the oldest, and that cost: what its projection on all others
    /// changes.
    pub(crate) fn cheapest(&self, but: Option<Slot>) -> (Slot, f64) {
        let gram = self.gram.as_ref().expect("the strategy that asks has asked to keep it");
        let candidates = gram.diag().filter(|(slot, _)| Some(*slot) != but);
        let costs = candidates.map(|(slot, a_pp)| (slot, self.squared_row(slot) / a_pp));
        let least = costs.clone().fold(f64::INFINITY, |least, (_, cost)| least.min(cost));
        let bound = least + least * T::TIE.to_f64();
        // A cost that is not a number, of a factor that was not made here, is as good as any.
        let ties = costs.filter(|(_, cost)| *cost <= bound || cost.is_nan());
        let oldest = ties.reduce(|a, b| if self.age.older(b.0, a.0) { b } else { a });
        oldest.expect("a store over budget has members")
    }

    /// `k_tt` of the slot inserted last, and the squared length of its projection on the members of the factor.
    pub(crate) fn projected(&self) -> (f64, f64) {
        let gram = self.gram.as_ref().expect("the strategy that asks has asked to keep it");
        (gram.last.diag, (gram.last.diag - gram.last.delta).max(0.0))
    }

    /// `|alpha_j|^2`
    pub(crate) fn squared_row(&self, slot: Slot) -> f64 {
        (0..self.outputs()).map(|output| self.expansion.get(slot, output).to_f64().powi(2)).sum()
    }

    /// Projects `p` on all others that the factor knows and drops it: `alpha_S += alpha_p d`. Gives `|alpha_p|^2` times
    /// the squared residual of `phi_p`, which is what the model loses.
    #[inline(never)]
    pub(crate) fn project<S: Simd>(&mut self, s: S, kernel: AnyKernel, p: Slot) -> f64 {
        let mut gram = self.gram.take().expect("the strategy that projects has asked to keep it");
        let squares = self.squared_row(p);
        let residual = gram.project(s, kernel, p, self);
        let Scratch { targets, shares, .. } = &gram.scratch;
        let lost = self.hand_over(s, kernel, p, (targets, shares), residual * squares, -residual * squares);
        self.gram = Some(gram);
        lost
    }
}
