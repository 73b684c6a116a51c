//! Probabilities and prediction sets of classes, and the correction of the scores.

use super::correction::MIN_SAVED;
use super::{Calibration, Correction, PredictionSets, RecentRows, Thresholds};
use crate::added_outputs::AddedOutputs;
use crate::batch::Task;
use crate::component::{Component, Loading};
use crate::constants::MAX_PAIRED_FEATURES;
use crate::error::Result;
use crate::expansion::{LinearInput, Scored};
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::ops::Ops;
use crate::persist::{Persist, Tensors};
use crate::rules::RelativeWeight;

/// The weight that the saved log loss loses with each row: about the last 2,000 rows count.
const FORGETTING: f64 = 0.0005;
/// Smaller probabilities count as this.
const MIN_PROBABILITY: f64 = 1e-9;

/// What a classifier learns beside its scores, from each row before the scores learn it: the calibration of
/// the scores, the thresholds of prediction sets and, with a linear term, corrected scores.
#[derive(Debug, Clone)]
pub(crate) struct Probabilities<T: Real> {
    calibration: Calibration,
    corrected: Option<Corrected<T>>,
    /// Only with drift detection.
    recent: Option<Box<RecentRows<T>>>,
    sets: PredictionSets,
    weights: RelativeWeight,
    /// A buffer of probabilities.
    p: Vec<f64>,
}

/// Corrected scores and their calibration. Predictions, probabilities and sets use them if their log loss
/// on recent rows is smaller than the log loss of the uncorrected scores.
#[derive(Debug, Clone)]
struct Corrected<T: Real> {
    correction: Correction<T>,
    calibration: Calibration,
    /// The log loss that the correction has saved in recent rows.
    saved: f64,
    /// The corrected scores of the present row.
    scores: Vec<f64>,
}

impl<T: Real> Corrected<T> {
    fn new(task: Task, features: usize) -> Self {
        let correction = Correction::new(task.outputs(), features);
        let calibration = Calibration::new(task.classes());
        Self { correction, calibration, saved: 0.0, scores: vec![0.0; task.outputs()] }
    }

    #[inline(always)]
    fn is_used(&self) -> bool {
        self.saved > MIN_SAVED
    }

    /// Corrects the scores of a row.
    #[inline(always)]
    fn correct(&mut self, f: &[f64], (ops, x): (Ops<T>, LinearInput<'_, T>)) {
        self.scores.copy_from_slice(f);
        self.correction.add_to(ops, x, &mut self.scores);
    }

    fn forget(&mut self) {
        self.correction.forget();
        self.saved = 0.0;
    }
}

impl<T: Real> Probabilities<T> {
    /// The state before the first row. Without a linear term scores are not corrected.
    pub(super) fn new(
        task: Task,
        features: usize,
        has_linear_term: bool,
        recent: Option<Box<RecentRows<T>>>,
    ) -> Self {
        let classes = task.classes();
        Self {
            calibration: Calibration::new(classes),
            corrected: has_linear_term.then(|| Corrected::new(task, features)),
            recent,
            sets: PredictionSets::new(classes),
            weights: RelativeWeight::default(),
            p: vec![0.0; classes],
        }
    }

    /// The vote of recent rows, if predictions use it.
    pub(super) fn vote(&self) -> Option<&RecentRows<T>> {
        self.recent.as_deref().filter(|recent| recent.predicts())
    }

    /// Sets the kernel of the vote of recent rows, given the kernel of the model.
    pub(super) fn set_kernel(&mut self, kernel: AnyKernel) {
        self.recent.iter_mut().for_each(|recent| recent.set_kernel(kernel));
    }

    /// The number of slots of the window of recent rows.
    pub(super) fn recent_slots(&self) -> usize {
        self.recent.as_ref().map_or(0, |recent| recent.expansion().n_simd() * T::LANES)
    }

    /// The corrected scores, if predictions use them.
    #[inline(always)]
    fn used_correction(&self) -> Option<&Corrected<T>> {
        self.corrected.as_ref().filter(|corrected| corrected.is_used())
    }

    /// The correction of the scores, if predictions use it.
    pub(crate) fn correction(&self) -> Option<&Correction<T>> {
        self.used_correction().map(|corrected| &corrected.correction)
    }

    /// The calibration of the scores that predictions use.
    pub(crate) fn calibration(&self) -> &Calibration {
        self.vote().map_or_else(|| self.calibration_of_model(), RecentRows::calibration)
    }

    /// The calibration of the scores of the model, corrected if predictions use the correction.
    fn calibration_of_model(&self) -> &Calibration {
        self.used_correction().map_or(&self.calibration, |corrected| &corrected.calibration)
    }

    pub(crate) fn sets(&self) -> &PredictionSets {
        &self.sets
    }

    pub(super) fn thresholds_mut(&mut self) -> &mut Thresholds {
        self.sets.thresholds_mut()
    }

    /// Adds the weight of a row to the mean of the weights, and returns it relative to the mean.
    #[inline(always)]
    pub(super) fn observe_weight(&mut self, weight: f64) -> f64 {
        self.weights.observe(weight)
    }

    /// Learns from a row of a class and a relative weight, by its scores `f` before it was learned, which
    /// become the corrected scores if predictions use them. Prediction sets learn here unless predictions use
    /// the vote of recent rows.
    #[inline(always)]
    pub(super) fn observe(
        &mut self,
        f: &mut [f64],
        (ops, x): (Ops<T>, LinearInput<'_, T>),
        class: usize,
        weight: f64,
    ) {
        let has_vote = self.vote().is_some();
        let Self { calibration, corrected, sets, p, .. } = self;
        let Some(corrected) = corrected else {
            if !has_vote {
                sets.observe(ops, (f, calibration), class);
            }
            return calibration.observe(ops, f, class, p);
        };
        corrected.correct(f, (ops, x));
        let is_used = corrected.is_used();
        if !has_vote {
            let used =
                if is_used { (&corrected.scores[..], &corrected.calibration) } else { (&*f, &*calibration) };
            sets.observe(ops, used, class);
        }
        calibration.observe(ops, f, class, p);
        let before = p[class].max(MIN_PROBABILITY);
        let slope = corrected.calibration.slope();
        corrected.calibration.observe(ops, &corrected.scores, class, p);
        let saved = (p[class].max(MIN_PROBABILITY) / before).ln();
        corrected.saved += weight * saved - FORGETTING * corrected.saved;
        corrected.correction.learn((ops, x), p, (class, weight), slope);
        if is_used {
            f.copy_from_slice(&corrected.scores);
        }
    }

    /// Learns the vote of recent rows from a row with the scores `f` of a model with this kernel. The scores become the
    /// vote's if predictions use it.
    #[inline(always)]
    pub(super) fn observe_recent(
        &mut self,
        f: &mut [f64],
        scored: &Scored<'_, T>,
        (ops, kernel): (Ops<T>, AnyKernel),
        (class, weight): (usize, f64),
    ) {
        let Self { recent: Some(recent), sets, p, .. } = self else { return };
        if recent.is_collecting() {
            recent.observe(f, scored, (ops, kernel), (class, weight), (sets, p));
        }
    }

    /// Learns the correction from a row that was learned before, by its scores. Recent rows do not vote on such rows.
    #[inline(always)]
    pub(super) fn observe_repeated(
        &mut self,
        f: &[f64],
        (ops, x): (Ops<T>, LinearInput<'_, T>),
        class: usize,
        weight: f64,
    ) {
        self.recent.iter_mut().for_each(|recent| recent.stop());
        if let Some(corrected) = &mut self.corrected {
            corrected.correct(f, (ops, x));
            corrected.calibration.softmax(ops, &corrected.scores, &mut self.p);
            corrected.correction.learn((ops, x), &self.p, (class, weight), corrected.calibration.slope());
        }
    }

    /// Begins a trial of the vote of recent rows.
    pub(super) fn begin_trial(&mut self) {
        self.recent.iter_mut().for_each(|recent| recent.begin_trial());
    }

    /// Forgets the correction after a drift, and reduces the weight of all rows to `rows` rows in the calibrations.
    #[cold]
    pub(super) fn limit_rows(&mut self, rows: f64) {
        self.calibration.limit_rows(rows);
        if let Some(corrected) = &mut self.corrected {
            corrected.calibration.limit_rows(rows);
            corrected.forget();
        }
    }

    /// Continues with the mean of models, by shares that sum to 1. The mean of their scores includes their corrections.
    pub(super) fn combine<'a>(&mut self, parts: impl Iterator<Item = (&'a Self, f64)>) {
        self.recent.iter_mut().for_each(|recent| recent.stop());
        let calibrations = parts.map(|(part, share)| (part.calibration_of_model().clone(), share));
        if let Some(mean) = Calibration::mean(calibrations) {
            self.calibration = mean;
        }
        if let Some(corrected) = &mut self.corrected {
            corrected.calibration.clone_from(&self.calibration);
            corrected.forget();
        }
    }
}

impl<T: Real> Component<T> for Probabilities<T> {
    fn add_features(&mut self, features: usize) {
        if let Some(corrected) = &mut self.corrected {
            corrected.correction.add_features(features);
        }
        self.recent = self.recent.take_if(|_| features <= MAX_PAIRED_FEATURES);
        if let Some(recent) = &mut self.recent {
            recent.add_features(features);
        }
    }

    fn add_outputs(&mut self, added: AddedOutputs, task: Task) {
        let classes = task.classes();
        self.calibration.add_classes(classes);
        if let Some(corrected) = &mut self.corrected {
            corrected.calibration.add_classes(classes);
            corrected.correction.add_outputs(added, task);
            corrected.scores.resize(task.outputs(), 0.0);
        }
        if let Some(recent) = &mut self.recent {
            recent.add_outputs(added, task);
        }
        self.sets.add_classes(classes);
        self.p.resize(classes, 0.0);
    }

    fn save(&self, out: &mut Tensors) {
        self.calibration.save(out.scope_mut("calibration"));
        if let Some(corrected) = &self.corrected {
            let out = out.scope_mut("corrected");
            corrected.calibration.save(out.scope_mut("calibration"));
            corrected.correction.save(out);
            out.set("saved", corrected.saved);
        }
        if let Some(recent) = &self.recent {
            recent.save(out.scope_mut("recent"));
        }
        self.sets.save(out.scope_mut("sets"));
        self.weights.save(out.scope_mut("weights"));
    }

    fn load(&mut self, from: &Tensors, head: &Loading) -> Result<()> {
        self.calibration.load(from.scope("calibration")?)?;
        if let Some(corrected) = &mut self.corrected {
            let from = from.scope("corrected")?;
            corrected.calibration.load(from.scope("calibration")?)?;
            corrected.correction.load(from, head)?;
            corrected.saved = from.finite("saved")?;
        }
        if let Some(recent) = &mut self.recent {
            recent.load(from.scope("recent")?, head)?;
        }
        self.sets.load(from.scope("sets")?)?;
        self.weights.load(from.scope("weights")?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Row;
    use crate::ops::level;
    use crate::rng::Rng;

    /// Rows with flat scores, of classes that x tells apart if `is_informative`. Returns the probabilities
    /// after them, and the number of rows with corrected scores.
    fn learned(is_informative: bool, weight: f64) -> (Probabilities<f64>, usize) {
        let (mut rng, ops) = (Rng::new(4), Ops::at(level()));
        let mut probabilities = Probabilities::new(Task::Classes(2), 1, true, None);
        let mut corrected = 0;
        for _ in 0..2000 {
            let x = [rng.normal()];
            let class = usize::from(rng.normal() < if is_informative { x[0] } else { 0.0 });
            let mut f = [0.1 * rng.normal()];
            let before = f;
            let relative = probabilities.observe_weight(weight);
            probabilities.observe(&mut f, (ops, Row::Dense(&x).into()), class, relative);
            corrected += usize::from(f != before);
        }
        (probabilities, corrected)
    }

    #[test]
    fn corrected_scores_are_served_where_the_row_tells_more() {
        let (mut probabilities, corrected) = learned(true, 1.0);
        assert!((1500..2000).contains(&corrected) && probabilities.correction().is_some(), "{corrected}");
        let (noise, corrected) = learned(false, 1.0);
        assert!(corrected < 100 && noise.correction().is_none(), "{corrected}");
        probabilities.limit_rows(50.0);
        assert!(probabilities.correction().is_none(), "a drift forgets the correction");
    }

    #[test]
    fn a_factor_of_all_weights_changes_nothing() {
        let saved = |weight| {
            let mut out = Tensors::new();
            let (probabilities, _) = learned(true, weight);
            probabilities.corrected.unwrap().correction.save(&mut out);
            out.scope("linear").unwrap().get::<f64>("matrix", &[1, 1, 1]).unwrap()
        };
        assert_eq!(saved(1.0), saved(1e6));
    }
}
