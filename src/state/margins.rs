//! The scores of the support vectors themselves, and their leave-one-out margins.

use super::DerivedState;
use crate::batch::{Label, Row};
use crate::count::saturating_inc;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::ops::margins::score_index;
use crate::ops::{KernelMatrix, SimdBuffer};
use crate::output_expansion::OutputExpansion;
use crate::persist::Tensors;
use crate::slot::Slot;
use crate::store::{Edit, NewVector, OnEdit, SupportSet, with_classes};

/// Changes, per support vector, after which the scores are computed from scratch, so that rounding cannot pile up.
const REFRESH: u64 = 8;

/// The scores `f_c(x_j)` of every support vector, kept as vectors come and go: each changes them by its own kernel row,
/// so that a removal costs O(B) (Crammer, Kandola and Singer 2003).
#[derive(Debug, Clone)]
pub(crate) struct Margins<T: Real> {
    /// As coefficients are laid out: `[vector of lanes][output]`.
    f: SimdBuffer<T>,
    /// Of two classes the sign, of many the class.
    labels: SimdBuffer<T>,
    square: KernelMatrix<T>,
    /// Changes since all scores were last computed from scratch.
    changes: u64,
    outputs: usize,
    /// One number to the output.
    scratch: Vec<T>,
    /// A slot's vector and kernel row.
    x: Vec<T>,
    k: SimdBuffer<T>,
    /// Minus the margins.
    costs: SimdBuffer<T>,
}

impl<T: Real> Margins<T> {
    pub(crate) fn new(outputs: usize) -> Self {
        Self {
            f: SimdBuffer::default(),
            labels: SimdBuffer::default(),
            square: KernelMatrix::default(),
            changes: 0,
            outputs,
            scratch: vec![T::ZERO; outputs],
            x: Vec::new(),
            k: SimdBuffer::default(),
            costs: SimdBuffer::default(),
        }
    }

    fn place(&self, slot: usize, output: usize) -> usize {
        score_index::<T>(slot, output, self.outputs)
    }

    fn set_label(&mut self, slot: Slot, label: Label) {
        let code = match label {
            Label::Sign(y) | Label::Value(y) => y,
            Label::Class(class) => f64::from(class),
        };
        self.labels.set(slot.index(), T::from_f64(code));
    }

    /// `f_jc += sign alpha_c k_j` for every slot, `alpha` and `k` those of one slot.
    fn add(&mut self, slot: Slot, sign: T, support: &SupportSet<T>) {
        for (output, a) in self.scratch.iter_mut().enumerate() {
            *a = sign * support.expansion.get(slot, output);
        }
        let k = self.square.row(slot);
        support.ops.add_to_scores(&mut self.f, &self.scratch, k, support.used());
        saturating_inc(&mut self.changes);
    }

    /// Computes the scores of a slot from its kernel row.
    fn find(&mut self, slot: Slot, support: &SupportSet<T>) {
        let alpha = support.expansion.coefficients();
        let k = self.square.row(slot);
        support.ops.write_scores(&mut self.f, slot.index(), alpha, k, support.used(), &mut self.scratch);
    }

    /// The support vector, except one, with the largest leave-one-out margin of its own label, and that margin without
    /// the scale; the oldest within the tie tolerance.
    pub(crate) fn largest(&mut self, support: &SupportSet<T>, except: Option<Slot>) -> Option<(Slot, T)> {
        let mut costs = std::mem::take(&mut self.costs);
        self.negated(support, &mut costs);
        if let Some(slot) = except {
            costs.set(slot.index(), T::INFINITY);
        }
        let found = support.ops.argmin(&costs, support.live(), T::TIE_RTOL);
        self.costs = costs;
        found.map(|(slot, negated)| (slot, -negated))
    }

    /// Minus the leave-one-out margin of every slot's label, `-(f_jc - alpha_jc k_jj)` over its strongest rival.
    fn negated(&self, support: &SupportSet<T>, into: &mut SimdBuffer<T>) {
        let (alpha, diags) = (support.expansion.coefficients(), support.expansion.diags());
        support.ops.negated_margins(&self.f, &self.labels, alpha, diags, support.used(), into);
    }

    /// A new slot: its own scores, and what it adds to those of all others. A dense row has its kernel row already;
    /// that of a sparse one is summed up in another order than between stored vectors.
    fn enter(&mut self, slot: Slot, new: &NewVector<'_, T>, support: &SupportSet<T>) {
        let diag = support.expansion.diags().get(slot.index());
        match new.x {
            Row::Dense(_) => self.square.set(slot, new.k, diag, support.order.iter()),
            Row::Sparse(..) => {
                support.kernel_row(slot, &mut self.x, &mut self.k);
                self.square.set(slot, &self.k, diag, support.order.iter());
            }
        }
        self.set_label(slot, new.label);
        self.add(slot, T::ONE, support);
        self.find(slot, support);
        if self.changes > REFRESH * support.len() as u64 {
            self.find_all(support);
        }
    }

    /// Computes all scores anew.
    fn find_all(&mut self, support: &SupportSet<T>) {
        for slot in support.order.iter() {
            self.find(slot, support);
        }
        self.changes = 0;
    }

    /// Computes all kernel values and labels anew.
    fn find_square(&mut self, support: &SupportSet<T>) {
        for slot in support.order.iter() {
            support.kernel_row(slot, &mut self.x, &mut self.k);
            let diag = support.expansion.diags().get(slot.index());
            self.square.set(slot, &self.k, diag, support.order.iter());
            self.set_label(slot, support.labels[slot.index()]);
        }
    }
}

impl<T: Real> OnEdit<T> for Margins<T> {
    fn before(&mut self, edit: &Edit<'_, T>, support: &SupportSet<T>) {
        if let Edit::Remove { slot, .. } = edit {
            self.add(*slot, -T::ONE, support);
        }
    }

    fn after(&mut self, edit: &Edit<'_, T>, support: &SupportSet<T>) {
        match edit {
            Edit::Insert { slot, new } => self.enter(*slot, new, support),
            Edit::Remove { .. } | Edit::StepLinear { .. } | Edit::CommitInsert => {}
            Edit::Rescale { factor } => support.ops.scale_buffer(&mut self.f, T::from_f64(*factor)),
            Edit::Merge { .. } => self.refresh(support),
            Edit::Project { .. }
            | Edit::Give { .. }
            | Edit::Redirect { .. }
            | Edit::Absorb { .. }
            | Edit::RescaleOthers { .. } => self.find_all(support),
        }
    }

    fn reserve(&mut self, vectors: usize) {
        self.f.grow(vectors * self.outputs);
        self.labels.grow(vectors);
        self.square.grow(vectors);
        self.k.grow(vectors);
        self.costs.grow(vectors);
    }

    fn refresh(&mut self, support: &SupportSet<T>) {
        self.find_square(support);
        self.find_all(support);
    }

    fn score(&self, slot: Slot, output: usize) -> Option<T> {
        Some(self.f.get(self.place(slot.index(), output)))
    }
}

impl<T: Real> DerivedState<T> for Margins<T> {
    fn add_outputs(&mut self, to: OutputExpansion) {
        self.f = with_classes(&self.f, to);
        self.outputs = to.after();
        self.scratch.resize(self.outputs, T::ZERO);
        if to.before() == 1 {
            // What was a sign becomes a class.
            for slot in 0..self.labels.as_slice().len() * T::LANES {
                let class = if self.labels.get(slot) > T::ZERO { T::ONE } else { T::ZERO };
                self.labels.set(slot, class);
            }
        }
    }

    /// The scores of all slots, as they are after many changes.
    fn save(&self, support: &SupportSet<T>, out: &mut Tensors) {
        let out = out.scope_mut("margins");
        let (high, order) = (support.high, &support.order);
        let all = (0..high).flat_map(|slot| (0..self.outputs).map(move |output| (slot, output)));
        let f = all.map(|(slot, output)| {
            let live = order.is_live(Slot(slot as u32));
            if live { self.f.get(self.place(slot, output)) } else { T::ZERO }
        });
        out.put("scores", &[high, self.outputs], f);
        out.set("changes", self.changes);
    }

    fn load(&mut self, from: &Tensors, support: &SupportSet<T>) -> Result<()> {
        let from = from.scope("margins")?;
        let high = support.high;
        let f: Vec<T> = from.get("scores", &[high, self.outputs])?;
        if !f.iter().all(|f| f.is_finite()) {
            return Err(Error::Model("the scores of support vectors must be finite".into()));
        }
        for slot in 0..high {
            for output in 0..self.outputs {
                let place = self.place(slot, output);
                self.f.set(place, f[slot * self.outputs + output]);
            }
        }
        self.changes = from.count("changes")?;
        self.find_square(support);
        Ok(())
    }
}
