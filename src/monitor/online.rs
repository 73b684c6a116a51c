//! The online monitor of `online-kernel`: progressive error of the averaged models, drift detection, calibration, and
//! the thresholds of prediction intervals and sets.

use super::drift::AbruptDrift;
use super::recent_rows::TRIAL_EVERY;
use super::{Counts, DriftDetector, Probabilities, RecentRows, Thresholds};
use crate::added_outputs::AddedOutputs;
use crate::batch::{Example, Label, Task};
use crate::component::{Component, Loading};
use crate::constants::MAX_SQ_ERROR;
use crate::error::Result;
use crate::expansion::{KernelExpansion, OnEdit, Scored};
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::losses::is_misclassified;
use crate::params::{Average, CheckedSpec, Forget, Rule};
use crate::persist::Tensors;
use crate::rules::AnyRule;

/// The largest half width of prediction intervals, in units of the expected error.
const MAX_HALF_WIDTH: f64 = 1e9;

/// Predicts each row before it is learned, with an averaged model or the last model. Calibration and
/// correction see each score before the model learns the row, so they are fitted on unseen data.
#[derive(Debug, Clone)]
pub(crate) struct OnlineMonitor<T: Real> {
    forget: Forget,
    detector: Option<DriftDetector>,
    /// Only in classification.
    probabilities: Option<Probabilities<T>>,
    /// The half widths of prediction intervals in units of the expected error; only in regression.
    intervals: Option<Thresholds>,
    /// The scores of the averaged model; empty if models are not averaged.
    mean_scores: Vec<T>,
    /// The predictions of the model used for prediction.
    predicted: Vec<f64>,
}

/// The loss of the scores `f`, which are in this unit, in `[0, 1]`.
#[inline(always)]
fn loss<T: Real>(label: Label, target_std: f64, unit: f64, f: &[T]) -> f64 {
    match label {
        Label::Value(y) if target_std > 0.0 => {
            let a = (y - f[0].to_f64() * unit) / target_std;
            (a * a).min(MAX_SQ_ERROR) / MAX_SQ_ERROR
        }
        // With a single target seen, the variance is unknown: use the neutral loss.
        Label::Value(_) => 0.5,
        label => f64::from(u8::from(label.class().is_some_and(|class| is_misclassified(f, class)))),
    }
}

impl<T: Real> OnlineMonitor<T> {
    /// The monitor of `online-kernel`; None for all other rules.
    pub(crate) fn new(spec: &CheckedSpec, task: Task, empty: &KernelExpansion<T>) -> Option<Self> {
        let recent = RecentRows::new(spec, empty, task);
        let spec = spec.spec();
        if spec.rule() != Rule::OnlineKernel {
            return None;
        }
        let detector = (spec.forget == Forget::Auto).then(|| DriftDetector::new(task.classes()));
        let is_averaged = matches!(spec.average, Average::Polynomial | Average::Suffix(_));
        Some(Self {
            forget: spec.forget,
            detector,
            probabilities: (task != Task::Regression)
                .then(|| Probabilities::new(task, empty.features(), spec.linear_weight.is_some(), recent)),
            intervals: (task == Task::Regression).then(|| Thresholds::new(MAX_HALF_WIDTH)),
            mean_scores: vec![T::ZERO; if is_averaged { task.outputs() } else { 0 }],
            predicted: vec![0.0; task.outputs()],
        })
    }

    /// The effective number of rows after `n_seen` rows. A detector counts the rows itself: call this after row `n_seen`
    /// is observed, and before the next one is.
    #[inline(always)]
    pub(super) fn effective_n(&self, n_seen: u64) -> f64 {
        match (&self.detector, self.forget) {
            (Some(detector), _) => detector.effective_n(),
            (None, Forget::Rows(rows)) => n_seen.min(rows) as f64,
            (None, Forget::None | Forget::Auto) => n_seen as f64,
        }
    }

    /// The number of abrupt drifts so far.
    pub(crate) fn n_drifts(&self) -> u64 {
        self.detector.as_ref().map_or(0, DriftDetector::n_drifts)
    }

    /// The numbers of the rows of the last drifts, at most 16, the newest last.
    pub(crate) fn drift_rows(&self) -> &[u64] {
        self.detector.as_ref().map_or(&[], DriftDetector::drift_rows)
    }

    /// Whether the averaged model is used for prediction, and not the last model.
    #[inline(always)]
    pub(super) fn predicts_with_mean(&self) -> bool {
        !self.mean_scores.is_empty() && !self.detector.as_ref().is_some_and(DriftDetector::is_drifting)
    }

    /// Probabilities and prediction sets; None in regression.
    pub(crate) fn probabilities(&self) -> Option<&Probabilities<T>> {
        self.probabilities.as_ref()
    }

    /// Sets the kernel of the vote of recent rows.
    pub(super) fn set_kernel(&mut self, kernel: AnyKernel) {
        if let Some(probabilities) = &mut self.probabilities {
            probabilities.set_kernel(kernel);
        }
    }

    /// Continues with the mean of the parts' probabilities and thresholds, by shares that sum to 1.
    pub(super) fn combine(&mut self, parts: &[(&Self, f64)]) {
        if let Some(probabilities) = &mut self.probabilities {
            let parts = parts.iter().filter_map(|(part, share)| Some((part.probabilities.as_ref()?, *share)));
            probabilities.combine(parts);
        }
        let parts = parts.iter().filter_map(|(part, share)| Some((part.thresholds()?, *share)));
        if let Some(thresholds) = self.thresholds_mut() {
            *thresholds = Thresholds::mean(thresholds, parts);
        }
    }

    /// The half widths of prediction intervals in units of the expected error; None in classification.
    pub(crate) fn intervals(&self) -> Option<&Thresholds> {
        self.intervals.as_ref()
    }

    /// The thresholds of intervals or sets.
    fn thresholds(&self) -> Option<&Thresholds> {
        self.intervals.as_ref().or(self.probabilities.as_ref().map(|p| p.sets().thresholds()))
    }

    /// The thresholds of intervals or sets, for changes.
    fn thresholds_mut(&mut self) -> Option<&mut Thresholds> {
        self.intervals.as_mut().or(self.probabilities.as_mut().map(Probabilities::thresholds_mut))
    }

    /// Replaces the half widths of prediction intervals, if there are any.
    pub(super) fn set_half_widths(&mut self, half_widths: &[f64]) -> Result<()> {
        self.intervals.as_mut().map_or(Ok(()), |intervals| intervals.set(half_widths))
    }

    /// Counts a scored row and its prediction error, and updates calibration and drift detection. An abrupt drift
    /// restarts the means, and may set all coefficients to zero. Regression with a linear term
    /// starts from its first target.
    #[inline(always)]
    pub(super) fn observe(
        &mut self,
        scored: &mut Scored<'_, T>,
        expansion: &mut KernelExpansion<T>,
        rule: &mut AnyRule,
        derived_state: &mut impl OnEdit<T>,
        counts: &mut Counts,
    ) {
        let Example { t, label, repeated, .. } = scored.example;
        let mut drift = None;
        if repeated {
            counts.observe_repeated();
            self.update_repeated(scored, expansion);
            self.detector.iter_mut().for_each(DriftDetector::observe_repeated);
        } else {
            drift = self.update(scored, rule, expansion, counts);
            let targets_start_anew = rule.observe_target(label);
            if targets_start_anew {
                self.detector.iter_mut().for_each(|detector| detector.restart(t));
                drift = Some(AbruptDrift { discard_coefficients: true });
            }
        }
        if drift.is_some() || (!repeated && t.is_multiple_of(TRIAL_EVERY)) {
            self.probabilities.iter_mut().for_each(Probabilities::begin_trial);
        }
        let mut starts_over = t == 1;
        if let Some(drift) = drift {
            let rows = self.effective_n(t);
            self.probabilities.iter_mut().for_each(|probabilities| probabilities.limit_rows(rows));
            starts_over |= drift.discard_coefficients;
            reset_after_drift(drift, scored.f, expansion, derived_state);
        }
        if let (true, Label::Value(y)) = (starts_over, label)
            && expansion.start_linear(y)
        {
            // The first target, or the first after a restart, becomes the constant.
            scored.f[0] += T::from_f64(y / expansion.unit());
        }
        scored.example.effective_n = self.effective_n(t);
    }

    /// Learns the correction of the scores from a row that was learned before. The last model predicts it, because its
    /// scores are at hand. A row that counts more than others is predicted without the support vector that it became,
    /// which tells nothing about similar rows.
    #[inline(always)]
    fn update_repeated(&mut self, scored: &Scored<'_, T>, expansion: &KernelExpansion<T>) {
        let Scored { example, query, f, k, .. } = scored;
        if let (Some(probabilities), Some(class)) = (&mut self.probabilities, example.label.class()) {
            self.predicted.iter_mut().zip(&f[..]).for_each(|(to, f)| *to = f.to_f64());
            let weight = probabilities.observe_weight(example.weight);
            if weight > 1.0 {
                let diag = expansion.kernel().diag(query.row_stat);
                expansion.leave_nearest_out((k, diag), &mut self.predicted);
            }
            self.predicted.iter_mut().for_each(|f| *f *= expansion.unit());
            let x = (expansion.ops(), query.x);
            probabilities.observe_repeated(&self.predicted, x, class, weight);
        }
    }

    /// Counts the row, and updates calibration, drift detection, and the thresholds of intervals or sets. Returns an
    /// abrupt drift, if one is detected.
    #[inline(always)]
    fn update(
        &mut self,
        scored: &Scored<'_, T>,
        rule: &AnyRule,
        expansion: &mut KernelExpansion<T>,
        counts: &mut Counts,
    ) -> Option<AbruptDrift> {
        let Scored { example, query, k, linear_values, unit, .. } = scored;
        let (Example { t, label, .. }, f) = (*example, &scored.f[..]);
        // The rules of `online-kernel` do not decay: the scale is 1, and scores lack only the unit.
        expansion.first_mean_scores((k, linear_values, f), &mut self.mean_scores);
        let predicted = if self.predicts_with_mean() { &self.mean_scores[..] } else { f };
        let limited = |f: T| rule.limited(T::from_f64(f.to_f64() * unit)).to_f64();
        self.predicted.iter_mut().zip(predicted).for_each(|(to, f)| *to = limited(*f));
        if let (Some(probabilities), Some(class)) = (&mut self.probabilities, label.class()) {
            let weight = probabilities.observe_weight(example.weight);
            probabilities.observe(&mut self.predicted, (expansion.ops(), query.x), class, weight);
            probabilities.observe_recent(
                &mut self.predicted,
                scored,
                (expansion.ops(), expansion.kernel()),
                (class, weight),
            );
        }
        counts.observe(label, &self.predicted, 1.0);
        // The prediction of the very first row is 0, which tells nothing about later errors.
        if let (Some(intervals), Label::Value(y), 2..) = (&mut self.intervals, label, t) {
            let error = (y - self.predicted[0]).abs();
            let diag = expansion.kernel().diag(query.row_stat);
            let expected = expansion.observe_local_error((k, diag), error);
            intervals.observe(if error > 0.0 { error / expected } else { 0.0 });
        }
        let detector = self.detector.as_mut()?; // only with averaging
        let target_std = rule.target_std();
        let losses = [&self.mean_scores[..], f].map(|f| loss(label, target_std, *unit, f));
        detector.observe(t, label.class(), losses, example.weight)
    }
}

impl<T: Real> Component<T> for OnlineMonitor<T> {
    fn add_features(&mut self, features: usize) {
        self.probabilities.add_features(features);
    }

    fn add_outputs(&mut self, added: AddedOutputs, task: Task) {
        if let Some(detector) = &mut self.detector {
            detector.add_classes(task.classes());
        }
        self.probabilities.add_outputs(added, task);
        if !self.mean_scores.is_empty() {
            self.mean_scores.resize(task.outputs(), T::ZERO);
        }
        self.predicted.resize(task.outputs(), 0.0);
    }

    fn save(&self, out: &mut Tensors) {
        let out = out.scope_mut("monitor");
        if let Some(probabilities) = &self.probabilities {
            probabilities.save(out.scope_mut("probabilities"));
        }
        if let Some(intervals) = &self.intervals {
            intervals.save(out.scope_mut("intervals"));
        }
        if let Some(detector) = &self.detector {
            detector.save(out.scope_mut("drift"));
        }
    }

    fn load(&mut self, from: &Tensors, head: &Loading) -> Result<()> {
        let from = from.scope("monitor")?;
        if let Some(probabilities) = &mut self.probabilities {
            probabilities.load(from.scope("probabilities")?, head)?;
        }
        if let Some(intervals) = &mut self.intervals {
            intervals.load(from.scope("intervals")?)?;
        }
        match &mut self.detector {
            Some(detector) => detector.load(from.scope("drift")?, head.n_seen),
            None => Ok(()),
        }
    }
}

/// Restarts the means from the last model after abrupt drift, and discards its coefficients if they are
/// useless.
#[cold]
fn reset_after_drift<T: Real>(
    drift: AbruptDrift,
    f: &mut [T],
    expansion: &mut KernelExpansion<T>,
    derived_state: &mut impl OnEdit<T>,
) {
    if drift.discard_coefficients {
        // The support vectors stay, with coefficients of zero.
        expansion.multiply_coefficients(0.0, derived_state);
        f.fill(T::ZERO);
    }
    expansion.restart_means();
}
