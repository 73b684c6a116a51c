//! A vote of the most recent rows, which follows clusters that move.

use super::correction::MIN_SAVED;
use super::{Calibration, PredictionSets};
use crate::added_outputs::AddedOutputs;
use crate::batch::{Label, Task};
use crate::component::{Component, Loading};
use crate::constants::{LOSS_RATE, MAX_PAIRED_FEATURES};
use crate::error::{Result, check_model};
use crate::expansion::{KernelExpansion, Query, RowScores, Scored, Shape};
use crate::float::Real;
use crate::kernel::{AnyKernel, MergeableKernel};
use crate::losses::predicted_class;
use crate::ops::{Ops, RowSize};
use crate::params::{CheckedSpec, Forget, Rule};
use crate::persist::{Persist, Tensors};

/// The number of rows that vote.
const ROWS: usize = 512;
/// gamma of the vote, relative to gamma of the model.
const GAMMA_FACTOR: f64 = 4.0;

/// The rows of a trial: the window fills during the first half, and the vote is tested during the second half.
const TRIAL: u64 = 2 * ROWS as u64;
/// Every fourth row of the second half is a test.
const TEST_EVERY: u64 = 4;
/// A trial begins after this many rows.
pub(super) const TRIAL_EVERY: u64 = 4096;

/// The vote `f_r(x) = sum_i q_i exp(-4 gamma |z - z_i|^2)` over the recent rows i of class r, with relative
/// weights q: a kernel expansion whose support vectors are the last 512 rows. Two classes have one score,
/// with the signs of the classes.
///
/// The vote takes time, so it is tried only at the start, after abrupt drifts, and every 4,096 rows. While a
/// trial goes on, or predictions use the vote, each row enters the window after it was predicted.
#[derive(Debug, Clone)]
pub(crate) struct RecentRows<T: Real> {
    expansion: KernelExpansion<T>,
    calibration: Calibration,
    /// The errors that the vote has saved in about the last 500 tests.
    saved: f64,
    /// The rows that are left of the trial.
    trial: u64,
    /// The scores of the row that the last vote was about, and buffers.
    f: Vec<f64>,
    scores: RowScores<T>,
    alpha: Vec<T>,
}

/// The kernel of the vote, given the kernel of the model: without the heavy tails of rational quadratic kernels, which
/// would let all rows vote.
fn vote_kernel(kernel: AnyKernel) -> AnyKernel {
    MergeableKernel::Rbf { gamma: kernel.gamma().map_or(1.0, |gamma| GAMMA_FACTOR * gamma) }.into()
}

impl<T: Real> RecentRows<T> {
    /// The largest number of rows in the window of a model of `features` features; 0 without a vote.
    pub(crate) fn max_rows(spec: &CheckedSpec, features: usize) -> usize {
        let is_mergeable = spec.kernel(features).mergeable().is_some();
        let spec = spec.spec();
        let has_detector = spec.rule() == Rule::OnlineKernel && spec.forget == Forget::Auto;
        let has_vote =
            has_detector && is_mergeable && !spec.loss.is_regression() && features <= MAX_PAIRED_FEATURES;
        if has_vote { ROWS } else { 0 }
    }

    /// The vote before the first row, for a model that is still `empty`.
    pub(super) fn new(spec: &CheckedSpec, empty: &KernelExpansion<T>, task: Task) -> Option<Box<Self>> {
        let (features, outputs) = (empty.features(), task.outputs());
        if Self::max_rows(spec, features) == 0 {
            return None;
        }
        let shape = Shape { capacity: Some(ROWS), features, outputs };
        let mut expansion = KernelExpansion::new(vote_kernel(empty.kernel()), shape);
        if empty.support().row_size != RowSize::Unknown {
            // The kernel has another gamma.
            expansion.declare_row_size(RowSize::Clipped);
        }
        let scores = RowScores { f: vec![T::ZERO; outputs], ..RowScores::default() };
        let (f, alpha) = (vec![0.0; outputs], vec![T::ZERO; outputs]);
        let calibration = Calibration::new(task.classes());
        Some(Box::new(Self { expansion, calibration, saved: 0.0, trial: TRIAL, f, scores, alpha }))
    }

    /// Whether predictions use the vote.
    #[inline(always)]
    pub(super) fn predicts(&self) -> bool {
        self.saved > MIN_SAVED
    }

    /// Whether rows enter the window.
    #[inline(always)]
    pub(super) fn is_collecting(&self) -> bool {
        self.predicts() || self.trial > 0
    }

    /// The vote as a model.
    pub(crate) fn expansion(&self) -> &KernelExpansion<T> {
        &self.expansion
    }

    /// The calibration of the scores.
    pub(crate) fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    /// Sets the kernel, given the kernel of the model.
    #[inline(always)]
    pub(super) fn set_kernel(&mut self, kernel: AnyKernel) {
        self.expansion.set_kernel(vote_kernel(kernel));
    }

    /// Learns from a row with the scores `f` of a model with this kernel. The scores become the vote's, and
    /// the prediction sets learn from them, if predictions use the vote. It is rarely in use, so it stays out
    /// of the loop over rows.
    #[inline(never)]
    pub(super) fn observe(
        &mut self,
        f: &mut [f64],
        scored: &Scored<'_, T>,
        (ops, kernel): (Ops<T>, AnyKernel),
        (class, weight): (usize, f64),
        (sets, p): (&mut PredictionSets, &mut [f64]),
    ) {
        self.set_kernel(kernel);
        if self.vote(&scored.query) {
            let model_was_right = predicted_class(f) == class;
            if self.predicts() {
                f.copy_from_slice(&self.f);
                sets.observe(ops, (f, &self.calibration), class);
            }
            self.learn(ops, (class, weight), model_was_right, p);
        }
        self.insert(&scored.query, scored.example.label, (class, weight));
    }

    /// Computes the scores of a row if predictions use the vote or it is tested, and returns whether it did.
    fn vote(&mut self, query: &Query<'_, T>) -> bool {
        let is_test = (1..=TRIAL / 2).contains(&self.trial) && self.trial.is_multiple_of(TEST_EVERY);
        if !(is_test || self.predicts()) {
            return false;
        }
        let RowScores { k, f, differences, .. } = &mut self.scores;
        k.grow(self.expansion.n_simd());
        self.expansion.scores_by(
            self.expansion.coefficients(),
            (query.z, query.row_stat),
            (k, differences),
            f,
        );
        self.f.iter_mut().zip(f).for_each(|(to, f)| *to = f.to_f64());
        true
    }

    /// Learns from a vote on a row of a class and a relative weight, which the model predicted right or wrong; `p` is a
    /// buffer of probabilities.
    fn learn(&mut self, ops: Ops<T>, (class, weight): (usize, f64), model_was_right: bool, p: &mut [f64]) {
        let is_right = predicted_class(&self.f) == class;
        let saved = f64::from(u8::from(is_right)) - f64::from(u8::from(model_was_right));
        self.saved += weight * saved - LOSS_RATE * self.saved;
        self.calibration.observe(ops, &self.f, class, p);
    }

    /// Adds a row to the window, in place of the oldest row if the window is full. Ends a trial without success.
    fn insert(&mut self, query: &Query<'_, T>, label: Label, (class, weight): (usize, f64)) {
        let weight = T::from_f64(weight);
        if let [alpha] = &mut self.alpha[..] {
            *alpha = if class == 1 { weight } else { -weight };
        } else {
            self.alpha.fill(T::ZERO);
            self.alpha[class] = weight;
        }
        let new = query.new_support_vector(
            self.expansion.kernel(),
            label,
            &self.alpha,
            (&self.scores.f, &self.scores.k),
        );
        if self.expansion.len() == ROWS {
            self.expansion.replace_oldest(new);
        } else {
            self.expansion.insert(new, &mut ());
        }
        self.trial = self.trial.saturating_sub(1);
        if !self.is_collecting() {
            self.stop();
        }
    }

    #[cold]
    pub(super) fn begin_trial(&mut self) {
        self.trial = TRIAL;
    }

    /// Empties the window until the next trial.
    pub(super) fn stop(&mut self) {
        (self.trial, self.saved) = (0, 0.0);
        self.expansion.clear();
    }
}

impl<T: Real> Component<T> for RecentRows<T> {
    fn add_features(&mut self, features: usize) {
        self.expansion.append_features(features);
    }

    fn add_outputs(&mut self, added: AddedOutputs, task: Task) {
        self.expansion.append_outputs(added);
        self.calibration.add_classes(task.classes());
        self.scores.f.resize(task.outputs(), T::ZERO);
        self.f.resize(task.outputs(), 0.0);
        self.alpha.resize(task.outputs(), T::ZERO);
    }

    fn save(&self, out: &mut Tensors) {
        self.expansion.write(out);
        self.calibration.save(out.scope_mut("calibration"));
        out.set("saved", self.saved);
        out.set("trial", self.trial);
    }

    fn load(&mut self, from: &Tensors, head: &Loading) -> Result<()> {
        self.expansion.read_from(from, head.task)?;
        self.calibration.load(from.scope("calibration")?)?;
        self.saved = from.finite("saved")?;
        self.trial = from.count("trial")?;
        check_model(self.trial <= TRIAL, "the trial of the recent rows is too long")
    }
}

#[cfg(test)]
mod tests;
