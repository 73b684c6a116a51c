//! What the models and the batches of all keys have in common.

use crate::classes::{Classes, RawLabels};
use crate::columns::Columns;
use crate::error::{Error, Result};
use crate::model::Model;
use std::mem::{Discriminant, discriminant};
use std::sync::Arc;

/// What the first batch fixes for those of all keys.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Shape {
    pub(super) width: usize,
    /// The name of the float type.
    pub(super) dtype: &'static str,
    /// The kind of the labels; none of regression.
    pub(super) labels: Option<Discriminant<RawLabels>>,
}

/// The kinds of labels, by name.
pub(super) static KINDS: [(&str, RawLabels); 4] = [
    ("bool", RawLabels::Bool(Vec::new())),
    ("int", RawLabels::Int(Vec::new())),
    ("float", RawLabels::Float(Vec::new())),
    ("text", RawLabels::Text(Vec::new())),
];

/// What a model that is read from a folder must have as all others do.
#[derive(Clone, Copy)]
pub(super) struct Common<'a> {
    /// What the model of a new key begins as.
    pub(super) begin: &'a Model,
    pub(super) shape: Option<Shape>,
    pub(super) columns: Option<&'a Arc<Columns>>,
}

impl Common<'_> {
    /// Refuses a model of a file that is not like the others.
    pub(super) fn check(&self, model: &Model) -> Result<()> {
        let refused = |of: &str| {
            let reason = format!("a model of other {of} than those of the folder");
            Err(Error::Model(reason.into()))
        };
        if model.spec != self.begin.spec {
            return refused("parameters");
        }
        let (Some(learner), Some(shape)) = (&model.trained, self.shape) else {
            // Its rows had no weight, or it is the model that all begin as.
            let is_like_begin = model.trained.is_some() == self.begin.trained.is_some();
            return if is_like_begin && model.classes == self.begin.classes {
                Ok(())
            } else {
                refused("rows")
            };
        };
        let folds = self.begin.spec.spec().hash_features.is_some();
        let columns = match (&model.columns, self.columns) {
            (None, None) => folds || learner.n_columns() == shape.width,
            (Some(own), Some(all)) => Arc::ptr_eq(own, all) || own == all || own.is_prefix_of(all),
            (None, Some(_)) | (Some(_), None) => false,
        };
        if !columns {
            return refused("columns");
        }
        if learner.type_name() != shape.dtype {
            return refused("float type");
        }
        let kind = |classes: &Classes| discriminant(&classes.labels());
        let classes = match (&self.begin.classes, &model.classes) {
            (Some(all), own) if !self.begin.open_classes => own.as_ref() == Some(all),
            (Some(all), Some(own)) => kind(all) == kind(own),
            (None, own) => own.as_ref().map(kind) == shape.labels,
            (Some(_), None) => false,
        };
        if classes { Ok(()) } else { refused("classes") }
    }
}
