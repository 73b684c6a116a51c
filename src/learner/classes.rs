//! Adding classes to a model.

use super::{LearnBuffers, Learner, Rows, Targets};
use crate::added_outputs::AddedOutputs;
use crate::batch::Task;
use crate::error::{Error, Result};
use crate::float::Real;

impl<T: Real> Learner<T> {
    /// Increases the number of classes to `classes`.
    ///
    /// Scores do not change, and the scores of a new class are zero. The exception is a model of two classes: its score
    /// f becomes `-f/2` and `f/2`, which keeps decisions and margins.
    ///
    /// ```
    /// use budgetrs::{Learner, Rows, Spec};
    ///
    /// let mut learner: Learner<f64> = Spec::named("pa")?.check()?.build(1, 2)?;
    /// learner.learn_one(&[0.5], 1, 1.0)?;
    /// let before = learner.decision_function(&Rows::one(&[0.5]))?;
    /// learner.add_classes(3)?;
    /// let after = learner.decision_function(&Rows::one(&[0.5]))?;
    /// assert_eq!(after, [-before[0] / 2.0, before[0] / 2.0, 0.0]);
    /// learner.learn_one(&[1.5], 2, 1.0)?;
    /// # Ok::<(), budgetrs::Error>(())
    /// ```
    ///
    /// # Errors
    /// In regression, if the model has more classes already, or if the larger model does not fit into memory. Then the
    /// model does not change.
    pub fn add_classes(&mut self, classes: usize) -> Result<()> {
        let task = self.task_with(classes)?;
        self.add_outputs_for(task);
        self.progress.n_seen_classes = classes;
        Ok(())
    }

    /// The task with `classes` classes, if the model can have them.
    fn task_with(&self, classes: usize) -> Result<Task> {
        if self.progress.task == Task::Regression || classes < self.progress.task.classes() {
            let expected = match self.progress.task {
                Task::Classes(classes) => format!("at least {classes}"),
                Task::Regression => "none, for regression".to_owned(),
            };
            return Err(Error::parameter("classes", expected, classes));
        }
        let task = Task::Classes(classes);
        self.spec.check_size::<T>(self.expansion.features(), task)?;
        Ok(task)
    }

    /// The task after a batch that may have new classes.
    pub(super) fn task_after(&self, targets: Targets<'_>) -> Result<Task> {
        let Targets::Classes(y) = targets else { return Ok(self.progress.task) };
        let classes = y.iter().max().map_or(0, |largest| *largest as usize + 1);
        if classes <= self.progress.task.classes() || self.progress.task == Task::Regression {
            return Ok(self.progress.task);
        }
        self.task_with(classes)
    }

    /// Adds outputs for the classes of `task` to every component.
    #[cold]
    pub(super) fn add_outputs_for(&mut self, task: Task) {
        if task == self.progress.task {
            return;
        }
        let added = AddedOutputs::new(self.progress.task, task);
        self.all_components_mut().into_iter().for_each(|component| component.add_outputs(added, task));
        self.buffers = LearnBuffers::of(&self.expansion);
    }

    /// [`Learner::validate`] of a batch that may have new classes.
    ///
    /// # Errors
    /// As [`Learner::validate`]; and if the model with the new classes does not fit into memory.
    pub fn check_open(
        &self,
        rows: &Rows<'_, T>,
        targets: Targets<'_>,
        weights: Option<&[f64]>,
    ) -> Result<()> {
        self.check_for_task(self.task_after(targets)?, rows, targets, weights)
    }
}
