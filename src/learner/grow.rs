//! Classes that are added to a model that has learned.

use super::{Learner, Rows, Scratch, Targets};
use crate::error::{Error, Result};
use crate::float::Real;
use crate::growth::OutputExpansion;
use crate::label::Task;
use crate::rules::UpdateRule;

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
        self.n_seen_classes = classes;
        Ok(())
    }

    /// The task of so many classes, if the model can have them.
    fn task_with(&self, classes: usize) -> Result<Task> {
        if self.task == Task::Regression || classes < self.task.classes() {
            let expected = match self.task {
                Task::Classes(classes) => format!("at least {classes}"),
                Task::Regression => "none, for regression".to_owned(),
            };
            return Err(Error::parameter("classes", expected, classes));
        }
        let task = Task::Classes(classes);
        self.spec.check_size::<T>(self.store.features(), task)?;
        Ok(task)
    }

    /// The task after a batch in which classes may come that the model does not have.
    pub(super) fn task_after(&self, targets: Targets<'_>) -> Result<Task> {
        let Targets::Classes(y) = targets else { return Ok(self.task) };
        let most = y.iter().max().map_or(0, |most| *most as usize + 1);
        if most <= self.task.classes() || self.task == Task::Regression {
            return Ok(self.task);
        }
        self.task_with(most)
    }

    /// Becomes a model of more classes, or of as many, that fits into memory.
    #[cold]
    pub(super) fn expand_outputs(&mut self, task: Task) {
        if task == self.task {
            return;
        }
        let growth = OutputExpansion::new(self.task, task);
        self.task = task;
        self.store.add_classes(growth);
        self.update.add_classes(task.classes());
        if let Some(averaging) = &mut self.averaging {
            averaging.add_classes(growth);
        }
        if let Some(serving) = &mut self.serving {
            serving.add_classes(task);
        }
        if let Some(balance) = &mut self.balance {
            balance.add_classes(task.classes());
        }
        self.scratch = Scratch::of(&self.store);
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
