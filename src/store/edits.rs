//! The closed list of edits: the only code that changes support vectors and coefficients. Every follower hears each
//! edit twice, just before and just after it.

use super::support::SupportSet;
use super::{KernelExpansion, Slot};
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::label::Label;
use crate::ops::SimdBuffer;
use crate::row::Row;

/// An example about to become a support vector.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewVector<'a, T: Real> {
    pub(crate) x: Row<'a, T>,
    /// Its norm, as the kernel takes it.
    pub(crate) norm: T,
    pub(crate) label: Label,
    /// Its coefficients.
    pub(crate) row: &'a [T],
    /// Its scores before it came, without the scale.
    pub(crate) f: &'a [T],
    /// Its kernel row by slot.
    pub(crate) k: &'a SimdBuffer<T>,
}

/// Two support vectors merged into one: `z = x_n + h (x_m - x_n)`, `alpha_z = u alpha_m + v alpha_n`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MergedPair<'a, T: Real> {
    /// The one that goes, and its vector.
    pub(crate) m: Slot,
    pub(crate) x_m: &'a [T],
    /// The one whose place, age and label the merged vector takes.
    pub(crate) n: Slot,
    pub(crate) h: f64,
    pub(crate) u: f64,
    pub(crate) v: f64,
    /// `|alpha_z phi_z - alpha_m phi_m - alpha_n phi_n|^2`
    pub(crate) degradation: f64,
}

/// A change of the model.
#[derive(Debug, Clone, Copy)]
pub(super) enum Edit<'a, T: Real> {
    /// A new support vector in a slot that was free.
    Insert { slot: Slot, new: NewVector<'a, T> },
    /// A support vector goes. `along` is its inner product with the model, where it is known.
    Remove { slot: Slot, along: Option<f64> },
    /// Two become one: `z` with the coefficients `row`.
    Merge { merger: MergedPair<'a, T>, z: &'a [T], row: &'a [T] },
    /// `p` goes and each slot of `on` gets its share of it: `alpha_i += d_i alpha_p`. `change` is that of `|w|^2`,
    /// where it is known.
    Project { p: Slot, on: &'a [Slot], d: &'a [f64], change: Option<f64> },
    /// `alpha_to += share alpha_from`
    Give { from: Slot, to: Slot, share: T },
    /// A coefficient row `tau v` gets another length: `length v`.
    Redirect { slot: Slot, length: T },
    /// `alpha_i += share d_i row`
    Absorb { on: &'a [Slot], d: &'a [f64], share: f64, row: &'a [T] },
    /// The linear part moves: `V += step x`, `v0 += step constant`, with the pasts of the means.
    StepLinear { step: &'a SimdBuffer<T>, x: Row<'a, T>, constant: T },
    /// All coefficients are multiplied, those of the linear part too.
    Rescale { factor: f64 },
    /// All but those of one slot are; `along` is the inner product of its part of the model with that of all others.
    RescaleOthers { slot: Slot, factor: f64, along: f64 },
    /// What an insertion made necessary is done: the newcomer, if it is still there, has come to stay.
    CommitInsert,
}

impl<T: Real> KernelExpansion<T> {
    /// Makes an edit and tells every follower.
    #[inline]
    fn edit(&mut self, kernel: AnyKernel, edit: Edit<'_, T>) {
        let Self { support, followers, scratch } = self;
        if followers.are_none() {
            support.edit(kernel, edit, &mut scratch.by_slot, &mut scratch.row);
            return;
        }
        followers.before(kernel, &edit, support);
        support.edit(kernel, edit, &mut scratch.by_slot, &mut scratch.row);
        followers.after(kernel, &edit, support);
    }

    /// A new support vector, in a freed slot if there is one.
    pub(crate) fn insert(&mut self, kernel: AnyKernel, new: NewVector<'_, T>) -> Slot {
        let slot = self.take_slot();
        self.edit(kernel, Edit::Insert { slot, new });
        slot
    }

    /// After an insertion and what it made necessary: the newcomer, if it is still there, has come to stay.
    #[inline]
    pub(crate) fn commit_insert(&mut self, kernel: AnyKernel) {
        self.edit(kernel, Edit::CommitInsert);
    }

    /// Moves the linear part: `V += unit row x`, `v0 += constant row`.
    pub(crate) fn step_linear(
        &mut self,
        kernel: AnyKernel,
        row: &[T],
        (unit, constant, x): (f64, f64, Row<'_, T>),
    ) {
        let mut step = std::mem::take(&mut self.scratch.by_output);
        let linear = self.support.expansion.linear().expect("the learner that moves it has asked for it");
        linear.put_steps(row.iter().map(|a| T::from_f64(a.to_f64() * unit)), &mut step);
        if let Some(means) = &self.followers.means {
            for (number, moved_back) in means.moved_back().enumerate() {
                linear.put_past_steps(number, moved_back, &mut step);
            }
        }
        let constant = T::from_f64(constant / unit);
        self.edit(kernel, Edit::StepLinear { step: &step, x, constant });
        self.scratch.by_output = step;
    }

    /// Drops a support vector.
    pub(crate) fn remove(&mut self, kernel: AnyKernel, slot: Slot) {
        self.edit(kernel, Edit::Remove { slot, along: None });
    }

    /// The same with [`KernelExpansion::along`] at hand.
    pub(crate) fn remove_with_product(&mut self, kernel: AnyKernel, slot: Slot, along: f64) {
        self.edit(kernel, Edit::Remove { slot, along: Some(along) });
    }

    /// Replaces two support vectors by one.
    pub(crate) fn merge(&mut self, kernel: AnyKernel, merger: MergedPair<'_, T>) {
        let MergedPair { m, x_m, n, h, u, v, .. } = merger;
        let (h, u, v) = (T::from_f64(h), T::from_f64(u), T::from_f64(v));
        let (mut z, mut row) = (std::mem::take(&mut self.scratch.x), std::mem::take(&mut self.scratch.row));
        self.support.read(n, &mut z);
        for (z, &x) in z.iter_mut().zip(x_m) {
            *z += h * (x - *z);
        }
        let expansion = &self.support.expansion;
        for (output, a) in row.iter_mut().enumerate() {
            *a = (u * expansion.get(m, output) + v * expansion.get(n, output)).flush_to_zero();
        }
        self.edit(kernel, Edit::Merge { merger, z: &z, row: &row });
        (self.scratch.x, self.scratch.row) = (z, row);
    }

    /// Drops `p` and gives each of the others its share of it: `alpha_i += d_i alpha_p`. That loses the squared length
    /// `lost` and changes `|w|^2` by `change`; where the others are so short that their coefficients would leave the
    /// range of the type, `p` is dropped whole. Returns what was lost.
    pub(super) fn hand_over(
        &mut self,
        kernel: AnyKernel,
        p: Slot,
        (on, d): (&[Slot], &[f64]),
        lost: f64,
        change: f64,
    ) -> f64 {
        let squares = self.support.squared_alpha(p);
        if d.iter().all(|d| d * d * squares <= T::MAX_SQ_NORM) {
            self.edit(kernel, Edit::Project { p, on, d, change: Some(change) });
            return lost;
        }
        let whole = self.support.expansion.weights().get(p.index()).to_f64();
        self.edit(kernel, Edit::Project { p, on: &[], d: &[], change: None });
        whole
    }

    /// Projects `p` on a few and drops it: `alpha_i += d_i alpha_p` leaves the squared residual `rest` of `phi_p`.
    /// Returns the squared length that is lost.
    pub(crate) fn project_on(
        &mut self,
        kernel: AnyKernel,
        p: Slot,
        on: &[Slot],
        d: &[f64],
        rest: f64,
    ) -> f64 {
        let lost = rest * self.support.squared_alpha(p);
        let mut along = 0.0;
        if let Some(norm) = &mut self.followers.norm {
            // <w, D> with D = alpha_p (sum d_i phi_i - phi_p).
            for (&slot, d) in on.iter().zip(d).chain([(&p, &-1.0)]) {
                along += d * norm.along_row_of(kernel, &self.support, slot, p);
            }
        }
        self.hand_over(kernel, p, (on, d), lost, 2.0 * along + lost)
    }

    /// Adds `share` times the coefficients of one slot to those of another.
    pub(crate) fn give(&mut self, kernel: AnyKernel, from: Slot, to: Slot, share: f64) {
        self.edit(kernel, Edit::Give { from, to, share: T::from_f64(share) });
    }

    /// Changes the length of the coefficients `tau v` of one slot: `length v`.
    pub(crate) fn redirect(&mut self, kernel: AnyKernel, slot: Slot, length: f64) {
        self.edit(kernel, Edit::Redirect { slot, length: T::from_f64(length) });
    }

    /// Adds `share d_i row` to the coefficients of each slot of `on`.
    pub(super) fn absorb_into(
        &mut self,
        kernel: AnyKernel,
        (on, d): (&[Slot], &[f64]),
        share: f64,
        row: &[T],
    ) {
        self.edit(kernel, Edit::Absorb { on, d, share, row });
    }

    /// Multiplies every coefficient.
    #[inline(always)]
    pub(crate) fn rescale(&mut self, kernel: AnyKernel, factor: f64) {
        if factor != 1.0 {
            let Self { support, followers, .. } = self;
            if let (Some(means), Some(linear)) = (&followers.means, support.expansion.linear_mut()) {
                means.rescale_linear(linear, factor);
            }
            self.edit(kernel, Edit::Rescale { factor });
        }
    }

    /// Multiplies every coefficient but those of one slot; `along` is the inner product of its part of the model with
    /// that of all others.
    pub(crate) fn rescale_others(&mut self, kernel: AnyKernel, slot: Slot, factor: f64, along: f64) {
        self.edit(kernel, Edit::RescaleOthers { slot, factor, along });
    }

    /// Recomputes from scratch what follows from the vectors and the kernel, after the kernel's width has changed.
    pub(crate) fn refresh(&mut self, kernel: AnyKernel) {
        let SupportSet { expansion, norms, age, .. } = &mut self.support;
        for slot in age.iter() {
            expansion.read(slot, &mut self.scratch.row);
            expansion.write(slot, &self.scratch.row, kernel.diag(norms.get(slot.index())));
        }
        self.followers.refresh(kernel, &self.support);
    }

    fn take_slot(&mut self) -> Slot {
        if let Some(slot) = self.support.free.pop() {
            return slot;
        }
        if self.support.high == self.vectors() * T::LANES {
            debug_assert!(
                self.support.capacity.is_none_or(|capacity| self.support.high < capacity),
                "a bounded store is never asked for more than its capacity"
            );
            self.grow();
        }
        self.support.high += 1;
        Slot(self.support.high as u32 - 1)
    }

    /// One more panel of slots.
    pub(super) fn grow(&mut self) {
        let vectors = self.support.grow();
        self.scratch.by_slot.grow(vectors);
        self.followers.grow(vectors);
    }
}

impl<T: Real> SupportSet<T> {
    /// Makes an edit; `by_slot` and `scratch` are buffers.
    fn edit(&mut self, kernel: AnyKernel, edit: Edit<'_, T>, by_slot: &mut SimdBuffer<T>, scratch: &mut [T]) {
        match edit {
            Edit::Insert { slot, new } => {
                self.panels.write_row(slot, new.x);
                self.nonzero.put(slot, new.x, self.panels.features());
                self.ahead.renew(self.ops, kernel, slot, (new.x, new.norm));
                self.norms.set(slot.index(), new.norm);
                self.expansion.write(slot, new.row, kernel.diag(new.norm));
                self.labels[slot.index()] = new.label;
                self.age.push(slot);
            }
            Edit::Remove { slot, .. } => self.vacate(slot),
            Edit::Merge { merger: MergedPair { m, n, .. }, z, row } => {
                let z = Row::Dense(z);
                self.panels.write_row(n, z);
                self.nonzero.forget(n);
                let norm = kernel.row_stat(z);
                self.ahead.renew(self.ops, kernel, n, (z, norm));
                self.norms.set(n.index(), norm);
                self.expansion.write(n, row, kernel.diag(norm));
                self.vacate(m);
            }
            Edit::Project { p, on, d, .. } => {
                if !on.is_empty() {
                    self.expansion.read(p, scratch);
                    // What p itself would get goes with it.
                    self.spread((on, d), 1.0, Some(p), scratch, by_slot);
                }
                self.vacate(p);
            }
            Edit::Absorb { on, d, share, row } => self.spread((on, d), share, None, row, by_slot),
            Edit::Give { from, to, share } => {
                for (output, a) in scratch.iter_mut().enumerate() {
                    *a = self.expansion.get(to, output) + share * self.expansion.get(from, output);
                }
                self.expansion.write(to, scratch, self.expansion.diags().get(to.index()));
            }
            Edit::Redirect { slot, length } => {
                self.expansion.read(slot, scratch);
                for a in scratch.iter_mut().filter(|a| **a != T::ZERO) {
                    *a = if *a > T::ZERO { length } else { -length };
                }
                self.expansion.write(slot, scratch, self.expansion.diags().get(slot.index()));
            }
            Edit::StepLinear { step, x, constant } => {
                let linear = self.expansion.linear_mut().expect("the learner that moves it has asked for it");
                linear.step(self.ops, step, x, constant);
            }
            Edit::Rescale { factor } => {
                let used = self.used();
                self.ops.scale_coefficients(self.expansion.weighted(used), T::from_f64(factor));
                if let Some(linear) = self.expansion.linear_mut() {
                    linear.scale(T::from_f64(factor));
                }
            }
            Edit::RescaleOthers { slot, factor, .. } => {
                self.expansion.read(slot, scratch);
                let (used, diag) = (self.used(), self.expansion.diags().get(slot.index()));
                self.ops.scale_coefficients(self.expansion.weighted(used), T::from_f64(factor));
                self.expansion.write(slot, scratch, diag);
            }
            Edit::CommitInsert => {}
        }
    }

    /// Adds `share d_i row` to the coefficients of each slot of `on` but one.
    fn spread(
        &mut self,
        (on, d): (&[Slot], &[f64]),
        share: f64,
        but: Option<Slot>,
        row: &[T],
        by_slot: &mut SimdBuffer<T>,
    ) {
        by_slot.clear();
        for (&slot, &d) in on.iter().zip(d) {
            by_slot.set(slot.index(), T::from_f64(share * d));
        }
        if let Some(slot) = but {
            by_slot.set(slot.index(), T::ZERO);
        }
        let used = self.used();
        self.ops.add_multiples(self.expansion.weighted(used), by_slot, row);
    }
}
