//! The closed list of edits: the only code that changes support vectors, coefficients and their followers.

use super::{Scratch, Slot, Store};
use crate::float::{Real, splat};
use crate::kernel::{AnyKernel, Rbf};
use crate::label::Label;
use crate::ops::Lanes;
use crate::row::Row;
use fearless_simd::Simd;

/// An example about to become a support vector.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Newcomer<'a, T: Real> {
    pub(crate) x: Row<'a, T>,
    /// Its norm, as the kernel takes it.
    pub(crate) norm: T,
    pub(crate) label: Label,
    /// Its coefficients.
    pub(crate) row: &'a [T],
    /// Its scores before it came, without the scale.
    pub(crate) f: &'a [T],
    /// Its kernel row by slot.
    pub(crate) k: &'a Lanes<T>,
}

/// Two support vectors merged into one: `z = x_n + h (x_m - x_n)`, `alpha_z = u alpha_m + v alpha_n`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Merger<'a, T: Real> {
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

impl<T: Real> Store<T> {
    /// A new support vector, in a freed slot if there is one.
    #[inline(always)]
    pub(crate) fn insert<S: Simd>(&mut self, s: S, kernel: AnyKernel, new: Newcomer<'_, T>) -> Slot {
        let slot = self.take_slot();
        let diag = kernel.diag(new.norm);
        self.panels.write_row(slot, new.x);
        self.norms.set(slot.index(), new.norm);
        self.expansion.write(slot, new.row, diag);
        self.labels[slot.index()] = new.label;
        self.age.push(slot);
        if let Some(averages) = &mut self.averages {
            averages.enter(slot);
        }
        if let Some(mut gram) = self.gram.take() {
            gram.insert(s, kernel, slot, self);
            self.gram = Some(gram);
        }
        if self.neighbours.is_some() {
            self.introduce(s, kernel, slot, &new);
        }
        if self.margins.is_some() {
            self.enter_margins(s, kernel, slot, &new);
        }
        if self.norm2.is_some() {
            let k_tt = diag.to_f64();
            let change = |(output, b): (usize, &T)| {
                let b = b.to_f64();
                // Where the newcomer's own scores are kept they are those of now, itself included: since the scores were
                // computed that it came with, another vector may have made room for it.
                let f = match &self.margins {
                    Some(margins) => margins.score(slot, output).to_f64() - b * k_tt,
                    None => new.f[output].to_f64(),
                };
                2.0 * b * f + b * b * k_tt
            };
            let change = new.row.iter().enumerate().map(change).sum();
            self.change_norm(s, kernel, change);
        }
        slot
    }

    /// After an insertion and what it made necessary: the newcomer, if it is still there, has come to stay.
    #[inline(always)]
    pub(crate) fn settle<S: Simd>(&mut self, s: S) {
        if let Some(gram) = &mut self.gram {
            gram.settle(s);
        }
    }

    /// Drops a support vector.
    #[inline(never)]
    pub(crate) fn remove<S: Simd>(&mut self, s: S, kernel: AnyKernel, slot: Slot) {
        let along = if self.norm2.is_some() { self.along(s, kernel, slot) } else { 0.0 };
        self.remove_known(s, kernel, slot, along);
    }

    /// The same with [`Store::along`] at hand; where no norm is kept, it may be any number.
    pub(crate) fn remove_known<S: Simd>(&mut self, s: S, kernel: AnyKernel, slot: Slot, along: f64) {
        let change = self.expansion.weights().get(slot.index()).to_f64() - 2.0 * along;
        if let Some(gram) = &mut self.gram {
            gram.remove(s, slot);
        }
        if let Some(margins) = &mut self.margins {
            margins.remove(s, slot, &self.expansion);
        }
        self.vacate(slot);
        if self.neighbours.is_some() {
            self.forget(s, kernel, slot);
        }
        self.change_norm(s, kernel, change);
    }

    /// Replaces two support vectors by one. No Gram follower hears it: merging and projecting are never combined.
    #[inline(always)]
    pub(crate) fn merge<S: Simd>(&mut self, s: S, kernel: Rbf, merger: Merger<'_, T>) {
        debug_assert!(self.gram.is_none(), "merging needs no Gram matrix");
        let Merger { m, x_m, n, h, u, v, degradation } = merger;
        let kernel = AnyKernel::Rbf(kernel);
        let mut change = degradation;
        if self.norm2.is_some() {
            for slot in [m, n] {
                self.panels.read(slot, &mut self.scratch.x);
                self.expansion.read(slot, &mut self.scratch.row);
                change -= 2.0 * self.inner(s, kernel);
            }
        }
        if let Some(averages) = &mut self.averages {
            averages.merge(m, n, u, v, &self.expansion);
        }
        let (h, u, v) = (T::from_f64(h), T::from_f64(u), T::from_f64(v));
        self.panels.read(n, &mut self.scratch.x);
        for (z, &x) in self.scratch.x.iter_mut().zip(x_m) {
            *z += h * (x - *z);
        }
        for (output, a) in self.scratch.row.iter_mut().enumerate() {
            *a = u * self.expansion.get(m, output) + v * self.expansion.get(n, output);
        }
        if self.norm2.is_some() {
            change += 2.0 * self.inner(s, kernel);
        }
        let z = Row::Dense(&self.scratch.x);
        self.panels.write_row(n, z);
        self.norms.set(n.index(), kernel.norm(z));
        self.expansion.write(n, &self.scratch.row, T::ONE);
        self.vacate(m);
        self.change_norm(s, kernel, change);
    }

    /// Drops `p` and gives each of the others its share of it: `alpha_i += d_i alpha_p`. That loses the squared length
    /// `lost` and changes `|w|^2` by `change`; where the others are so short that their coefficients would leave the range
    /// of the type, `p` is dropped whole. Gives what was lost.
    pub(super) fn hand_over<S: Simd>(
        &mut self,
        s: S,
        kernel: AnyKernel,
        p: Slot,
        (on, d): (&[Slot], &[f64]),
        lost: f64,
        change: f64,
    ) -> f64 {
        let squares = self.squared_row(p);
        let fits = d.iter().all(|d| d * d * squares <= T::LARGE);
        let whole = self.expansion.weights().get(p.index()).to_f64();
        if fits {
            self.spread(s, p, on, d);
        }
        self.vacate(p);
        if fits {
            self.change_norm(s, kernel, change);
            lost
        } else {
            self.refresh_norm(s, kernel);
            whole
        }
    }

    /// Projects `p` on a few and drops it: `alpha_i += d_i alpha_p` leaves the squared residual `rest` of `phi_p`. Gives
    /// the squared length that is lost. No Gram follower hears it: it is for projections on all others.
    #[inline(never)]
    pub(crate) fn project_on<S: Simd>(
        &mut self,
        s: S,
        kernel: AnyKernel,
        p: Slot,
        on: &[Slot],
        d: &[f64],
        rest: f64,
    ) -> f64 {
        debug_assert!(self.gram.is_none(), "projecting on a few needs no Gram matrix");
        let lost = rest * self.squared_row(p);
        let mut along = 0.0;
        if self.norm2.is_some() {
            // <w, D> with D = alpha_p (sum d_i phi_i - phi_p).
            self.expansion.read(p, &mut self.scratch.row);
            for (&slot, d) in on.iter().zip(d).chain([(&p, &-1.0)]) {
                self.panels.read(slot, &mut self.scratch.x);
                along += d * self.inner(s, kernel);
            }
        }
        self.hand_over(s, kernel, p, (on, d), lost, 2.0 * along + lost)
    }

    /// Adds `d_i alpha_p` to the coefficients of each slot but `p` itself.
    #[inline(never)]
    fn spread<S: Simd>(&mut self, s: S, p: Slot, on: &[Slot], d: &[f64]) {
        if let Some(averages) = &mut self.averages {
            averages.spread(p, on, d, &self.expansion);
        }
        let used = self.used();
        let Scratch { row, by_slot, .. } = &mut self.scratch;
        for vector in 0..used {
            by_slot.store(vector, splat::<T, S>(s, T::ZERO));
        }
        for (&slot, &d) in on.iter().zip(d) {
            by_slot.set(slot.index(), T::from_f64(d));
        }
        by_slot.set(p.index(), T::ZERO);
        self.expansion.read(p, row);
        s.vectorize(
            #[inline(always)]
            || self.expansion.spread(s, by_slot, row, used),
        );
    }

    /// Multiplies every coefficient.
    pub(crate) fn rescale<S: Simd>(&mut self, s: S, factor: f64) {
        if let Some(averages) = &mut self.averages {
            averages.settle_all(&self.age, &self.expansion);
        }
        self.expansion.multiply(s, T::from_f64(factor), self.used());
        if let Some(norm2) = &mut self.norm2 {
            norm2.value *= factor * factor;
        }
        if let Some(margins) = &mut self.margins {
            margins.rescale(s, T::from_f64(factor));
        }
    }

    /// Multiplies every coefficient but those of one slot; `along` is the inner product of its part of the model with
    /// that of all others.
    pub(crate) fn rescale_others<S: Simd>(
        &mut self,
        s: S,
        kernel: AnyKernel,
        slot: Slot,
        factor: f64,
        along: f64,
    ) {
        let mut row = std::mem::take(&mut self.scratch.row);
        self.expansion.read(slot, &mut row);
        let (diag, own) =
            (self.expansion.diags().get(slot.index()), self.expansion.weights().get(slot.index()).to_f64());
        self.expansion.multiply(s, T::from_f64(factor), self.used());
        self.expansion.write(slot, &row, diag);
        self.scratch.row = row;
        let others = self.norm2() - 2.0 * along - own;
        self.change_norm(s, kernel, (factor * factor - 1.0) * others + 2.0 * (factor - 1.0) * along);
    }

    /// Sets the multiplier of every coefficient.
    #[inline(always)]
    pub(crate) fn set_scale(&mut self, scale: f64) {
        self.scale = scale;
    }

    /// Appends zero features.
    pub(crate) fn widen(&mut self, features: usize) {
        self.panels.widen(features);
        self.scratch.x.resize(features, T::ZERO);
    }

    /// Recomputes from scratch what follows from the vectors and the kernel, after the kernel's width has changed.
    pub(crate) fn refresh<S: Simd>(&mut self, s: S, kernel: AnyKernel) {
        for slot in self.age.iter() {
            self.expansion.read(slot, &mut self.scratch.row);
            let diag = kernel.diag(self.norms.get(slot.index()));
            self.expansion.write(slot, &self.scratch.row, diag);
        }
        if let Some(mut gram) = self.gram.take() {
            gram.refresh(s, kernel, self);
            self.gram = Some(gram);
        }
        self.find_neighbours(s, kernel);
        self.find_margins(s, kernel);
        self.refresh_norm(s, kernel);
    }

    /// Frees a slot and zeroes its lanes.
    #[inline(always)]
    pub(super) fn vacate(&mut self, slot: Slot) {
        let features = self.features();
        self.panels.write(slot, std::iter::repeat_n(T::ZERO, features));
        self.norms.set(slot.index(), T::ZERO);
        for output in 0..self.outputs() {
            self.expansion.clear(slot, output);
        }
        if let Some(averages) = &mut self.averages {
            averages.clear(slot);
        }
        self.age.remove(slot);
        self.free.push(slot);
    }

    fn take_slot(&mut self) -> Slot {
        if let Some(slot) = self.free.pop() {
            return slot;
        }
        if self.high == self.vectors() * T::LANES {
            debug_assert!(
                self.capacity.is_none_or(|capacity| self.high < capacity),
                "a bounded store is never asked for more than its capacity"
            );
            self.grow();
        }
        self.high += 1;
        Slot(self.high as u32 - 1)
    }

    /// One more panel of slots, the last of a bounded store narrower.
    pub(super) fn grow(&mut self) {
        self.panels.grow();
        let vectors = self.panels.vectors();
        self.norms.grow(vectors);
        self.expansion.grow(vectors);
        self.labels.resize(vectors * T::LANES, Label::Class(0));
        self.age.grow(vectors * T::LANES);
        self.scratch.k.grow(vectors);
        self.scratch.by_slot.grow(vectors);
        if let Some(neighbours) = &mut self.neighbours {
            neighbours.grow(vectors);
        }
        if let Some(margins) = &mut self.margins {
            margins.grow(vectors);
        }
        if let Some(averages) = &mut self.averages {
            averages.grow(vectors * T::LANES);
        }
    }
}
