//! Prediction by the model of each key.

use super::KeyedModels;
use super::cache::RunOptions;
use super::gather::{Groups, KeyRows, labels_of, scatter};
use super::index::Keys;
use super::schema::{LabelType, Template};
use crate::classes::{Classes, Labels};
use crate::columns::Columns;
use crate::error::{Error, Result};
use crate::learner::{Learner, Rows};
use crate::model::{AnyLearner, LearnerFloat, Model, of_type};
use std::sync::Arc;

impl KeyedModels {
    /// Predicts the label of each row with the model of its key.
    ///
    /// # Errors
    /// In regression; for an unknown key, unless the template has learned; otherwise as
    /// [`Learner::decision_function`](crate::Learner::decision_function).
    pub fn predict<T: LearnerFloat>(
        &mut self,
        keys: &Keys,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
    ) -> Result<Labels> {
        if self.template.spec.spec().loss.is_regression() {
            return Err(Error::State("regression models predict numbers, not labels".into()));
        }
        let predict = |model: &mut Model, rows: &KeyRows<'_, T>| {
            let learner = of_type::<T>(model.trained.as_ref().ok_or_else(unlearned)?)?;
            let classes = learner.predict_from(&learner.decision_function(&rows.rows())?);
            Ok(labels_of(model.classes.as_ref().ok_or_else(unlearned)?, &classes))
        };
        let mut all: Option<Labels> = None;
        let n_rows = keys.len();
        self.run_predict(keys, rows, columns, predict, |indices, labels: Labels| {
            scatter(all.get_or_insert_with(|| LabelType::of(&labels).blank(n_rows)), indices, labels);
        })?;
        Ok(all.unwrap_or_else(|| self.no_labels()))
    }

    /// An empty array of the label type.
    fn no_labels(&self) -> Labels {
        let specified = self.template.classes.as_ref().map(|classes| LabelType::of(&classes.labels()));
        let learned = self.schema.and_then(|schema| schema.labels);
        specified.or(learned).unwrap_or(LabelType::Int).blank(0)
    }

    /// Number of classes of every model, if the template specifies them; 0 in regression and for an open class set.
    #[must_use]
    pub fn n_classes(&self) -> usize {
        self.template.classes.as_ref().filter(|_| !self.template.open_classes).map_or(0, Classes::len)
    }

    /// Scores of each row by the model of its key, or predicted values in regression: an array of shape (rows,
    /// outputs).
    ///
    /// # Errors
    /// In classification, if the template does not specify the classes, so that models may have different numbers of
    /// outputs; otherwise as [`KeyedModels::predict`].
    pub fn decision_function<T: LearnerFloat>(
        &mut self,
        keys: &Keys,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
    ) -> Result<Vec<T>> {
        self.predict_values(keys, rows, columns, |_, scores| Ok(scores))
    }

    /// Class probabilities of each row by the model of its key: an array of shape (rows, classes).
    ///
    /// # Errors
    /// As [`KeyedModels::decision_function`] and [`Learner::predict_proba`](crate::Learner::predict_proba).
    pub fn predict_proba<T: LearnerFloat>(
        &mut self,
        keys: &Keys,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
    ) -> Result<Vec<T>> {
        self.template.spec.check_predict_proba()?;
        self.predict_values(keys, rows, columns, |learner, scores| learner.predict_proba_from(&scores))
    }

    /// Predicts values, which `convert` computes from the scores of a model.
    fn predict_values<T: LearnerFloat>(
        &mut self,
        keys: &Keys,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
        convert: impl Fn(&Learner<T>, Vec<T>) -> Result<Vec<T>> + Sync,
    ) -> Result<Vec<T>> {
        let regression = self.template.spec.spec().loss.is_regression();
        if !regression && (self.template.open_classes || self.template.classes.is_none()) {
            let reason = "scores and probabilities per key need the same classes in all models: create the template model with classes";
            return Err(Error::State(reason.into()));
        }
        let predict = |model: &mut Model, rows: &KeyRows<'_, T>| {
            let learner = of_type::<T>(model.trained.as_ref().ok_or_else(unlearned)?)?;
            convert(learner, learner.decision_function(&rows.rows())?)
        };
        let (mut all, n_rows) = (Vec::new(), keys.len());
        self.run_predict(keys, rows, columns, predict, |indices, values: Vec<T>| {
            let outputs = values.len() / indices.len();
            all.resize(n_rows * outputs, T::ZERO);
            for (row, values) in indices.iter().zip(values.chunks_exact(outputs)) {
                all[*row * outputs..][..outputs].copy_from_slice(values);
            }
        })?;
        Ok(all)
    }

    /// Runs `predict` for the rows of each key, with a model that has all columns of the batch.
    fn run_predict<T: LearnerFloat, R: Send>(
        &mut self,
        keys: &Keys,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
        predict: impl Fn(&mut Model, &KeyRows<'_, T>) -> Result<R> + Sync,
        on_result: impl FnMut(&[usize], R),
    ) -> Result<()> {
        self.check_keys(keys, rows)?;
        let slots = self.index.find_all(keys, self.template.trained.is_some())?;
        let columns = self.merge_columns(columns)?;
        let n_features = columns.as_ref().map(|columns| columns.n_features());
        let predict = |model: &mut Model, rows: &KeyRows<'_, T>| {
            let is_narrow = |any: &AnyLearner| n_features.is_some_and(|n| any.n_columns() < n);
            if !model.learner().is_some_and(is_narrow) {
                return predict(model, rows).map_err(|error| model.with_column_name(error));
            }
            // Categories may have been added after the last row of this model.
            let mut wide = model.clone();
            wide.add_features(n_features.unwrap_or(0), true)?;
            predict(&mut wide, rows)
        };
        let groups = Groups::by_slot(&slots, |slot| self.cache.run_order(slot));
        let template =
            Template { model: &self.template, schema: self.schema, columns: self.columns.as_ref() };
        let options = RunOptions { template, parallel: self.parallel, mutates: false };
        self.cache
            .run(&groups, options, rows, predict, on_result, || true)
            .map_err(|(slot, error)| self.with_key(slot, error))
    }
}

/// The error for a model whose rows all had weight 0.
fn unlearned() -> Error {
    Error::State("none of its rows was learned, because all weights were 0".into())
}
