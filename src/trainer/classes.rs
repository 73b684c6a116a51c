//! Classes that are added to a model that has learned.

use super::{Learner, Rows, Targets, Workspace};
use crate::batch::Task;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::output_expansion::OutputExpansion;

impl<T: Real> Learner<T> {
    /// Adds classes, up to `classes` of them; rows of the new ones have not been seen.
    ///
    /// All scores stay what they were, and those of a new class are zero. Only where there were two classes the one
    /// score f becomes `-f/2` and `f/2`: the same decisions with the same margin.
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
    /// In regression; and when there are more classes already, or a model of so many does not fit into memory. The
    /// model stays as it was.
    pub fn add_classes(&mut self, classes: usize) -> Result<()> {
        let task = self.task_with(classes)?;
        self.expand_outputs(task);
        self.progress.n_seen_classes = classes;
        Ok(())
    }

    /// The task of so many classes, if the model can have them.
    fn task_with(&self, classes: usize) -> Result<Task> {
        if self.progress.task == Task::Regression || classes < self.progress.task.classes() {
            let expected = match self.progress.task {
                Task::Classes(classes) => format!("at least {classes}"),
                Task::Regression => "none, for regression".to_owned(),
            };
            return Err(Error::parameter("classes", expected, classes));
        }
        let task = Task::Classes(classes);
        self.spec.check_size::<T>(self.model.features(), task)?;
        Ok(task)
    }

    /// The task after a batch in which classes may come that the model does not have.
    pub(super) fn task_after(&self, targets: Targets<'_>) -> Result<Task> {
        let Targets::Classes(y) = targets else { return Ok(self.progress.task) };
        let most = y.iter().max().map_or(0, |most| *most as usize + 1);
        if most <= self.progress.task.classes() || self.progress.task == Task::Regression {
            return Ok(self.progress.task);
        }
        self.task_with(most)
    }

    /// Adds outputs for the classes of `task`, in every component.
    #[cold]
    pub(super) fn expand_outputs(&mut self, task: Task) {
        if task == self.progress.task {
            return;
        }
        let to = OutputExpansion::new(self.progress.task, task);
        self.components_mut().into_iter().for_each(|component| component.add_outputs(to, task));
        self.work = Workspace::of(&self.model);
    }

    /// [`Learner::check`] of a batch in which classes may come that the model does not have.
    ///
    /// # Errors
    /// As [`Learner::check`]; and when a model of so many classes does not fit into memory.
    pub fn check_open(
        &self,
        rows: &Rows<'_, T>,
        targets: Targets<'_>,
        weights: Option<&[f64]>,
    ) -> Result<()> {
        self.check_as(self.task_after(targets)?, rows, targets, weights)
    }
}
