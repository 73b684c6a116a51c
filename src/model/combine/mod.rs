//! The weighted mean of models with equal preprocessing.

use super::{AnyLearner, LearnerFloat, Model};
use crate::batch::Task;
use crate::classes::{Classes, OpenSetLabels};
use crate::error::{Error, Result};
use crate::float::Real;
use crate::learner::{Learner, Part};
use crate::params::{CheckedSpec, Spec};
use crate::persist::Metadata;

/// The advice in errors about models that cannot be combined.
const REMEDY: &str = "create the models with feature_space=MODEL, which shares scaling, metric and gamma";

fn models_error(expected: impl Into<std::borrow::Cow<'static, str>>, got: impl std::fmt::Display) -> Error {
    Error::parameter("models", expected, got)
}

impl Model {
    /// The weighted mean of models, `f = sum_m w_m f_m / sum_m w_m`, and the relative error that the budget causes,
    /// `|f - f_B| / |f|` in feature space.
    ///
    /// Without a budget the result has the support vectors of all models, without duplicates. With a smaller budget, f
    /// is projected onto a subset of them, chosen greedily: each step adds the vector that brings the projection
    /// closest to f (orthogonal least squares: Chen, Cowan and Grant 1991). Linear terms and the calibration of
    /// probabilities are averaged too. The result has the parameters of the model with the largest weight (the first if
    /// there are several), except the budget. It continues training with that model's counters, step sizes and order of
    /// classes; averages start from f.
    ///
    /// ```
    /// use budgetrs::model::{AnyLearner, Model};
    /// use budgetrs::{Classes, Learner, Spec};
    ///
    /// let spec = Spec::named("pa")?.check()?;
    /// let one = |x: f64, class: u32| -> budgetrs::Result<Model> {
    ///     let mut learner: Learner<f64> = spec.build(1, 2)?;
    ///     learner.learn_one(&[x], class, 1.0)?;
    ///     let classes = Some(Classes::Int(vec![0, 1]));
    ///     Ok(Model { classes, trained: Some(AnyLearner::F64(learner)), ..Model::new(spec.clone()) })
    /// };
    /// let (mean, relative_error) = Model::combine(&[&one(0.0, 0)?, &one(1.0, 1)?], None, None)?;
    /// let Some(AnyLearner::F64(learner)) = mean.trained else { unreachable!() };
    /// assert_eq!((learner.dual_coef(), relative_error), (vec![-0.5, 0.5], 0.0));
    /// # Ok::<(), budgetrs::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no model, a model is not trained, or models differ in task, float type, columns, kernel, scaling or
    /// metric; if there is not one weight per model, a weight is negative or not finite, or all are 0; or if the
    /// algorithm does not allow the budget.
    pub fn combine(models: &[&Self], budget: Option<usize>, weights: Option<&[f64]>) -> Result<(Self, f64)> {
        let shares = shares(models.len(), weights)?;
        if budget == Some(0) {
            return Err(Error::parameter("budget", "at least 1, or none", 0));
        }
        for (number, model) in models.iter().enumerate() {
            if model.trained.is_none() {
                return Err(models_error(
                    "trained models",
                    format!("a model without rows at index {number}"),
                ));
            }
        }
        match models.first().and_then(|model| model.trained.as_ref()) {
            None => Err(models_error("at least 1 model", "none")),
            Some(AnyLearner::F32(_)) => combine::<f32>(models, budget, &shares),
            Some(AnyLearner::F64(_)) => combine::<f64>(models, budget, &shares),
        }
    }
}

/// The weights, normalised to sum 1.
fn shares(models: usize, weights: Option<&[f64]>) -> Result<Vec<f64>> {
    let equal = vec![1.0; models];
    let weights = weights.unwrap_or(&equal);
    if weights.len() != models {
        return Err(Error::shape("weights", format!("one weight per model, {models}"), weights.len()));
    }
    if let Some(number) = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
        return Err(Error::entry("weights", "finite and >= 0", weights[number], number));
    }
    let largest = weights.iter().copied().fold(0.0, f64::max);
    if models > 0 && largest == 0.0 {
        return Err(Error::parameter("weights", "> 0 for at least one model", "zeros"));
    }
    // Divided by the largest first, so that the sum stays finite.
    let sum: f64 = weights.iter().map(|w| w / largest).sum();
    Ok(weights.iter().map(|w| w / largest / sum).collect())
}

fn combine<T: LearnerFloat>(
    models: &[&Model],
    budget: Option<usize>,
    shares: &[f64],
) -> Result<(Model, f64)> {
    let largest = shares.iter().copied().fold(0.0, f64::max);
    let main = shares.iter().position(|share| *share == largest).unwrap_or(0);
    let mut all = Model { trained: None, metadata: Metadata::default(), ..models[main].clone() };
    let learners: Vec<&Learner<T>> = models
        .iter()
        .map(|model| {
            let learner = model.trained.as_ref().and_then(T::get);
            learner.ok_or_else(|| {
                models_error(format!("models of one float type, {}", T::NAME), "different float types")
            })
        })
        .collect::<Result<_>>()?;
    if models.iter().any(|model| model.columns != all.columns) {
        return Err(models_error(
            "models with the same columns and categories",
            "different columns or categories",
        ));
    }
    let columns = learners.iter().map(|learner| learner.n_columns()).max().unwrap_or(0);
    let is_narrow = |learner: &Learner<T>| !learner.accepts_any_columns() && learner.n_columns() < columns;
    if let Some(number) = learners.iter().position(|learner| is_narrow(learner)) {
        let narrow = learners[number].n_columns();
        let expected = format!(
            "models of the same number of features, {columns} (call add_features on the narrower models)"
        );
        return Err(models_error(expected, format!("{narrow} features in number {number}")));
    }
    let mut class_maps = Vec::new();
    for model in models {
        class_maps.push(class_map(model, &mut all)?);
    }
    let task = match all.n_classes() {
        0 => Task::Regression,
        classes => Task::Classes(classes),
    };
    let mut widened = Vec::new();
    for learner in learners {
        if (learner.task() == Task::Regression) != (task == Task::Regression) {
            return Err(models_error("models of one task", "classification and regression"));
        }
        let mut learner = learner.clone();
        if learner.task() != task {
            learner.add_classes(task.classes())?;
        }
        if learner.n_columns() < columns {
            learner.add_features(columns, true)?;
        }
        widened.push(learner);
    }
    if task != Task::Regression && all.open_classes {
        widened[main].set_n_seen_classes(all.classes.as_ref().map_or(0, Classes::len));
    }
    for (number, learner) in widened.iter().enumerate() {
        check_compatible((main, &widened[main]), (number, learner))?;
    }
    let parts: Vec<Part<'_, T>> = widened
        .iter()
        .zip(class_maps)
        .zip(shares)
        .map(|((learner, known), &share)| Part { learner, share, classes: with_unknown_classes(known, task) })
        .collect();
    let max_support = budget.unwrap_or(usize::MAX);
    let (learner, relative_error) = Learner::combined(&parts, main, max_support, |vectors| {
        with_room(all.spec.spec().clone(), budget, vectors)
    })?;
    all.spec = learner.spec().clone();
    all.trained = Some(T::wrap(learner));
    Ok((all, relative_error))
}

/// The index of each class of a model among all classes. New classes of an open set are appended to these.
fn class_map(model: &Model, all: &mut Model) -> Result<Vec<usize>> {
    let (Some(own), Some(known)) = (&model.classes, &all.classes) else { return Ok(Vec::new()) };
    let different = || {
        let expected =
            "models with the same classes, or models created without classes whose labels have one type";
        models_error(expected, format!("{own} and {known}"))
    };
    let labels = OpenSetLabels::of(Some(known), &own.labels(), None, None).map_err(|_| different())?;
    if labels.has_new() && !all.open_classes {
        return Err(different());
    }
    labels.commit(&mut all.classes, own.len());
    Ok(labels.indices().iter().map(|class| *class as usize).collect())
}

/// A class map completed by the classes that a model does not know, in order.
fn with_unknown_classes(mut known: Vec<usize>, task: Task) -> Vec<usize> {
    let others = (0..task.classes()).filter(|class| !known.contains(class)).collect::<Vec<_>>();
    known.extend(others);
    known
}

fn check_compatible<T: Real>(
    (first, main): (usize, &Learner<T>),
    (number, other): (usize, &Learner<T>),
) -> Result<()> {
    match main.feature_space_difference(other) {
        None => Ok(()),
        Some(what) => {
            let got = format!("a different {what} in models {first} and {number}; {REMEDY}");
            Err(models_error(format!("models with the same {what}"), got))
        }
    }
}

/// The parameters with a budget of at least this many support vectors.
fn with_room(mut spec: Spec, budget: Option<usize>, vectors: usize) -> Result<CheckedSpec> {
    match spec.rate {
        Some(_) => spec.max_size = spec.max_size.map(|max_size| max_size.max(vectors)),
        // An unbounded model stays unbounded.
        None => spec.budget = spec.budget.map(|own| budget.unwrap_or(own.max(vectors))),
    }
    spec.check()
}

#[cfg(test)]
mod tests;
