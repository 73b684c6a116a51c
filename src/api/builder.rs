//! Parameters of a new model.

use super::shared::FromSpec;
use crate::classes::{Classes, Labels};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::parameter::Value;
use crate::params::{Parameter, table};
use std::marker::PhantomData;

/// The parameters of a [`Classifier`](super::Classifier) or [`Regressor`](super::Regressor): the defaults, unless they
/// are set here. [`Builder::build`] checks them together.
///
/// ```
/// use budgetrs::Classifier;
///
/// let model = Classifier::builder().budget(100).seed(1).build()?;
/// let model = Classifier::builder().algorithm("bpa-nn").budget(100).set("gamma", 0.5).build()?;
/// let error = Classifier::builder().set("gamma", -1.0).build().unwrap_err();
/// assert!(error.to_string().starts_with("gamma must be"));
/// # Ok::<(), budgetrs::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Builder<M> {
    algorithm: String,
    parameters: Vec<(String, Value)>,
    pub(super) classes: Option<Labels>,
    of: PhantomData<M>,
}

impl<M: FromSpec> Builder<M> {
    pub(super) fn new() -> Self {
        Self { algorithm: "online-kernel".into(), parameters: Vec::new(), classes: None, of: PhantomData }
    }

    /// One of the named [`ALGORITHMS`](crate::ALGORITHMS); by default `online-kernel`, which needs no tuning.
    #[must_use]
    pub fn algorithm(self, name: &str) -> Self {
        Self { algorithm: name.into(), ..self }
    }

    /// The largest number of support vectors; by default 500. A larger budget is more accurate and slower, and takes
    /// more memory.
    #[must_use]
    pub fn budget(self, budget: usize) -> Self {
        self.set("budget", budget)
    }

    /// The seed of the random number generator; by default 0. Equal seeds and rows give equal models.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        self.set("seed", Value::Int(seed as i64))
    }

    /// Any other parameter, by its name: see [`Parameter`](crate::params::Parameter) and `docs/parameters.md`.
    #[must_use]
    pub fn set(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.parameters.push((name.into(), value.into()));
        self
    }

    /// The model before its first row.
    ///
    /// # Errors
    /// If there is no such algorithm or parameter, a value is invalid, or a parameter does not apply to the others.
    pub fn build(self) -> Result<M> {
        let mut spec = M::named(&self.algorithm)?;
        // In the order of the table: a parameter comes after those that decide whether it applies.
        for parameter in table() {
            let name = parameter.info().name;
            for (_, value) in self.parameters.iter().filter(|(given, _)| given == name) {
                spec.set(name, value)?;
            }
        }
        if let Some((name, _)) = self.parameters.iter().find(|(name, _)| Parameter::named(name).is_none()) {
            return Err(Error::unknown(name, &spec.parameters().collect::<Vec<_>>()));
        }
        let mut model = Model::new(spec.check()?);
        if let Some(classes) = &self.classes {
            let classes = Classes::of(classes)?;
            Model::check_classes(&classes)?;
            model.check_class_weight(&classes)?;
            model.classes = Some(classes);
        }
        Ok(M::from_model(model))
    }
}
