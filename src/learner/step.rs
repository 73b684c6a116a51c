//! The training loop: what happens to one example.

use super::progress::LearnProgress;
use super::{LearnBuffers, Learner};
use crate::batch::Example;
use crate::expansion::{KernelExpansion, Scored};
use crate::float::Real;
use crate::input::{InputMap, RowSource};
use crate::maintenance::{Admission, Budget};
use crate::monitor::observe_error;
use crate::rules::UpdateRule;

impl<T: Real> Learner<T> {
    /// Learns one example with a weight above 0. The plain loop (`PLAIN`), of a learner without preprocessing, averaging
    /// and online monitor, compiles without them.
    ///
    /// The budget is an argument of every call that changes support vectors or coefficients, except steps of the linear
    /// term, because its strategy may keep state that follows the changes, such as a factor of the Gram matrix. It
    /// implements [`OnEdit`](crate::expansion::OnEdit); the callees call it `derived_state`.
    #[inline(always)]
    pub(super) fn learn_example<const PLAIN: bool>(
        &mut self,
        source: RowSource<'_, T>,
        mut example: Example,
    ) {
        let Self { input, expansion, rule, budget, monitors, progress, buffers, spec: _ } = self;
        let LearnBuffers { input: input_buffers, scores, alpha, .. } = buffers;
        let t = example.t; // 1, 2, ...
        progress.balance(&mut example); // times the weight of the class
        if !PLAIN {
            // Sets `effective_n_before`, as `run.rs` did for the transformation of a block. Suffix averaging, and the
            // drawing of one past model, include w so far.
            monitors.begin_row(&mut example, expansion, &mut progress.rng);
        }
        rule.fold(&example, expansion, budget); // may move the scale or the unit (a power of two) into the coefficients
        let query = if PLAIN {
            source.query(expansion)
        } else {
            // Hashing, standardisation, gamma, metric: now, or before, for a row from a block.
            input.fit_transform(&example, source, expansion, budget, input_buffers)
        };
        // k(x, s_j), f(x) without its scale, and k(x, x)
        let mut scored = expansion.score(example, query, source.is_from_block(), scores);
        if PLAIN {
            observe_error(&mut scored, expansion, &mut progress.counts);
        } else {
            // Counts the prediction error, and updates calibration and drift detection. An abrupt drift may set the
            // coefficients to zero. In `online-kernel` regression the linear term starts at the first target.
            monitors.observe(&mut scored, expansion, rule, budget, &mut progress.counts);
        }
        progress.observe(&scored.example, rule.needs_label(scored.f));
        let has_step = scored.k_tt >= T::MIN_SQ_NORM // x is not 0 in the feature space
            && rule.coefficients(&scored, alpha)
            && alpha.iter().any(|a| *a != T::ZERO); // a small step may round to 0
        rule.decay(t, expansion); // w <- (1 - eta lambda) w: sets scale(t), by which alpha counts
        // `counts.gradient_error` sums |Delta| times this over the changes Delta of the model by maintenance.
        let error_factor = rule.gradient_error_factor(t) * scored.unit;
        if has_step && add::<T, PLAIN>(scored, alpha, error_factor, input, expansion, budget, progress) {
            rule.project(t, budget.squared_norm(), expansion, budget); // onto the rule's ball
        }
        if !PLAIN {
            monitors.end_row(t, expansion);
        }
    }
}

/// Adds an example with the coefficients `alpha` to the model: as a support vector, or absorbed by the others. Returns
/// false if the budget rejects it.
#[inline(always)]
fn add<T: Real, const PLAIN: bool>(
    mut scored: Scored<'_, T>,
    alpha: &[T],
    error_factor: f64,
    input: &mut InputMap<T>,
    expansion: &mut KernelExpansion<T>,
    budget: &mut Budget<T>,
    LearnProgress { counts, rng, .. }: &mut LearnProgress,
) -> bool {
    match budget.admit(&scored, alpha, expansion, rng) {
        Admission::Reject => return false,
        Admission::Absorb { sq_change } => counts.maintained(error_factor, sq_change),
        Admission::Insert { sq_change } => {
            counts.maintained(error_factor, sq_change);
            expansion.learn_linear(alpha, scored.query.x);
            if !PLAIN {
                input.learn_metric(&scored, alpha, expansion, budget.size());
            }
            expansion.insert_scored(&mut scored, alpha, budget);
            while let Some(sq_change) = budget.reduce(&scored, expansion, rng) {
                counts.maintained(error_factor, Some(sq_change)); // removed one, usually because |S| > B
            }
            expansion.commit_insert(budget); // maintenance is over: writes the new vector if it waits
        }
    }
    counts.updates += 1;
    true
}
