//! [`Schema`] and [`Template`]: what all batches and all models have in common.

use crate::classes::{Classes, Labels};
use crate::columns::Columns;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::model::Model;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Number of columns, float type and label type, which are fixed by the first batch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Schema {
    pub(super) n_columns: usize,
    /// True for `f32`, false for `f64`.
    pub(super) is_single: bool,
    /// `None` in regression.
    pub(super) labels: Option<LabelType>,
}

impl Schema {
    /// Name of the float type.
    pub(super) fn dtype(self) -> &'static str {
        if self.is_single { f32::NAME } else { f64::NAME }
    }
}

/// The variant of the labels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) enum LabelType {
    Bool,
    Int,
    Float,
    Text,
}

impl LabelType {
    pub(super) fn of(labels: &Labels) -> Self {
        match labels {
            Labels::Bool(_) => Self::Bool,
            Labels::Int(_) => Self::Int,
            Labels::Float(_) => Self::Float,
            Labels::Text(_) => Self::Text,
        }
    }

    /// `count` labels to be overwritten.
    pub(super) fn blank(self, count: usize) -> Labels {
        match self {
            Self::Bool => Labels::Bool(vec![0; count]),
            Self::Int => Labels::Int(vec![0; count]),
            Self::Float => Labels::Float(vec![0.0; count]),
            Self::Text => Labels::Text(vec![String::new(); count]),
        }
    }
}

/// The model of which new models are copies, with schema and columns of the batches. Models read from a file must fit
/// it.
#[derive(Clone, Copy)]
pub(super) struct Template<'a> {
    pub(super) model: &'a Model,
    pub(super) schema: Option<Schema>,
    pub(super) columns: Option<&'a Arc<Columns>>,
}

impl Template<'_> {
    /// An error if a model read from a file does not fit the template.
    pub(super) fn check(&self, model: &Model) -> Result<()> {
        let error = |of: &str| {
            let reason = format!("its {of} differ from the {of} of the template");
            Err(Error::Model(reason.into()))
        };
        if model.spec != self.model.spec {
            return error("parameters");
        }
        let (Some(learner), Some(schema)) = (&model.trained, self.schema) else {
            // All its rows had weight 0, or no batch was learned: it must equal the template.
            let is_template = model.trained.is_some() == self.model.trained.is_some();
            return if is_template && model.classes == self.model.classes { Ok(()) } else { error("rows") };
        };
        let hashes = self.model.spec.spec().hash_features.is_some();
        let columns = match (&model.columns, self.columns) {
            (None, None) => hashes || learner.n_columns() == schema.n_columns,
            (Some(own), Some(all)) => Arc::ptr_eq(own, all) || own == all || own.is_prefix_of(all),
            (None, Some(_)) | (Some(_), None) => false,
        };
        if !columns {
            return error("columns");
        }
        if learner.type_name() != schema.dtype() {
            return error("float types");
        }
        let label_type = |classes: &Classes| LabelType::of(&classes.labels());
        let classes = match (&self.model.classes, &model.classes) {
            (Some(all), own) if !self.model.open_classes => own.as_ref() == Some(all),
            (Some(all), Some(own)) => label_type(all) == label_type(own),
            (None, own) => own.as_ref().map(label_type) == schema.labels,
            (Some(_), None) => false,
        };
        if classes { Ok(()) } else { error("classes") }
    }
}
