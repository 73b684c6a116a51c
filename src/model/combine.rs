//! The weighted mean of models that are alike.

use super::{AnyLearner, Model, Typed};
use crate::classes::{Arrivals, Classes};
use crate::error::{Error, Result};
use crate::float::Real;
use crate::label::Task;
use crate::learner::{Learner, Part};
use crate::params::{CheckedSpec, Spec};

/// What to do where models are not alike.
const REMEDY: &str =
    "models are alike that begin like one of them (`like`), with its scaling, metric and gamma";

fn refused(expected: impl Into<std::borrow::Cow<'static, str>>, got: impl std::fmt::Display) -> Error {
    Error::parameter("models", expected, got)
}

impl Model {
    /// The weighted mean of what models predict with, `f = sum_m w_m f_m / sum_m w_m`, as a model, and the share of its
    /// length that a budget costs, `|f - f_B| / |f|` in the space of the kernel.
    ///
    /// Without a budget it has the support vectors of all, each once. With a smaller one, f is projected on as many of
    /// them, chosen one by one: each time the one that brings the projection nearest to f (orthogonal least squares:
    /// Chen, Cowan and Grant 1991); a model without a budget or with a rate grows from there. Linear parts and the
    /// calibration of probabilities are averaged too. The result has the parameters of the model of the largest weight,
    /// the first of equals, but for the budget, and goes on learning as that one would: with its counters, its steps
    /// and its order of classes; averages start from f.
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
    /// let (mean, lost) = Model::combine(&[&one(0.0, 0)?, &one(1.0, 1)?], None, None)?;
    /// let Some(AnyLearner::F64(learner)) = mean.trained else { unreachable!() };
    /// assert_eq!((learner.dual_coef(), lost), (vec![-0.5, 0.5], 0.0));
    /// # Ok::<(), budgetrs::Error>(())
    /// ```
    ///
    /// # Errors
    /// When there is no model, one has not learned, or they are not alike in task, number type, columns, kernel,
    /// scaling and metric; when weights are not one to the model, finite, at least 0 and not all 0; and when the budget
    /// is none of the algorithm.
    pub fn combine(models: &[&Self], budget: Option<usize>, weights: Option<&[f64]>) -> Result<(Self, f64)> {
        let shares = shares(models.len(), weights)?;
        if budget == Some(0) {
            return Err(Error::parameter("budget", "at least 1, or none", 0));
        }
        for (number, model) in models.iter().enumerate() {
            if model.trained.is_none() {
                return Err(refused(
                    "models that have learned",
                    format!("one that has not, number {number}"),
                ));
            }
        }
        match models.first().and_then(|model| model.trained.as_ref()) {
            None => Err(refused("at least 1 model", "none")),
            Some(AnyLearner::F32(_)) => combine::<f32>(models, budget, &shares),
            Some(AnyLearner::F64(_)) => combine::<f64>(models, budget, &shares),
        }
    }
}

/// Weights that sum to 1.
fn shares(models: usize, weights: Option<&[f64]>) -> Result<Vec<f64>> {
    let equal = vec![1.0; models];
    let weights = weights.unwrap_or(&equal);
    if weights.len() != models {
        return Err(Error::shape("weights", format!("one weight to the model, {models}"), weights.len()));
    }
    if let Some(number) = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
        return Err(Error::entry("weights", "finite and >= 0", weights[number], number));
    }
    let largest = weights.iter().copied().fold(0.0, f64::max);
    if models > 0 && largest == 0.0 {
        return Err(Error::parameter("weights", "> 0 of at least one model", "zeros"));
    }
    // Of the largest, so that the sum stays finite.
    let sum: f64 = weights.iter().map(|w| w / largest).sum();
    Ok(weights.iter().map(|w| w / largest / sum).collect())
}

fn combine<T: Typed>(models: &[&Model], budget: Option<usize>, shares: &[f64]) -> Result<(Model, f64)> {
    let largest = shares.iter().copied().fold(0.0, f64::max);
    let main = shares.iter().position(|share| *share == largest).unwrap_or(0);
    let mut all = Model { trained: None, ..models[main].clone() };
    let learners: Vec<&Learner<T>> = models
        .iter()
        .map(|model| {
            let learner = model.trained.as_ref().and_then(T::of);
            learner.ok_or_else(|| refused(format!("models of one number type, {}", T::NAME), "another type"))
        })
        .collect::<Result<_>>()?;
    if models.iter().any(|model| model.columns != all.columns) {
        return Err(refused("models of the same columns and words", "others"));
    }
    let columns = learners.iter().map(|learner| learner.n_columns()).max().unwrap_or(0);
    // HashedRow rows may be of any width.
    let is_narrow = |learner: &Learner<T>| learner.hashing.is_none() && learner.n_columns() < columns;
    if let Some(number) = learners.iter().position(|learner| is_narrow(learner)) {
        let narrow = learners[number].n_columns();
        let expected =
            format!("models of the same number of features, {columns} (`widen` those that have fewer)");
        return Err(refused(expected, format!("{narrow} features in number {number}")));
    }
    let mut places = Vec::new();
    for model in models {
        places.push(places_of(model, &mut all)?);
    }
    let task = match all.n_classes() {
        0 => Task::Regression,
        classes => Task::Classes(classes),
    };
    let mut widened = Vec::new();
    for learner in learners {
        if (learner.task() == Task::Regression) != (task == Task::Regression) {
            return Err(refused("models of one task", "classification and regression"));
        }
        let mut learner = learner.clone();
        if learner.task() != task {
            learner.add_classes(task.classes())?;
        }
        if learner.n_columns() < columns {
            learner.widen(columns, true)?;
        }
        widened.push(learner);
    }
    if task != Task::Regression && all.grows {
        widened[main].n_seen_classes = all.classes.as_ref().map_or(0, Classes::len);
    }
    for (number, learner) in widened.iter().enumerate() {
        check_alike((main, &widened[main]), (number, learner))?;
    }
    let parts: Vec<Part<'_, T>> = widened
        .iter()
        .zip(places)
        .zip(shares)
        .map(|((learner, known), &share)| Part { learner, share, classes: completed(known, task) })
        .collect();
    let most = budget.unwrap_or(usize::MAX);
    let (learner, lost) =
        Learner::combined(&parts, main, most, |vectors| with_room(all.spec.spec().clone(), budget, vectors))?;
    all.spec = learner.spec().clone();
    all.trained = Some(T::any(learner));
    Ok((all, lost))
}

/// The place of each class of a model in the list of all, to which new ones are added where classes come as they come.
fn places_of(model: &Model, all: &mut Model) -> Result<Vec<usize>> {
    let (Some(own), Some(known)) = (&model.classes, &all.classes) else { return Ok(Vec::new()) };
    let different = || {
        let expected = "models of the same classes, or whose classes come as they come and are of one kind";
        refused(expected, format!("{own} beside {known}"))
    };
    let labels = Arrivals::of(Some(known), &own.labels(), None, None).map_err(|_| different())?;
    if labels.has_new() && !all.grows {
        return Err(different());
    }
    labels.commit(&mut all.classes, own.len());
    Ok(labels.indices().iter().map(|class| *class as usize).collect())
}

/// Classes that a model does not know are those that are left, in order.
fn completed(mut known: Vec<usize>, task: Task) -> Vec<usize> {
    let others = (0..task.classes()).filter(|class| !known.contains(class)).collect::<Vec<_>>();
    known.extend(others);
    known
}

fn check_alike<T: Real>(
    (first, main): (usize, &Learner<T>),
    (number, other): (usize, &Learner<T>),
) -> Result<()> {
    let pairs = [
        ("scaling", main.scales_like(other)),
        ("metric", main.metric() == other.metric()),
        ("kernel and gamma", main.kernel == other.kernel),
        ("hash of columns", main.hashing == other.hashing),
        ("linear part", main.has_linear() == other.has_linear()),
    ];
    match pairs.into_iter().find(|(_, alike)| !alike) {
        None => Ok(()),
        Some((what, _)) => {
            let got = format!("another {what} in number {number} than in number {first}: {REMEDY}");
            Err(refused(format!("models of the same {what}"), got))
        }
    }
}

/// The parameters with room for so many support vectors.
fn with_room(mut spec: Spec, budget: Option<usize>, vectors: usize) -> Result<CheckedSpec> {
    match spec.rate {
        Some(_) => spec.max_size = spec.max_size.map(|most| most.max(vectors)),
        // Without a bound it stays without.
        None => spec.budget = spec.budget.map(|own| budget.unwrap_or(own.max(vectors))),
    }
    spec.check()
}

#[cfg(test)]
mod tests;
