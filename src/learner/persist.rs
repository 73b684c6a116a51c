//! A learner in a model file: a loaded learner continues bit-identically.

use super::{LearnBuffers, Learner};
use crate::batch::Task;
use crate::component::Loading;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::input::Bandwidth;
use crate::kernel::GAMMA_RANGE;
use crate::monitor::Counts;
use crate::params::{CheckedSpec, Gamma};
use crate::persist::Tensors;

fn model_error(reason: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::Model(reason.into())
}

impl<T: Real> Learner<T> {
    /// Writes everything that later behaviour depends on, except the parameters.
    pub(crate) fn save(&self, out: &mut Tensors) {
        out.set("features", self.n_features());
        self.all_components().into_iter().for_each(|component| component.save(out));
        self.budget.save_state(&self.expansion, out.scope_mut("expansion"));
    }

    /// Restores a learner written by [`Learner::save`].
    pub(crate) fn load(spec: &CheckedSpec, from: &Tensors) -> Result<Self> {
        let (features, classes) = (from.usize("features")?, from.usize("classes")?);
        let task = if classes == 0 { Task::Regression } else { Task::Classes(classes) };
        // The sizes are checked before memory is allocated.
        let expansion = from.scope("expansion")?;
        let [slots] = expansion.shape("labels")?;
        if expansion.shape("vectors")? != [slots, features] {
            return Err(model_error("the support vectors have another number of features than the model"));
        }
        // Support vectors bound the number of features, and so does any tensor with a number per feature. Without
        // both, a learner takes no memory per feature before its first support vector.
        if slots == 0 && spec.has_numbers_per_feature() && !from.has_dimension(features) {
            return Err(model_error("no tensor has as many numbers as the model has features"));
        }
        let mut learner: Self = spec.build(features, task)?;
        if learner.n_features() != features {
            return Err(model_error("the number of features is not the number of hashed features"));
        }
        let n_seen = Counts::load(from.scope("counts")?, task)?.n_seen;
        learner.prepare_input(from)?;
        let head = Loading { task, features, n_seen, max_size: spec.max_support() };
        for component in learner.all_components_mut() {
            component.load(from, &head)?;
        }
        if learner.expansion.len() > spec.max_support() {
            return Err(model_error("there are more support vectors than the budget allows"));
        }
        // Last, because the derived state refers to the loaded support vectors.
        learner.budget.load_state(expansion, &learner.expansion)?;
        learner.buffers = LearnBuffers::of(&learner.expansion);
        Ok(learner)
    }

    /// Prepares the pipeline for the state in a file: frozen preprocessing, given means and deviations, gamma.
    fn prepare_input(&mut self, from: &Tensors) -> Result<()> {
        let kernel = self.expansion.kernel();
        self.input.prepare_for_file(from, !kernel.translation_invariant());
        if kernel.gamma().is_none() {
            return Ok(());
        }
        let gamma = from.finite("gamma")?;
        if !GAMMA_RANGE.contains(gamma) {
            return Err(model_error(format!("gamma must be {GAMMA_RANGE}, got {gamma}")));
        }
        if *self.input.bandwidth() == Bandwidth::Constant && !self.input.is_frozen() && !self.may_have(gamma)
        {
            return Err(model_error("gamma differs from the parameter"));
        }
        self.set_kernel(kernel.with_gamma(gamma));
        Ok(())
    }

    /// Whether a model whose gamma does not depend on the data can have this gamma: the parameter, or 1 over the number
    /// of features before some were appended.
    fn may_have(&self, gamma: f64) -> bool {
        let before = (1.0 / gamma).round() as usize;
        let appended =
            self.spec.spec().gamma == Gamma::Auto && (1..=self.expansion.features()).contains(&before);
        self.expansion.kernel().gamma() == Some(gamma) || appended && 1.0 / before as f64 == gamma
    }
}
