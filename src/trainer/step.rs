//! The training loop: what happens to one example.

use super::Workspace;
use super::progress::Progress;
use crate::batch::Example;
use crate::float::Real;
use crate::input::{Preprocess, RowSource};
use crate::maintenance::{Admission, Budget};
use crate::monitor::Monitor;
use crate::rules::{AnyRule, UpdateRule};
use crate::store::{KernelExpansion, Scored};

/// The parts of a learner that every instantiation of the loop uses.
pub(super) struct Step<'a, T: Real> {
    pub(super) model: &'a mut KernelExpansion<T>,
    pub(super) rule: &'a mut AnyRule,
    pub(super) budget: &'a mut Budget<T>,
    pub(super) progress: &'a mut Progress,
    pub(super) work: &'a mut Workspace<T>,
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
        mut example: Example,
    ) {
        let Self { model, rule, budget, progress, work } = self;
        let Workspace { input: buffers, scores, alpha, .. } = &mut **work;
        let t = example.t; // 1, 2, ...
        progress.balance(&mut example); // class weights
        monitor.begin_row(&mut example, model, &mut progress.rng); // averages of past models
        rule.fold(&example, model, *budget); // before the scale is too small
        let query = input.fit_transform(&example, source, model, *budget, buffers); // hash, standardise, gamma, metric
        let mut scored = model.score(example, query, source.is_from_block(), scores); // k(x, s_j), f(x), k(x, x)
        // Progressive error, calibration, drift. An abrupt drift may set the coefficients to zero; regression with a
        // linear term starts from its first target.
        monitor.observe(&mut scored, model, rule, *budget, &mut progress.counts);
        progress.observe(&scored.example, rule.needs_label(scored.f));

        let updates = scored.k_tt >= T::MIN_SQ_NORM // x is not 0 in the feature space
            && rule.coefficients(&scored, alpha)
            && alpha.iter().any(|a| *a != T::ZERO);
        rule.decay(t, model); // w <- (1 - eta lambda) w, one number for all coefficients
        if updates && add(scored, alpha, rule.inv_step_size(t), input, model, budget, progress) {
            rule.project(t, budget.squared_norm(), model, *budget); // onto the ball of radius 1/sqrt(lambda)
        }
        monitor.end_row(t, model);
    }
}

/// Adds an example with the coefficients `alpha` to the model: as a support vector, or absorbed by the others. Returns
/// false if the budget rejects it.
#[inline(always)]
fn add<T: Real, P: Preprocess<T>>(
    mut scored: Scored<'_, T>,
    alpha: &[T],
    inv_step_size: f64,
    input: &mut P,
    model: &mut KernelExpansion<T>,
    budget: &mut Budget<T>,
    Progress { counts, rng, .. }: &mut Progress,
) -> bool {
    let inv_step_size = inv_step_size * scored.unit;
    match budget.admit(&scored, alpha, model, rng) {
        Admission::Reject => return false,
        Admission::Absorb { sq_change } => counts.maintained(inv_step_size, sq_change),
        Admission::Insert { sq_change } => {
            counts.maintained(inv_step_size, sq_change);
            model.learn_linear(alpha, scored.query.x);
            input.learn_metric(&scored, alpha, model, budget.size());
            model.insert_scored(&mut scored, alpha, budget);
            while let Some(sq_change) = budget.reduce(&scored, model, rng) {
                counts.maintained(inv_step_size, Some(sq_change)); // |S| > B: one support vector less
            }
            model.commit_insert(budget); // derived state includes the new vector
        }
    }
    counts.updates += 1;
    true
}
