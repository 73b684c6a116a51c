//! Prediction by the model of each key.

use super::checks::{blank, labels_of, scatter};
use super::common::{Common, KINDS};
use super::entries::How;
use super::groups::{Groups, Part};
use super::{KeyedModels, Keys};
use crate::classes::{Classes, RawLabels};
use crate::columns::Columns;
use crate::error::{Error, Result};
use crate::learner::{Learner, Rows};
use crate::model::{AnyLearner, LearnerFloat, Model, of_type};
use std::mem::discriminant;
use std::sync::Arc;

impl KeyedModels {
    /// The label of each row, by the model of its key.
    ///
    /// # Errors
    /// In regression; when a key never came and the models do not begin as one that has learned; and as
    /// [`Learner::decision_function`](crate::Learner::decision_function).
    pub fn predict<T: LearnerFloat>(
        &mut self,
        keys: &Keys,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
    ) -> Result<RawLabels> {
        if self.begin.spec.spec().loss.is_regression() {
            return Err(Error::State("models of regression predict numbers, no labels".into()));
        }
        let labels = |model: &mut Model, part: &Part<'_, T>| {
            let learner = of_type::<T>(model.trained.as_ref().ok_or_else(unlearned)?)?;
            let classes = learner.predict_from(&learner.decision_function(&part.x())?);
            Ok(labels_of(model.classes.as_ref().ok_or_else(unlearned)?, &classes))
        };
        let mut all: Option<RawLabels> = None;
        let count = keys.len();
        self.score(keys, rows, columns, labels, |places, labels: RawLabels| {
            scatter(all.get_or_insert_with(|| blank(&labels, count)), places, labels);
        })?;
        Ok(all.unwrap_or_else(|| self.no_labels()))
    }

    /// No labels, of the kind that models predict.
    fn no_labels(&self) -> RawLabels {
        let given = self.begin.classes.as_ref().map(|classes| blank(&classes.labels(), 0));
        let kind = self.shape.and_then(|shape| shape.labels);
        let learned = KINDS.iter().find(|(_, like)| Some(discriminant(like)) == kind);
        given.or_else(|| learned.map(|(_, like)| like.clone())).unwrap_or(RawLabels::Int(Vec::new()))
    }

    /// How many classes each model has, where they are those of the model that all begin as; 0 in regression.
    #[must_use]
    pub fn n_classes(&self) -> usize {
        self.begin.classes.as_ref().filter(|_| !self.begin.open_classes).map_or(0, Classes::len)
    }

    /// The scores of each row by the model of its key, `outputs` to the row: the same number of every model, so classes
    /// must have been given, or there are numbers to predict.
    ///
    /// # Errors
    /// Where classes come as they come; and as [`KeyedModels::predict`].
    pub fn decision_function<T: LearnerFloat>(
        &mut self,
        keys: &Keys,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
    ) -> Result<Vec<T>> {
        self.numbers(keys, rows, columns, |_, scores| Ok(scores))
    }

    /// The probability of each class for each row by the model of its key, as many numbers to the row as classes.
    ///
    /// # Errors
    /// As [`KeyedModels::decision_function`] and [`Learner::predict_proba`](crate::Learner::predict_proba).
    pub fn predict_proba<T: LearnerFloat>(
        &mut self,
        keys: &Keys,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
    ) -> Result<Vec<T>> {
        self.begin.spec.check_predict_proba()?;
        self.numbers(keys, rows, columns, |learner, scores| learner.predict_proba_from(&scores))
    }

    fn numbers<T: LearnerFloat>(
        &mut self,
        keys: &Keys,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
        made: impl Fn(&Learner<T>, Vec<T>) -> Result<Vec<T>> + Sync,
    ) -> Result<Vec<T>> {
        let regression = self.begin.spec.spec().loss.is_regression();
        if !regression && (self.begin.open_classes || self.begin.classes.is_none()) {
            let reason = "scores and probabilities by key need classes that all models have: give the model its classes";
            return Err(Error::State(reason.into()));
        }
        let scores = |model: &mut Model, part: &Part<'_, T>| {
            let learner = of_type::<T>(model.trained.as_ref().ok_or_else(unlearned)?)?;
            made(learner, learner.decision_function(&part.x())?)
        };
        let (mut all, count) = (Vec::new(), keys.len());
        self.score(keys, rows, columns, scores, |places, numbers: Vec<T>| {
            let outputs = numbers.len() / places.len();
            all.resize(count * outputs, T::ZERO);
            for (place, numbers) in places.iter().zip(numbers.chunks_exact(outputs)) {
                all[*place * outputs..][..outputs].copy_from_slice(numbers);
            }
        })?;
        Ok(all)
    }

    fn score<T: LearnerFloat, R: Send>(
        &mut self,
        keys: &Keys,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
        score: impl Fn(&mut Model, &Part<'_, T>) -> Result<R> + Sync,
        done: impl FnMut(&[usize], R),
    ) -> Result<()> {
        self.check_keys(keys, rows)?;
        let slots = self.index.known(keys, self.begin.trained.is_some())?;
        let known = self.merged(columns)?;
        let features = known.as_ref().map(|columns| columns.n_features());
        let score = |model: &mut Model, part: &Part<'_, T>| {
            let narrow = |any: &AnyLearner| features.is_some_and(|features| any.n_columns() < features);
            if !model.learner().is_some_and(narrow) {
                return score(model, part).map_err(|error| model.with_column_name(error));
            }
            // Of words that came after its last row a model knows nothing.
            let mut wide = model.clone();
            wide.widen(features.unwrap_or(0), true)?;
            score(&mut wide, part)
        };
        let groups = Groups::of(&slots, |slot| self.entries.place(slot));
        let common = Common { begin: &self.begin, shape: self.shape, columns: self.columns.as_ref() };
        self.entries
            .run(&groups, How { common, parallel: self.parallel, changes: false }, rows, score, done, || true)
            .map_err(|(slot, error)| self.of_key(slot, error))
    }
}

/// The model of a key all of whose rows had no weight, or were refused.
fn unlearned() -> Error {
    Error::State("none of its rows was learned".into())
}
