//! The only training loop.

use super::balance::weighed;
use super::block::RowBlock;
use super::inclination::LinearStep;
use super::serving::Scored;
use super::{Learner, Rows, Scaler, Scratch, Targets};
use crate::drift::ChangeDetected;
use crate::float::Real;
use crate::hashing::{FeatureHasher, HashedRow};
use crate::kernel::AnyKernel;
use crate::label::Label;
use crate::maintenance::{Admission, Maintain, MaintenanceContext};
use crate::metric::{Metric, MetricExample};
use crate::ops::{Ops, SimdBuffer, starts_block};
use crate::row::Row;
use crate::rules::{AnyRule, Example, UpdateRule};
use crate::store::{KernelExpansion, NewVector};

/// Support vectors from which on a metric is learned, where the budget is not less.
fn metric_from(label: Label) -> usize {
    if let Label::Value(_) = label { 100 } else { 500 }
}

/// Whether a row with this `k_tt` may become a support vector. One of no length in feature space can change nothing.
#[inline(always)]
fn has_length<T: Real>(k_tt: T) -> bool {
    k_tt >= T::MIN_SQ_NORM
}

/// Where a row comes from.
#[derive(Clone, Copy)]
enum RowSource<'a, T: Real> {
    /// As it was given.
    Raw(Row<'a, T>),
    /// One of a block that has been made ready.
    Ready(&'a RowBlock<T>, usize),
}

impl<'r, T: Real> RowSource<'r, T> {
    /// The row as the linear part sees it: folded, and scaled as the `t`-th at an age of what is known.
    #[inline(always)]
    fn x(
        self,
        (hashing, scaling): (Option<&FeatureHasher>, Option<&mut Scaler<T>>),
        ops: Ops<T>,
        (t, known): (u64, f64),
        (folded, scaled): (&'r mut HashedRow<T>, &'r mut Vec<T>),
    ) -> Row<'r, T> {
        match self {
            Self::Raw(raw) => {
                let raw = hashing.map_or(raw, |hashing| hashing.hash_row(raw, folded));
                scaling.map_or(raw, |scaling| scaling.learn(ops, (t, known), raw, scaled))
            }
            Self::Ready(block, i) => Row::Dense(block.x(i)),
        }
    }

    /// As the kernel sees it, in a metric.
    #[inline(always)]
    fn z<'z>(
        self,
        metric: &Metric<T>,
        ops: Ops<T>,
        x: Row<'_, T>,
        lanes: &mut SimdBuffer<T>,
        z: &'z mut Vec<T>,
    ) -> Row<'z, T> {
        match self {
            Self::Raw(_) => metric.apply(ops, x, lanes, z),
            Self::Ready(block, i) => {
                z.clear();
                z.extend_from_slice(block.z(i));
            }
        }
        Row::Dense(z)
    }
}

impl<T: Real> Learner<T> {
    /// Learns the rows `from..to` of a batch that [`Learner::check`] has passed.
    pub(super) fn learn_checked(
        &mut self,
        rows: &Rows<'_, T>,
        targets: Targets<'_>,
        weights: Option<&[f64]>,
        from: usize,
        to: usize,
    ) {
        let (mut buffer, mut block) = (Vec::new(), std::mem::take(&mut self.scratch.block));
        block.clear();
        // The next row of the batch, and of the block.
        let (mut next, mut i) = (from, 0);
        while next < to || i < block.len() {
            if i == block.len() {
                (next, i) = (self.prepare(rows, weights, (next, to), &mut buffer, &mut block), 0);
            }
            let (source, row) = if i < block.len() {
                self.look_ahead(&mut block, i);
                i += 1;
                (RowSource::Ready(&block, i - 1), block.row(i - 1))
            } else if next < to {
                next += 1;
                (RowSource::Raw(rows.row(next - 1, &mut buffer)), next - 1)
            } else {
                break;
            };
            let weight = weights.map_or(1.0, |w| w[row]);
            if weight > 0.0 {
                self.learn_row(source, targets.label(row, self.task), weight);
                if let Some(averaging) = &mut self.averaging {
                    let seen = self.counts.n_seen;
                    let age = self.serving.as_ref().map_or(seen as f64, |serving| serving.age(seen));
                    averaging.move_on(seen, age, &mut self.store);
                }
            }
        }
        self.scratch.block = block;
    }

    /// row -> fold -> scale -> [move metric, once to the block] -> renew -> map -> scores -> count -> propose -> [admit
    /// -> move linear part -> learn metric -> insert -> restore -> settle]
    #[inline(always)]
    fn learn_row(&mut self, source: RowSource<'_, T>, label: Label, weight: f64) {
        let known = self.serving.as_ref().map_or(0.0, |serving| serving.age(self.counts.n_seen));
        let Self { store, update, maintain, counts, .. } = self;
        let Scratch { k, f, row, folded, x: scaled, z: mapped, lanes, .. } = &mut self.scratch;
        let t = counts.n_seen + 1;
        let preparation = (self.hashing.as_ref(), self.scaling.as_mut());
        let x = &source.x(preparation, store.ops(), (t, known), (folded, scaled));
        let (most, weight) = weighed(&mut self.balance, t, label, weight);
        if let Some(averaging) = &mut self.averaging {
            averaging.count(t, store, &mut self.rng);
        }
        if let Some(gamma) = self.gamma.before(t, *x, most, store.features(), self.scaling.as_ref()) {
            self.kernel = self.kernel.with_gamma(gamma);
            store.refresh(self.kernel);
        }
        let kernel = self.kernel;
        let learned = self.metric.as_mut().filter(|_| !self.frozen);
        if let (Some(metric), true) = (learned, starts_block(t)) {
            metric.move_on(store, kernel);
        }
        store.rescale(kernel, update.fold_scale(t));
        let in_metric = self.metric.as_ref().map(|metric| source.z(metric, store.ops(), *x, lanes, mapped));
        let z = in_metric.as_ref().unwrap_or(x);
        let norm = kernel.query_stat(*z);
        let diag = kernel.diag(norm);
        match source {
            RowSource::Raw(_) => store.scores(kernel, (*z, norm), k, f),
            RowSource::Ready(..) => store.scores_from_block(kernel, norm, k, f),
        }
        let mut k_tt = diag;
        if let (Some(inclination), Some(linear)) = (&mut self.inclination, store.expansion().linear()) {
            linear.values(store.ops(), *x, lanes);
            linear.add_to(lanes, f);
            k_tt += T::from_f64(inclination.squared_norm(*x));
        }
        let mut example = Example::new(label, t, weight, k_tt);
        // Where numbers are predicted without tuning, once there is nothing.
        let mut starts = self.serving.is_some() && t == 1;
        match &mut self.serving {
            None => counts.observe(label, f, store.scale()),
            Some(serving) => {
                let scored = Scored { label, k, values: lanes, f, unit: update.target_std() };
                let alarm = serving.observe(t, store, &scored, counts);
                (example.effective_n, example.drifting) = (serving.age(t), serving.is_drifting());
                if let Some(alarm) = alarm {
                    starts |= alarm.discard_coefficients;
                    give_up(store, self.inclination.as_mut(), update, alarm, kernel, f);
                }
            }
        }
        if let (true, Label::Value(y), Some(inclination)) = (starts, label, &mut self.inclination) {
            // The first target is the constant; the restarted steps have the length of this row.
            store.step_linear(kernel, &[T::from_f64(y)], (1.0, 1.0, Row::Sparse(&[], &[])));
            f[0] += T::from_f64(y);
            example.k_tt = diag + T::from_f64(inclination.squared_norm(*x));
        }
        counts.queries += u64::from(update.needs_label(f));
        // What rounds to nothing is no update.
        let inserts =
            has_length(k_tt) && update.coefficients(&example, f, row) && row.iter().any(|a| *a != T::ZERO);
        store.set_scale(update.scale(t));
        if !inserts {
            return;
        }
        let norm = if kernel.translation_invariant() { kernel.row_stat(*z) } else { norm };
        let (budget, rng, example) = (self.spec.budget(), &mut self.rng, &example);
        let new = NewVector { x: *z, norm, label, row, f, k };
        let unit = update.inv_step_size(t);
        match maintain.admit(MaintenanceContext { store, kernel, rng, budget, example, f, k }, new) {
            Admission::Reject => return,
            Admission::Absorb { sq_change } => counts.maintained(unit, sq_change),
            Admission::Insert { sq_change } => {
                counts.maintained(unit, sq_change);
                if let Some(inclination) = &mut self.inclination {
                    store.step_linear(kernel, row, inclination.step(*x));
                }
                let starts = !self.frozen && store.len() >= budget.min(metric_from(label));
                let metric = self.metric.as_mut().filter(|_| starts);
                if let Some(metric) = metric {
                    metric.learn(store, &MetricExample { kernel, label, f, row, k }, z.values());
                }
                let slot = store.insert(kernel, NewVector { x: *z, norm, label, row, f, k });
                k.grow(store.vectors());
                k.set(slot.index(), diag);
                loop {
                    let before = store.len();
                    let mut model = MaintenanceContext { store, kernel, rng, budget, example, f, k };
                    if !maintain.exceeded(&mut model) {
                        break;
                    }
                    let lost = maintain.reduce(model);
                    debug_assert!(store.len() < before, "each restoration makes room");
                    if store.len() >= before {
                        // Whatever a strategy may not have found, the loop ends.
                        store.remove(kernel, store.nth_oldest(0));
                    }
                    counts.maintained(unit, Some(lost));
                }
                store.commit_insert(kernel);
            }
        }
        counts.updates += 1;
        store.rescale(kernel, update.project_to_ball(t, store.norm2()));
        store.set_scale(update.scale(t));
    }
}

/// After an abrupt change of the stream: means start from the last model, whose coefficients may be of no use either.
#[cold]
fn give_up<T: Real>(
    store: &mut KernelExpansion<T>,
    inclination: Option<&mut LinearStep<T>>,
    update: &mut AnyRule,
    alarm: ChangeDetected,
    kernel: AnyKernel,
    f: &mut [T],
) {
    if alarm.discard_coefficients {
        store.rescale(kernel, 0.0);
        f.fill(T::ZERO);
    }
    if let Some(inclination) = inclination {
        inclination.restart();
    }
    store.restart_means();
    update.reset_after_drift();
}
