//! A follower of the slots: what the model says of its own support vectors.

use super::square::Square;
use super::{Expansion, Newcomer, Slot, Store};
use crate::error::{Error, Result};
use crate::float::{Real, splat};
use crate::kernel::AnyKernel;
use crate::label::Label;
use crate::ops::Lanes;
use crate::persist::Tensors;
use crate::row::Row;
use fearless_simd::{Select, Simd, SimdBase, SimdFloat};

/// Changes, per support vector, after which the scores are computed from scratch, so that rounding cannot pile up.
const REFRESH: u64 = 8;

/// The scores `f_c(x_j)` of every support vector, kept as vectors come and go: each changes them by its own kernel row,
/// so that a removal costs O(B) (Crammer, Kandola and Singer 2003).
#[derive(Debug, Clone)]
pub(super) struct Margins<T: Real> {
    /// As coefficients are laid out: `[vector of lanes][output]`.
    f: Lanes<T>,
    /// Of two classes the sign, of many the class.
    labels: Lanes<T>,
    square: Square<T>,
    /// Changes since all scores were last computed from scratch.
    changes: u64,
    outputs: usize,
    scratch: Vec<T>,
}

impl<T: Real> Margins<T> {
    pub(super) fn new(outputs: usize) -> Self {
        Self {
            f: Lanes::default(),
            labels: Lanes::default(),
            square: Square::default(),
            changes: 0,
            outputs,
            scratch: vec![T::ZERO; outputs],
        }
    }

    /// Room for `vectors` vectors of slots.
    pub(super) fn grow(&mut self, vectors: usize) {
        self.f.grow(vectors * self.outputs);
        self.labels.grow(vectors);
        self.square.grow(vectors);
    }

    fn place(&self, slot: usize, output: usize) -> usize {
        (slot / T::LANES * self.outputs + output) * T::LANES + slot % T::LANES
    }

    /// The score of a slot, itself included.
    pub(super) fn score(&self, slot: Slot, output: usize) -> T {
        self.f.get(self.place(slot.index(), output))
    }

    fn set_label(&mut self, slot: Slot, label: Label) {
        let code = match label {
            Label::Sign(y) | Label::Value(y) => y,
            Label::Class(class) => f64::from(class),
        };
        self.labels.set(slot.index(), T::from_f64(code));
    }

    /// `f_jc += sign alpha_c k_j` for every slot, `alpha` and `k` those of one slot.
    #[inline(always)]
    fn add<S: Simd>(&mut self, s: S, slot: Slot, expansion: &Expansion<T>, sign: T, used: usize) {
        for output in 0..self.outputs {
            let alpha = sign * expansion.get(slot, output);
            if alpha == T::ZERO {
                continue;
            }
            let alpha = splat::<T, S>(s, alpha);
            for (vector, k) in self.square.row(slot).lines()[..used].iter().enumerate() {
                let place = vector * self.outputs + output;
                self.f.store(place, alpha.mul_add(k.load(s), self.f.load(s, place)));
            }
        }
        self.changes += 1;
    }

    /// Takes the part of a slot that is about to go out of all scores.
    #[inline(never)]
    pub(super) fn remove<S: Simd>(&mut self, s: S, slot: Slot, expansion: &Expansion<T>) {
        let used = self.labels.lines().len();
        s.vectorize(
            #[inline(always)]
            || self.add(s, slot, expansion, -T::ONE, used),
        );
    }

    /// Multiplies every score.
    pub(super) fn rescale<S: Simd>(&mut self, s: S, factor: T) {
        for line in self.f.lines_mut() {
            line.store(line.load(s) * factor);
        }
    }

    /// Computes the scores of a slot from its kernel row.
    #[inline(always)]
    fn find<S: Simd>(&mut self, s: S, slot: Slot, expansion: &Expansion<T>, used: usize) {
        let mut f = std::mem::take(&mut self.scratch);
        expansion.all_scores(s, self.square.row(slot), used, &mut f);
        for (output, &f) in f.iter().enumerate() {
            let place = self.place(slot.index(), output);
            self.f.set(place, f);
        }
        self.scratch = f;
    }

    /// Minus the margin of every slot's label in the model without that slot, `f_jc - alpha_jc k_jj`.
    #[inline(always)]
    fn negated<S: Simd>(&self, s: S, expansion: &Expansion<T>, used: usize, into: &mut Lanes<T>) {
        for vector in 0..used {
            let (labels, diags) = (self.labels.load(s, vector), expansion.diags().load(s, vector));
            let from = vector * self.outputs;
            let without = |output: usize| {
                let alpha = expansion.lines(vector, vector + 1)[output].load(s);
                (-alpha).mul_add(diags, self.f.load(s, from + output))
            };
            if self.outputs == 1 {
                into.store(vector, -(labels * without(0)));
                continue;
            }
            let least = splat::<T, S>(s, T::LEAST);
            let (mut own, mut rival) = (least, least);
            for output in 0..self.outputs {
                let f = without(output);
                let is_own = labels.simd_eq(splat::<T, S>(s, T::from_f64(output as f64)));
                own = is_own.select(f, own);
                rival = rival.max(is_own.select(least, f));
            }
            into.store(vector, rival - own);
        }
    }

    /// What cannot be rebuilt: the scores of the first `high` slots, as they are after many changes.
    pub(super) fn save(&self, high: usize, is_live: impl Fn(Slot) -> bool, out: &mut Tensors) {
        let all = (0..high).flat_map(|slot| (0..self.outputs).map(move |output| (slot, output)));
        let f =
            all.map(
                |(slot, output)| {
                    if is_live(Slot(slot as u32)) { self.f.get(self.place(slot, output)) } else { T::ZERO }
                },
            );
        out.put("scores", &[high, self.outputs], f);
        out.set("changes", self.changes);
    }

    /// Restores it.
    pub(super) fn load(&mut self, from: &Tensors, high: usize) -> Result<()> {
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
        Ok(())
    }
}

impl<T: Real> Store<T> {
    /// The support vector, but for one, whose own label has the largest margin in the model without it, and that margin,
    /// without the scale: the one that is needed least. The oldest within the tie tolerance.
    #[inline(never)]
    pub(crate) fn surest<S: Simd>(&mut self, s: S, but: Option<Slot>) -> Option<(Slot, T)> {
        let used = self.used();
        let costs = &mut self.scratch.by_slot;
        let margins = self.margins.as_ref().expect("the strategy that asks has asked to keep them");
        let expansion = &self.expansion;
        s.vectorize(
            #[inline(always)]
            || margins.negated(s, expansion, used, costs),
        );
        if let Some(slot) = but {
            costs.set(slot.index(), T::INFINITY);
        }
        let found = s.vectorize(
            #[inline(always)]
            || self.age.least(s, costs, used, T::TIE),
        );
        found.map(|(slot, negated)| (slot, -negated))
    }

    /// Tells the margins of a new slot: its own scores, and what it adds to those of all others. A dense row has its kernel
    /// row already; that of a sparse one is summed up in another order than between stored vectors.
    #[inline(never)]
    pub(super) fn enter_margins<S: Simd>(
        &mut self,
        s: S,
        kernel: AnyKernel,
        slot: Slot,
        new: &Newcomer<'_, T>,
    ) {
        let Some(mut margins) = self.margins.take() else { return };
        let (used, diag) = (self.used(), self.expansion.diags().get(slot.index()));
        match new.x {
            Row::Dense(_) => margins.square.set(slot, new.k, diag, &self.age),
            Row::Sparse(..) => {
                let (mut k, mut x) =
                    (std::mem::take(&mut self.scratch.k), std::mem::take(&mut self.scratch.x));
                self.row(s, kernel, slot, &mut x, &mut k);
                margins.square.set(slot, &k, diag, &self.age);
                (self.scratch.k, self.scratch.x) = (k, x);
            }
        }
        margins.set_label(slot, new.label);
        let expansion = &self.expansion;
        s.vectorize(
            #[inline(always)]
            || {
                margins.add(s, slot, expansion, T::ONE, used);
                margins.find(s, slot, expansion, used);
            },
        );
        if margins.changes > REFRESH * self.len() as u64 {
            for index in 0..self.len() {
                let slot = self.nth(index);
                margins.find(s, slot, &self.expansion, used);
            }
            margins.changes = 0;
        }
        self.margins = Some(margins);
    }

    /// Computes all kernel values and labels anew, and all scores.
    pub(super) fn find_margins<S: Simd>(&mut self, s: S, kernel: AnyKernel) {
        if self.margins.is_none() {
            return;
        }
        self.find_square(s, kernel);
        let Some(mut margins) = self.margins.take() else { return };
        for slot in self.age.iter() {
            margins.find(s, slot, &self.expansion, self.used());
        }
        margins.changes = 0;
        self.margins = Some(margins);
    }

    /// Computes the kernel values and the labels that the margins keep: they are not saved.
    pub(crate) fn find_square<S: Simd>(&mut self, s: S, kernel: AnyKernel) {
        let Some(mut margins) = self.margins.take() else { return };
        let (mut k, mut x) = (std::mem::take(&mut self.scratch.k), std::mem::take(&mut self.scratch.x));
        for slot in self.age.iter() {
            self.row(s, kernel, slot, &mut x, &mut k);
            margins.square.set(slot, &k, self.expansion.diags().get(slot.index()), &self.age);
            margins.set_label(slot, self.labels[slot.index()]);
        }
        (self.scratch.k, self.scratch.x) = (k, x);
        self.margins = Some(margins);
    }
}
