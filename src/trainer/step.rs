//! The training loop: what happens to one example.

use super::Workspace;
use super::progress::Progress;
use crate::batch::Label;
use crate::float::Real;
use crate::input::{Arrival, MetricExample, Preprocess, RowSource};
use crate::maintenance::{Admission, Budget, Scored};
use crate::monitor::{Monitor, Observation};
use crate::rules::{AnyRule, Example, UpdateRule};
use crate::store::KernelExpansion;

/// The parts of a learner that every instantiation of the loop uses.
pub(super) struct Step<'a, T: Real> {
    pub(super) model: &'a mut KernelExpansion<T>,
    pub(super) rule: &'a mut AnyRule,
    pub(super) budget: &'a mut Budget<T>,
    pub(super) progress: &'a mut Progress,
    pub(super) work: &'a mut Workspace<T>,
}

/// Whether a row with this `k(x, x)` may become a support vector.
#[inline(always)]
fn is_nonzero_in_feature_space<T: Real>(k_tt: T) -> bool {
    k_tt >= T::MIN_SQ_NORM
}

impl<T: Real> Step<'_, T> {
    /// Learns one example: the papers' pseudo-code. Without preprocessing, averages and monitor, P and M are `Identity`
    /// and `Progressive`; otherwise `InputMap` and `Monitoring`. Rows of weight 0 never come here. The budget receives
    /// every edit of support vectors and their coefficients, so that its derived state follows.
    #[inline(always)]
    pub(super) fn learn<P: Preprocess<T>, M: Monitor<T>>(
        &mut self,
        input: &mut P,
        monitor: &mut M,
        source: RowSource<'_, T>,
        label: Label,
        weight: f64,
    ) {
        let Self { model, rule, budget, progress, work } = self;
        let Workspace { input: buffers, scores, alpha, .. } = &mut **work;
        let t = progress.next(); // 1, 2, ...
        let (weight, max_weight) = progress.count_and_weigh(t, label, weight);
        let effective_n_before = monitor.effective_n_before(t);
        let arrival = Arrival { t, effective_n_before, repeated: progress.repeats };

        monitor.begin_row(t, model, &mut progress.rng);
        model.multiply_coefficients(rule.fold_scale(t), *budget); // before the scale is too small
        model.set_unit(rule.unit(label, model.unit()), *budget);
        let unit = model.unit();
        let query = &input.fit_transform(arrival, max_weight, source, model, *budget, buffers);
        let from_block = matches!(source, RowSource::FromBlock(..));
        // k(x, s_j), f(x) / scale, and k(x, x), which includes the linear kernel of the linear term
        let k_tt = model.score(query, from_block, scores);
        let observation = Observation { t, label, query, k_tt, weight, repeated: progress.repeats };
        // Counts row t and its error. An abrupt drift may set the coefficients to zero; regression with a linear term
        // starts from its first target.
        let seen = monitor.observe(observation, scores, model, rule, *budget, &mut progress.counts);
        progress.observe_baselines(label);
        progress.count_query(rule.needs_label(&scores.f));

        let (effective_n, drifting) = (seen.effective_n, seen.drifting);
        let repeated = progress.repeats;
        let example = &Example { label, t, weight, k_tt: seen.k_tt, effective_n, drifting, repeated, unit };
        let updates = is_nonzero_in_feature_space(k_tt)
            && rule.coefficients(example, &scores.f, alpha)
            && alpha.iter().any(|a| *a != T::ZERO);
        model.set_scale(rule.scale(t)); // w <- (1 - eta lambda) w, one number for all coefficients
        if !updates {
            return monitor.end_row(t, model);
        }

        let Progress { counts, rng, .. } = &mut **progress;
        let inv_step_size = rule.inv_step_size(t) * unit;
        let new = query.new_vector(model.kernel(), label, alpha, scores);
        match budget.admit(Scored { example, f: &scores.f, k: &scores.k }, new, model, rng) {
            Admission::Reject => return monitor.end_row(t, model),
            Admission::Absorb { sq_change } => counts.maintained(inv_step_size, sq_change),
            // The new vector makes the model one too large; derived state includes it once maintenance is done.
            Admission::Insert { sq_change } => {
                counts.maintained(inv_step_size, sq_change);
                model.learn_linear(alpha, query.x);
                let metric_example = MetricExample { label, f: &scores.f, alpha, k: &scores.k };
                input.learn_metric(&metric_example, query.z, model, budget.size());
                model.insert_scored(query, label, alpha, scores, *budget);
                let scored = Scored { example, f: &scores.f, k: &scores.k };
                while let Some(sq_change) = budget.reduce(scored, model, rng) {
                    counts.maintained(inv_step_size, Some(sq_change)); // |S| > B: one support vector less
                }
                model.commit_insert(*budget);
            }
        }
        counts.updates += 1;
        model.multiply_coefficients(rule.project_to_ball(t, budget.squared_norm()), *budget); // radius 1/sqrt(lambda)
        model.set_scale(rule.scale(t)); // the projection is a part of the scale
        monitor.end_row(t, model);
    }
}
