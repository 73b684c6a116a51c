//! The scores of the support vectors themselves, and their leave-one-out margins.

use super::DerivedState;
use crate::added_outputs::AddedOutputs;
use crate::batch::{Label, Row};
use crate::count::saturating_inc;
use crate::error::{Error, Result};
use crate::expansion::{Edit, NewSupportVector, OnEdit, SupportSet, with_added_outputs};
use crate::float::Real;
use crate::ops::margins::score_index;
use crate::ops::{KernelMatrix, SimdBuffer};
use crate::persist::Tensors;
use crate::slot::Slot;

/// Changes, per support vector, after which the scores are computed from scratch, so that rounding errors cannot
/// accumulate.
const REFRESH: u64 = 8;

/// The scores `f_c(x_j)` of every support vector. An insertion or removal updates them by one kernel row, so that a
/// removal costs O(B) (Crammer, Kandola and Singer 2003).
#[derive(Debug, Clone)]
pub(crate) struct Margins<T: Real> {
    /// Scores in the layout of the coefficients: `[SIMD vector][output]`.
    f: SimdBuffer<T>,
    /// The sign of two classes, the index of more.
    labels: SimdBuffer<T>,
    kernel_matrix: KernelMatrix<T>,
    /// Changes since all scores were last computed from scratch.
    changes: u64,
    outputs: usize,
    /// One coefficient or score per output.
    by_output: Vec<T>,
    /// A slot's vector and kernel row.
    x: Vec<T>,
    k: SimdBuffer<T>,
    /// Negated leave-one-out margins.
    costs: SimdBuffer<T>,
}

impl<T: Real> Margins<T> {
    pub(crate) fn new(outputs: usize) -> Self {
        Self {
            f: SimdBuffer::default(),
            labels: SimdBuffer::default(),
            kernel_matrix: KernelMatrix::default(),
            changes: 0,
            outputs,
            by_output: vec![T::ZERO; outputs],
            x: Vec::new(),
            k: SimdBuffer::default(),
            costs: SimdBuffer::default(),
        }
    }

    /// The index of a score in the buffer.
    fn index(&self, slot: usize, output: usize) -> usize {
        score_index::<T>(slot, output, self.outputs)
    }

    fn set_label(&mut self, slot: Slot, label: Label) {
        let code = match label {
            Label::Sign(y) | Label::Value(y) => y,
            Label::Class(class) => f64::from(class),
        };
        self.labels.set(slot.index(), T::from_f64(code));
    }

    /// `f_jc += sign alpha_c k_j` for every slot j, with the coefficients and the kernel row of `slot`.
    fn add(&mut self, slot: Slot, sign: T, support: &SupportSet<T>) {
        for (output, a) in self.by_output.iter_mut().enumerate() {
            *a = sign * support.coefficients.get(slot, output);
        }
        let k = self.kernel_matrix.row(slot);
        support.ops.add_to_scores(&mut self.f, &self.by_output, k, support.n_simd_used());
        saturating_inc(&mut self.changes);
    }

    /// Computes the scores of a slot from its kernel row.
    fn compute_scores(&mut self, slot: Slot, support: &SupportSet<T>) {
        let alpha = support.coefficients.view();
        let k = self.kernel_matrix.row(slot);
        support.ops.write_scores(
            &mut self.f,
            slot.index(),
            alpha,
            k,
            support.n_simd_used(),
            &mut self.by_output,
        );
    }

    /// The support vector with the largest leave-one-out margin of its own label, except `except`, and the margin
    /// unscaled; the oldest within the tie tolerance.
    pub(crate) fn largest(&mut self, support: &SupportSet<T>, except: Option<Slot>) -> Option<(Slot, T)> {
        let mut costs = std::mem::take(&mut self.costs);
        self.negated_margins(support, &mut costs);
        if let Some(slot) = except {
            costs.set(slot.index(), T::INFINITY);
        }
        let found = support.ops.argmin(&costs, support.live(), T::TIE_RTOL);
        self.costs = costs;
        found.map(|(slot, negated)| (slot, -negated))
    }

    /// The negated leave-one-out margin of every slot: `f_jc - alpha_jc k_jj` of its class c above the largest of the
    /// other classes.
    fn negated_margins(&self, support: &SupportSet<T>, out: &mut SimdBuffer<T>) {
        let (alpha, diags) = (support.coefficients.view(), support.coefficients.diags());
        support.ops.negated_margins(&self.f, &self.labels, alpha, diags, support.n_simd_used(), out);
    }

    /// Computes the scores of a new slot, and adds its share to the scores of all other slots. The kernel row of a
    /// dense row is reused. A sparse row is summed in another order than stored vectors, so its kernel row is computed
    /// again.
    fn insert(&mut self, slot: Slot, new: &NewSupportVector<'_, T>, support: &SupportSet<T>) {
        let diag = support.coefficients.diags().get(slot.index());
        match new.z {
            Row::Dense(_) => self.kernel_matrix.set(slot, new.k, diag, support.order.iter()),
            Row::Sparse(..) => {
                support.kernel_row(slot, &mut self.x, &mut self.k);
                self.kernel_matrix.set(slot, &self.k, diag, support.order.iter());
            }
        }
        self.set_label(slot, new.label);
        self.add(slot, T::ONE, support);
        self.compute_scores(slot, support);
        if self.changes > REFRESH * support.len() as u64 {
            self.compute_all_scores(support);
        }
    }

    /// Computes all scores from scratch.
    fn compute_all_scores(&mut self, support: &SupportSet<T>) {
        for slot in support.order.iter() {
            self.compute_scores(slot, support);
        }
        self.changes = 0;
    }

    /// Computes all kernel values and labels from scratch.
    fn compute_kernel_matrix(&mut self, support: &SupportSet<T>) {
        for slot in support.order.iter() {
            support.kernel_row(slot, &mut self.x, &mut self.k);
            let diag = support.coefficients.diags().get(slot.index());
            self.kernel_matrix.set(slot, &self.k, diag, support.order.iter());
            self.set_label(slot, support.labels[slot.index()]);
        }
    }
}

impl<T: Real> OnEdit<T> for Margins<T> {
    fn before_edit(&mut self, edit: &Edit<'_, T>, support: &SupportSet<T>) {
        if let Edit::Remove { slot, .. } = edit {
            self.add(*slot, -T::ONE, support);
        }
    }

    fn after_edit(&mut self, edit: &Edit<'_, T>, support: &SupportSet<T>) {
        match edit {
            Edit::Insert { slot, new } => self.insert(*slot, new, support),
            Edit::Remove { .. } | Edit::StepLinear { .. } | Edit::CommitInsert => {}
            Edit::MultiplyAll { factor } => support.ops.scale_buffer(&mut self.f, T::from_f64(*factor)),
            Edit::Merge { .. } => self.refresh(support),
            Edit::Project { .. }
            | Edit::Give { .. }
            | Edit::Redirect { .. }
            | Edit::Absorb { .. }
            | Edit::MultiplyOthers { .. } => self.compute_all_scores(support),
        }
    }

    fn reserve(&mut self, n_simd: usize) {
        self.f.grow(n_simd * self.outputs);
        self.labels.grow(n_simd);
        self.kernel_matrix.grow(n_simd);
        self.k.grow(n_simd);
        self.costs.grow(n_simd);
    }

    fn refresh(&mut self, support: &SupportSet<T>) {
        self.compute_kernel_matrix(support);
        self.compute_all_scores(support);
    }

    fn score(&self, slot: Slot, output: usize) -> Option<T> {
        Some(self.f.get(self.index(slot.index(), output)))
    }
}

impl<T: Real> DerivedState<T> for Margins<T> {
    fn add_outputs(&mut self, added: AddedOutputs) {
        self.f = with_added_outputs(&self.f, added);
        self.outputs = added.n_after();
        self.by_output.resize(self.outputs, T::ZERO);
        if added.n_before() == 1 {
            // Signs become class indices.
            for slot in 0..self.labels.as_slice().len() * T::LANES {
                let class = if self.labels.get(slot) > T::ZERO { T::ONE } else { T::ZERO };
                self.labels.set(slot, class);
            }
        }
    }

    /// Writes the incrementally updated scores, which differ by rounding from scores computed from scratch.
    fn save(&self, support: &SupportSet<T>, out: &mut Tensors) {
        let out = out.scope_mut("margins");
        let (high, order) = (support.high, &support.order);
        let all = (0..high).flat_map(|slot| (0..self.outputs).map(move |output| (slot, output)));
        let f = all.map(|(slot, output)| {
            let live = order.is_live(Slot(slot as u32));
            if live { self.f.get(self.index(slot, output)) } else { T::ZERO }
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
                let index = self.index(slot, output);
                self.f.set(index, f[slot * self.outputs + output]);
            }
        }
        self.changes = from.count("changes")?;
        self.compute_kernel_matrix(support);
        Ok(())
    }
}
