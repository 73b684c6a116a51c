//! The learner and its components. A new mechanism belongs to one of them, usually to the input or the monitors, and
//! does not change their list: "Adding a mechanism" in CONTRIBUTING.md lists the steps. A new component also needs a
//! line in `combine.rs` if a combined model takes it over from its main part.

use super::progress::LearnProgress;
use super::{LearnBuffers, Rows, Target, Targets};
use crate::component::Component;
use crate::error::Result;
use crate::expansion::KernelExpansion;
use crate::float::Real;
use crate::input::InputMap;
use crate::maintenance::Budget;
use crate::monitor::AllMonitors;
use crate::params::CheckedSpec;
use crate::rules::AnyRule;

/// Learns a model `f(x) = sum_j alpha_j k(x_j, x)` with at most `budget` support vectors from rows, one at a time, and
/// predicts. A batch and its rows one by one give bit-identical models.
#[derive(Debug, Clone)]
pub struct Learner<T: Real> {
    pub(super) spec: CheckedSpec,
    /// The preprocessing pipeline.
    pub(super) input: InputMap<T>,
    /// Support vectors, coefficients and the linear term.
    pub(super) expansion: KernelExpansion<T>,
    /// The update rule.
    pub(super) rule: AnyRule,
    /// The strategy of budget maintenance, with its derived state.
    pub(crate) budget: Budget<T>,
    /// Model averaging, progressive error, drift detection and calibration.
    pub(super) monitors: AllMonitors<T>,
    /// Counters, class weights and the random generator.
    pub(super) progress: LearnProgress,
    pub(super) buffers: LearnBuffers<T>,
}

impl<T: Real> Learner<T> {
    /// Learns every row of a batch, in order.
    ///
    /// # Errors
    /// If a row or a label is invalid, as in [`Learner::validate`]; then nothing is learned.
    pub fn learn_batch(
        &mut self,
        rows: &Rows<'_, T>,
        targets: Targets<'_>,
        weights: Option<&[f64]>,
    ) -> Result<()> {
        self.begin_learning(rows, targets, weights)?.learn(rows.len());
        Ok(())
    }

    /// Learns one row with a weight. The target is a class index, or a value in regression.
    ///
    /// ```
    /// use budgetrs::{Learner, Spec, Target};
    ///
    /// let spec = Spec::named_regression("pa")?.check()?;
    /// let mut learner: Learner<f64> = spec.build(2, budgetrs::Task::Regression)?;
    /// learner.learn_one(&[0.5, 0.5], 1.25, 1.0)?; // as Target::Value(1.25)
    ///
    /// let mut learner: Learner<f64> = Spec::named("pa")?.check()?.build(2, 3)?;
    /// learner.learn_one(&[0.5, 0.5], Target::Class(2), 1.0)?;
    /// # Ok::<(), budgetrs::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Learner::learn_batch`].
    pub fn learn_one(&mut self, x: &[T], target: impl Into<Target>, weight: f64) -> Result<()> {
        let target = target.into();
        self.learn_batch(&Rows::one(x), Targets::from(&target), Some(&[weight]))
    }

    /// All components, in the order in which files are read.
    pub(super) fn all_components(&self) -> [&dyn Component<T>; 6] {
        let Self { input, expansion, rule, budget, monitors, progress, spec: _, buffers: _ } = self;
        [progress, input, rule, budget, expansion, monitors]
    }

    /// All components for changes, in the order of [`Learner::all_components`].
    pub(super) fn all_components_mut(&mut self) -> [&mut dyn Component<T>; 6] {
        let Self { input, expansion, rule, budget, monitors, progress, spec: _, buffers: _ } = self;
        [progress, input, rule, budget, expansion, monitors]
    }
}
