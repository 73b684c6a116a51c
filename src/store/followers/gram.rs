//! A follower of the slots: the factor of their Gram matrix, always in double precision from the stored vectors.

use super::DerivedState;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::linalg::{Factor, FactorState, Solution};
use crate::ops::Solver;
use crate::persist::Tensors;
use crate::row::Row;
use crate::slot::Slot;
use crate::store::edits::{Edit, MergedPair};
use crate::store::support::SupportSet;

/// The Cholesky factor of the stored vectors' Gram matrix, and the vectors that are not in it.
///
/// A vector in the span of the others, to the rounding of the model's type, waits outside the factor; over budget it is
/// the one that is projected away, at the next maintenance. A newcomer stays outside too, until it is known who leaves:
/// then it takes that one's place in one pass (Le et al. 2016, Theorem 14, here as rotations of the factor) or is gone
/// without a trace; where nobody leaves it is bordered to the others. Invariant: members, waiting slots and newcomer
/// together are the live slots, and between examples there is no newcomer.
#[derive(Debug, Clone)]
pub(crate) struct Gram {
    ops: Solver,
    pub(in crate::store) factor: Factor,
    /// Slots outside the factor, the oldest first.
    pub(in crate::store) waiting: Vec<Slot>,
    newcomer: Option<PendingColumn>,
    /// What was inserted last, wherever it is now.
    last: PendingColumn,
    scratch: Scratch,
}

/// The slot that was inserted last; the image `A k_t` is in the scratch.
#[derive(Debug, Clone, Copy)]
struct PendingColumn {
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
    pub(crate) fn new(ops: Solver, slots: usize) -> Self {
        Self {
            ops,
            factor: Factor::with_capacity(ops, slots),
            waiting: Vec::with_capacity(slots),
            newcomer: None,
            last: PendingColumn { slot: Slot(0), diag: 0.0, delta: 0.0 },
            scratch: Scratch::default(),
        }
    }

    /// The slots in the factor, in its order.
    #[cfg(test)]
    pub(crate) fn members(&self) -> &[Slot] {
        self.factor.order()
    }

    /// The slot of which it is not known yet who leaves for it.
    #[cfg(test)]
    pub(crate) fn newcomer(&self) -> Option<Slot> {
        self.newcomer.map(|newcomer| newcomer.slot)
    }

    /// The kernel row of a stored vector against the members, in their order; returns `k(x, x)`.
    fn row<T: Real>(&mut self, kernel: AnyKernel, slot: Slot, support: &SupportSet<T>) -> f64 {
        let Scratch { x, by_slot, ordered, .. } = &mut self.scratch;
        x.resize(support.panels.features(), 0.0);
        by_slot.resize(support.panels.n_simd() * T::LANES, 0.0);
        support.kernel_row_f64(kernel, slot, x, by_slot);
        ordered.clear();
        ordered.extend(self.factor.order().iter().map(|member| by_slot[member.index()]));
        by_slot[slot.index()]
    }

    /// `k(x, x)` of a row, every feature of it, and its squared residual on the members; its image stays here.
    pub(crate) fn residual<T: Real>(
        &mut self,
        kernel: AnyKernel,
        row: &[T],
        support: &SupportSet<T>,
    ) -> (f64, f64) {
        let Scratch { x, by_slot, ordered, image, .. } = &mut self.scratch;
        x.clear();
        x.extend(row.iter().map(|x| x.to_f64()));
        by_slot.resize(support.panels.n_simd() * T::LANES, 0.0);
        support.values_f64(kernel, x, by_slot);
        ordered.clear();
        ordered.extend(self.factor.order().iter().map(|member| by_slot[member.index()]));
        self.factor.solve(ordered, image);
        let diag = kernel.diag(kernel.row_stat(Row::Dense(&x[..])));
        (diag, image.residual(self.ops, diag))
    }

    /// The image that [`Gram::residual`] left.
    pub(crate) fn image(&self) -> &[f64] {
        self.scratch.image.get()
    }

    /// Looks at a new slot and keeps it outside: until [`Gram::settle`], or for good.
    fn insert<T: Real>(&mut self, kernel: AnyKernel, slot: Slot, support: &SupportSet<T>) {
        let diag = self.row(kernel, slot, support);
        self.factor.solve(&self.scratch.ordered, &mut self.scratch.image);
        let delta = self.scratch.image.residual(self.ops, diag);
        self.last = PendingColumn { slot, diag, delta };
        // One of next to no length is as good as in every span: gamma may have become less since it came.
        if delta <= T::SPAN_RTOL * diag || diag < T::MIN_SQ_NORM.to_f64() {
            self.waiting.push(slot);
        } else {
            self.newcomer = Some(self.last);
        }
    }

    /// Takes the newcomer, if there is one, into the factor beside all others.
    fn commit_insert(&mut self) {
        if let Some(PendingColumn { slot, diag, .. }) = self.newcomer.take() {
            self.factor.append_with(slot, &self.scratch.image, diag);
        }
    }

    /// Forgets a slot. Over budget the waiting ones leave before any member does, so no deletion frees one of them.
    fn remove(&mut self, slot: Slot) {
        if self.newcomer.is_some_and(|newcomer| newcomer.slot == slot) {
            self.newcomer = None;
            return;
        }
        self.commit_insert();
        match self.waiting.iter().position(|&waiting| waiting == slot) {
            Some(place) => {
                self.waiting.remove(place);
            }
            None => self.factor.delete(slot),
        }
    }

    /// Factors anew, after the kernel has changed.
    fn refactor<T: Real>(&mut self, kernel: AnyKernel, support: &SupportSet<T>) {
        let mut rows = vec![Vec::new(); support.panels.n_simd() * T::LANES];
        for slot in support.age.iter() {
            self.row(kernel, slot, support);
            rows[slot.index()].clone_from(&self.scratch.by_slot);
        }
        self.factor.refresh(T::MIN_SQ_NORM.to_f64(), |a, b| rows[a.index()][b.index()]);
        self.waiting.clear();
        for slot in support.age.iter() {
            if self.factor.position(slot).is_none() {
                self.insert(kernel, slot, support);
                self.commit_insert();
            }
        }
    }

    /// Writes to the scratch who takes what share when `p` is projected on all others, and returns the squared residual
    /// of `phi_p`; then forgets `p`.
    ///
    /// With the newcomer bordered to A, `a = A k_t`: column p is `A_jp + a_j a_p/delta`, and `-a_p/delta` at t.
    pub(crate) fn project<T: Real>(&mut self, kernel: AnyKernel, p: Slot, support: &SupportSet<T>) -> f64 {
        let waits = self.waiting.contains(&p);
        if waits {
            self.commit_insert();
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
                let diag = self.row(kernel, p, support);
                let Scratch { ordered, image, targets, shares, .. } = &mut self.scratch;
                self.factor.solve(ordered, image);
                refill(targets, self.factor.order());
                refill(shares, image.get());
                self.waiting.retain(|&waiting| waiting != p);
                image.residual(self.ops, diag).max(0.0)
            }
            (newcomer, Some(place)) => {
                let Scratch { image, column, targets, shares, .. } = &mut self.scratch;
                self.factor.column(p, column);
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
                if let (Some(PendingColumn { slot, diag, .. }), Some(b)) = (newcomer, bordered) {
                    targets.push(slot);
                    shares.push(b / a_pp);
                    // It is independent of all members, so of all but one too.
                    self.factor.replace_with(p, slot, column, image, diag);
                } else {
                    self.factor.delete_with(p, column);
                }
                1.0 / a_pp
            }
        }
    }

    /// Who takes what share of the one that [`Gram::project`] has projected.
    pub(crate) fn shares(&self) -> (&[Slot], &[f64]) {
        (&self.scratch.targets, &self.scratch.shares)
    }

    /// `k_tt` of the slot inserted last, and the squared residual of its image on the members then.
    pub(crate) fn last(&self) -> (f64, f64) {
        (self.last.diag, self.last.delta)
    }

    /// `A_ii` of every slot that is not waiting, the newcomer's and its border included.
    pub(crate) fn diag(&self) -> impl Iterator<Item = (Slot, f64)> + Clone + '_ {
        let border = self.newcomer.map_or(0.0, |newcomer| 1.0 / newcomer.delta);
        let image = self.scratch.image.get();
        let members = self.factor.order().iter().zip(self.factor.diag()).enumerate();
        let members = members.map(move |(i, (&slot, a_ii))| {
            let a = if border > 0.0 { image[i] } else { 0.0 };
            (slot, a_ii + a * (a * border))
        });
        members.chain(self.newcomer.map(|newcomer| (newcomer.slot, border)))
    }
}

impl<T: Real> DerivedState<T> for Gram {
    fn after(&mut self, kernel: AnyKernel, edit: &Edit<'_, T>, support: &SupportSet<T>) {
        match *edit {
            Edit::Insert { slot, .. } => self.insert(kernel, slot, support),
            Edit::Remove { slot, .. } | Edit::Project { p: slot, .. } => self.remove(slot),
            Edit::Merge { merger: MergedPair { m, n, .. }, .. } => {
                self.remove(m);
                self.remove(n);
                self.insert(kernel, n, support);
            }
            Edit::CommitInsert => self.commit_insert(),
            // The factor knows no coefficients.
            Edit::Give { .. }
            | Edit::Redirect { .. }
            | Edit::Absorb { .. }
            | Edit::Rescale { .. }
            | Edit::RescaleOthers { .. }
            | Edit::StepLinear { .. } => {}
        }
    }

    fn refresh(&mut self, kernel: AnyKernel, support: &SupportSet<T>) {
        self.refactor(kernel, support);
    }

    fn save(&self, _: &SupportSet<T>, out: &mut Tensors) {
        debug_assert!(self.newcomer.is_none(), "models are saved between examples");
        let FactorState { lower, order, diag, changes } = self.factor.state();
        out.put("lower", &[lower.len()], lower);
        out.put("order", &[order.len()], order.into_iter().map(|slot| slot.0));
        out.put("diag", &[diag.len()], diag);
        out.set("changes", changes);
        out.set("capacity", self.factor.capacity());
        out.put("waiting", &[self.waiting.len()], self.waiting.iter().map(|slot| slot.0));
    }

    fn load(&mut self, _: AnyKernel, from: &Tensors, support: &SupportSet<T>) -> Result<()> {
        let (age, slots) = (&support.age, support.panels.n_simd() * T::LANES);
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
        let state = FactorState {
            lower: from.get("lower", &[entries])?,
            order: order.into_iter().map(Slot).collect(),
            diag: from.get("diag", &[members])?,
            changes: from.usize("changes")?,
        };
        self.factor = Factor::from_state(self.ops, capacity, &state)?;
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
