//! The Cholesky factor of the Gram matrix of the support vectors, in double precision from the stored values.

mod save;

use crate::batch::Row;
use crate::expansion::{Edit, KernelExpansion, MergedPair, NormChange, OnEdit, SupportSet};
use crate::float::Real;
use crate::linalg::{Factor, Solution};
use crate::ops::Solver;
use crate::slot::Slot;

/// The Cholesky factor of the Gram matrix, and the support vectors that are not in it.
///
/// A dependent vector, which lies in the span of the members to the rounding of the model's type, stays
/// outside the factor; the next maintenance over budget projects it. A new vector stays outside until the
/// removed vector is known. Then the new vector replaces the removed column in one update (Le et al. 2016,
/// Theorem 14, here as rotations of the factor), or is dropped. If no vector is removed, the new column is
/// appended. Invariant: members, dependent slots and the new slot together are the live slots, and between
/// examples there is no new slot.
#[derive(Debug, Clone)]
pub(crate) struct Gram {
    ops: Solver,
    pub(crate) factor: Factor,
    /// The slots of dependent vectors, the oldest first.
    pub(crate) dependent: Vec<Slot>,
    /// The new support vector, until its insertion is committed.
    pending: Option<PendingColumn>,
    /// The column of the vector inserted last.
    last: PendingColumn,
    buffers: Buffers,
}

/// The column of a new support vector; the buffers hold the coefficients `A k_t` of its projection.
#[derive(Debug, Clone, Copy)]
struct PendingColumn {
    slot: Slot,
    /// `k_tt`
    diag: f64,
    /// The squared residual of `phi_t` on the members.
    delta: f64,
}

/// Buffers: a stored vector, its kernel row by slot and in the factor's order, and solutions; never saved.
#[derive(Debug, Clone, Default)]
struct Buffers {
    x: Vec<f64>,
    by_slot: Vec<f64>,
    ordered: Vec<f64>,
    /// `A k` of the pending or of a dependent slot: the coefficients of its projection on the members.
    image: Solution,
    /// `A e_p` of the removed member.
    column: Solution,
    /// The slots that a projection changes, with the share of each.
    targets: Vec<Slot>,
    shares: Vec<f64>,
}

impl Gram {
    /// The factor of an empty model of `slots` slots, including the slot of the pending vector; 0 if the model has no
    /// maximum size.
    pub(crate) fn new(ops: Solver, slots: usize) -> Self {
        Self {
            ops,
            factor: Factor::with_capacity(ops, slots),
            dependent: Vec::with_capacity(slots),
            pending: None,
            last: PendingColumn { slot: Slot(0), diag: 0.0, delta: 0.0 },
            buffers: Buffers::default(),
        }
    }

    /// The slots in the factor, in its order.
    #[cfg(test)]
    pub(crate) fn members(&self) -> &[Slot] {
        self.factor.order()
    }

    /// The slot of the new vector, until its insertion is committed.
    #[cfg(test)]
    pub(crate) fn pending(&self) -> Option<Slot> {
        self.pending.map(|pending| pending.slot)
    }

    /// Computes the kernel row of a stored vector by slot and in the factor's order; returns `k(x, x)`.
    fn kernel_row<T: Real>(&mut self, slot: Slot, support: &SupportSet<T>) -> f64 {
        let Buffers { x, by_slot, ordered, .. } = &mut self.buffers;
        x.resize(support.panels.features(), 0.0);
        by_slot.resize(support.panels.n_simd() * T::LANES, 0.0);
        support.kernel_row_f64(slot, x, by_slot);
        ordered.clear();
        ordered.extend(self.factor.order().iter().map(|member| by_slot[member.index()]));
        by_slot[slot.index()]
    }

    /// `k(x, x)` of a row that is not stored, and the squared residual of its projection on the span of the support
    /// vectors. The coefficients of the projection are kept for [`Gram::absorb`].
    pub(crate) fn residual<T: Real>(&mut self, x: Row<'_, T>, support: &SupportSet<T>) -> (f64, f64) {
        let kernel = support.kernel;
        let Buffers { x: dense, by_slot, ordered, image, .. } = &mut self.buffers;
        dense.clear();
        dense.resize(support.panels.features(), 0.0);
        for (i, value) in x.values().iter().enumerate() {
            dense[x.feature(i)] = value.to_f64();
        }
        let x = dense;
        by_slot.resize(support.panels.n_simd() * T::LANES, 0.0);
        support.values_f64(x, by_slot);
        ordered.clear();
        ordered.extend(self.factor.order().iter().map(|member| by_slot[member.index()]));
        self.factor.solve(ordered, image);
        let diag = kernel.diag(kernel.row_stat(Row::Dense(&x[..])));
        (diag, image.residual(self.ops, diag))
    }

    /// Adds `share * alpha` times the projection of the row of the last [`Gram::residual`] to the model. Returns false,
    /// and changes nothing, if a coefficient would leave the range of the type.
    pub(crate) fn absorb<T: Real>(
        &self,
        expansion: &mut KernelExpansion<T>,
        alpha: &[T],
        share: f64,
        derived_state: &mut impl OnEdit<T>,
    ) -> bool {
        let (members, image) = (self.factor.order(), self.buffers.image.get());
        let squared_alpha: f64 = alpha.iter().map(|a| a.to_f64() * a.to_f64()).sum();
        let is_bounded = image.iter().all(|d| d * d * squared_alpha <= T::MAX_SQ_NORM);
        if is_bounded {
            expansion.edit(Edit::Absorb { receivers: members, d: image, share, alpha }, derived_state);
        }
        is_bounded
    }

    /// The oldest dependent support vector.
    pub(crate) fn dependent(&self) -> Option<Slot> {
        self.dependent.first().copied()
    }

    /// `argmin |alpha_p|^2 / A_pp` over all support vectors except `except`, ties to the oldest, and the minimum: the
    /// squared change of the model by the projection of `p` on all other support vectors.
    pub(crate) fn cheapest<T: Real>(&self, support: &SupportSet<T>, except: Option<Slot>) -> (Slot, f64) {
        let candidates = self.diag().filter(|(slot, _)| Some(*slot) != except);
        let costs = candidates.map(|(slot, a_pp)| (slot, support.squared_alpha(slot) / a_pp));
        let min_cost = costs.clone().fold(f64::INFINITY, |min, (_, cost)| min.min(cost));
        let bound = min_cost + min_cost * T::TIE_RTOL.to_f64();
        // A NaN cost, from a factor loaded from a file, ties with every cost.
        let ties = costs.filter(|(_, cost)| *cost <= bound || cost.is_nan());
        let oldest = ties.reduce(|a, b| if support.order.older(b.0, a.0) { b } else { a });
        oldest.expect("a model over budget has members")
    }

    /// Projects `p` on all other members and removes it: `alpha_S += alpha_p d`. Returns the squared change of the
    /// model, `|alpha_p|^2` times the squared residual of `phi_p`.
    pub(crate) fn project<T: Real>(
        &mut self,
        expansion: &mut KernelExpansion<T>,
        p: Slot,
        derived_state: &mut impl OnEdit<T>,
    ) -> f64 {
        let squared_alpha = expansion.squared_alpha(p);
        let residual = self.take_projection(p, expansion.support());
        let Buffers { targets, shares, .. } = &self.buffers;
        let sq_change = residual * squared_alpha;
        // The factor does not contain p any more, so it does not follow this edit.
        expansion.remove_projected(
            p,
            (targets, shares),
            sq_change,
            NormChange::Known(-residual * squared_alpha),
            derived_state,
        )
    }

    /// Computes the column of a new slot. An independent vector stays pending until [`Gram::commit_insert`]; a
    /// dependent one stays outside the factor.
    fn insert<T: Real>(&mut self, slot: Slot, support: &SupportSet<T>) {
        let diag = self.kernel_row(slot, support);
        self.factor.solve(&self.buffers.ordered, &mut self.buffers.image);
        let delta = self.buffers.image.residual(self.ops, diag);
        self.last = PendingColumn { slot, diag, delta };
        // A vector of nearly zero norm counts as dependent: gamma may have decreased since it was inserted.
        if delta <= T::SPAN_RTOL * diag || diag < T::MIN_SQ_NORM.to_f64() {
            self.dependent.push(slot);
        } else {
            self.pending = Some(self.last);
        }
    }

    /// Appends the column of the new vector, if there is one.
    fn commit_insert(&mut self) {
        if let Some(PendingColumn { slot, diag, .. }) = self.pending.take() {
            self.factor.append_with(slot, &self.buffers.image, diag);
        }
    }

    /// Removes a slot. Over budget, dependent vectors are projected before members, so a deletion never makes
    /// a dependent vector independent.
    fn remove(&mut self, slot: Slot) {
        if self.pending.is_some_and(|pending| pending.slot == slot) {
            self.pending = None;
            return;
        }
        self.commit_insert();
        match self.dependent.iter().position(|&dependent| dependent == slot) {
            Some(place) => {
                self.dependent.remove(place);
            }
            None => self.factor.delete(slot),
        }
    }

    /// Factors the Gram matrix from scratch, after the kernel has changed.
    fn refactor<T: Real>(&mut self, support: &SupportSet<T>) {
        let mut rows = vec![Vec::new(); support.panels.n_simd() * T::LANES];
        for slot in support.order.iter() {
            self.kernel_row(slot, support);
            rows[slot.index()].clone_from(&self.buffers.by_slot);
        }
        self.factor.refresh(T::MIN_SQ_NORM.to_f64(), |a, b| rows[a.index()][b.index()]);
        self.dependent.clear();
        for slot in support.order.iter() {
            if self.factor.position(slot).is_none() {
                self.insert(slot, support);
                self.commit_insert();
            }
        }
    }

    /// Writes the shares of the projection of `p` on all other members to the buffers, removes `p` from the factor and
    /// returns the squared residual of `phi_p`.
    ///
    /// With the new vector t appended to A, `a = A k_t`: column p is `A_jp + a_j a_p/delta`, and `-a_p/delta` at t.
    fn take_projection<T: Real>(&mut self, p: Slot, support: &SupportSet<T>) -> f64 {
        if self.dependent.contains(&p) {
            self.commit_insert();
        }
        match (self.pending, self.factor.position(p)) {
            (Some(pending), None) => {
                let Buffers { image, targets, shares, .. } = &mut self.buffers;
                refill(targets, self.factor.order());
                refill(shares, image.get());
                self.pending = None;
                pending.delta
            }
            (None, None) => {
                let diag = self.kernel_row(p, support);
                let Buffers { ordered, image, targets, shares, .. } = &mut self.buffers;
                self.factor.solve(ordered, image);
                refill(targets, self.factor.order());
                refill(shares, image.get());
                self.dependent.retain(|&dependent| dependent != p);
                image.residual(self.ops, diag).max(0.0)
            }
            (pending, Some(place)) => {
                let Buffers { image, column, targets, shares, .. } = &mut self.buffers;
                self.factor.column(p, column);
                refill(targets, self.factor.order());
                let bordered = pending.map(|pending| image.get()[place] / pending.delta);
                let a_pp = column.get()[place] + bordered.map_or(0.0, |b| b * image.get()[place]);
                shares.clear();
                match bordered {
                    Some(b) => {
                        let pairs = column.get().iter().zip(image.get());
                        shares.extend(pairs.map(|(column, a)| -(column + a * b) / a_pp));
                    }
                    None => shares.extend(column.get().iter().map(|column| -column / a_pp)),
                }
                self.pending = None;
                if let (Some(PendingColumn { slot, diag, .. }), Some(b)) = (pending, bordered) {
                    targets.push(slot);
                    shares.push(b / a_pp);
                    // The new vector is independent of all members, so it stays independent without p.
                    self.factor.replace_with(p, slot, column, image, diag);
                } else {
                    self.factor.delete_with(p, column);
                }
                1.0 / a_pp
            }
        }
    }

    /// `k_tt` of the slot inserted last, and the squared norm of its projection on the members before the insertion.
    pub(crate) fn projected(&self) -> (f64, f64) {
        let PendingColumn { diag, delta, .. } = self.last;
        (diag, (diag - delta).max(0.0))
    }

    /// `A_ii` of every slot that is not dependent, in the inverse that includes the pending column.
    pub(crate) fn diag(&self) -> impl Iterator<Item = (Slot, f64)> + Clone + '_ {
        let border = self.pending.map_or(0.0, |pending| 1.0 / pending.delta);
        let image = self.buffers.image.get();
        let members = self.factor.order().iter().zip(self.factor.diag()).enumerate();
        let members = members.map(move |(i, (&slot, a_ii))| {
            let a = if border > 0.0 { image[i] } else { 0.0 };
            (slot, a_ii + a * (a * border))
        });
        members.chain(self.pending.map(|pending| (pending.slot, border)))
    }
}

impl<T: Real> OnEdit<T> for Gram {
    fn after_edit(&mut self, edit: &Edit<'_, T>, support: &SupportSet<T>) {
        match *edit {
            Edit::Insert { slot, .. } => self.insert(slot, support),
            Edit::Remove { slot, .. } | Edit::Project { p: slot, .. } => self.remove(slot),
            Edit::Merge { merger: MergedPair { m, n, .. }, .. } => {
                self.remove(m);
                self.remove(n);
                self.insert(n, support);
            }
            Edit::CommitInsert => self.commit_insert(),
            // The factor does not depend on coefficients.
            Edit::Give { .. }
            | Edit::Redirect { .. }
            | Edit::Absorb { .. }
            | Edit::MultiplyAll { .. }
            | Edit::MultiplyOthers { .. }
            | Edit::StepLinear { .. } => {}
        }
    }

    fn refresh(&mut self, support: &SupportSet<T>) {
        self.refactor(support);
    }
}

fn refill<X: Copy>(to: &mut Vec<X>, from: &[X]) {
    to.clear();
    to.extend_from_slice(from);
}
