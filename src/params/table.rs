//! The table of all parameters: their values, and when they apply.

use super::entries::{AppliesTo, ENTRIES, ParameterEntry};
use super::{Maintenance, Spec};
use crate::error::{Error, Result};
use crate::kernel::{KERNEL_PARAMETERS, KernelName, KernelParameters, SAVED_BY_EVERY_KERNEL};
use crate::losses::{LOSS_PARAMETERS, Loss, LossParameters, Rule};
use crate::parameter::{Field, Named, ParameterInfo, Value, one_of, quoted};

/// A parameter: its table entry, and how it is read and written.
#[derive(Clone, Copy)]
pub struct Parameter(ParameterLocation);

/// The struct that has the field of a parameter.
#[derive(Clone, Copy)]
enum ParameterLocation {
    Spec(&'static ParameterEntry),
    Loss(&'static Field<LossParameters>),
    Kernel(&'static Field<KernelParameters>),
}

/// All parameters. A parameter that decides whether others apply comes before them.
pub fn table() -> impl Iterator<Item = Parameter> {
    ENTRIES.iter().flat_map(|entry| {
        let name = entry.field.info.name;
        let losses = LOSS_PARAMETERS.iter().filter(move |_| name == "loss").map(ParameterLocation::Loss);
        let kernels =
            KERNEL_PARAMETERS.iter().filter(move |_| name == "gamma").map(ParameterLocation::Kernel);
        std::iter::once(ParameterLocation::Spec(entry)).chain(losses).chain(kernels).map(Parameter)
    })
}

impl Parameter {
    /// The parameter named `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        table().find(|parameter| parameter.info().name == name)
    }

    /// The name, valid values and description.
    #[must_use]
    pub fn info(self) -> &'static ParameterInfo {
        match self.0 {
            ParameterLocation::Spec(entry) => &entry.field.info,
            ParameterLocation::Loss(field) => &field.info,
            ParameterLocation::Kernel(field) => &field.info,
        }
    }

    fn applies_to(self) -> AppliesTo {
        match self.0 {
            ParameterLocation::Spec(entry) => entry.applies_to,
            ParameterLocation::Loss(_) => AppliesTo::Loss,
            ParameterLocation::Kernel(_) => AppliesTo::Kernel,
        }
    }

    /// Whether the parameter applies to a specification.
    #[must_use]
    pub fn applies(self, spec: &Spec) -> bool {
        match self.applies_to() {
            AppliesTo::All => true,
            AppliesTo::Rule(has) => has(spec.rule()),
            AppliesTo::Maintenance => spec.maintenance.has(self.info().name),
            AppliesTo::Loss => spec.loss.has(self.info().name),
            AppliesTo::Kernel => spec.kernel.has(self.info().name),
            AppliesTo::Spec(applies, _) => applies(spec),
        }
    }

    /// The choices that the parameter applies to, as text; empty if it applies to all.
    #[must_use]
    pub fn applies_with(self) -> String {
        let name = self.info().name;
        match self.applies_to() {
            AppliesTo::All => String::new(),
            AppliesTo::Rule(has) => {
                let rules = Rule::ALL.into_iter().filter(|rule| has(*rule)).map(Rule::algorithms);
                rules.collect::<Vec<_>>().join(" or ")
            }
            AppliesTo::Maintenance => {
                let has = |maintenance: Maintenance| maintenance.has(name);
                equal_to_any("maintenance", Maintenance::name, Maintenance::EVERY, has)
            }
            AppliesTo::Loss => equal_to_any("loss", Loss::name, Loss::EVERY, |loss| loss.has(name)),
            AppliesTo::Kernel => {
                equal_to_any("kernel", KernelName::name, KernelName::EVERY, |kernel| kernel.has(name))
            }
            AppliesTo::Spec(_, description) => description.to_owned(),
        }
    }

    /// The choice that decides whether the parameter applies: "rule", "maintenance", "loss", "kernel" or, for several
    /// of them, "mixed"; empty if the parameter applies to all.
    #[must_use]
    pub fn depends_on(self) -> &'static str {
        match self.applies_to() {
            AppliesTo::All => "",
            AppliesTo::Rule(_) => "rule",
            AppliesTo::Maintenance => "maintenance",
            AppliesTo::Loss => "loss",
            AppliesTo::Kernel => "kernel",
            AppliesTo::Spec(..) => "mixed",
        }
    }

    /// Whether model files contain the parameter.
    pub(crate) fn is_saved(self, spec: &Spec) -> bool {
        self.applies(spec) || SAVED_BY_EVERY_KERNEL.contains(&self.info().name)
    }

    /// The value.
    #[must_use]
    pub fn get(self, spec: &Spec) -> Value {
        match self.0 {
            ParameterLocation::Spec(entry) => (entry.field.get)(spec),
            ParameterLocation::Loss(field) => (field.get)(&spec.loss_parameters),
            ParameterLocation::Kernel(field) => (field.get)(&spec.kernel_parameters),
        }
    }

    /// Checks a value and stores it, whether the parameter applies or not.
    ///
    /// # Errors
    /// If the value is invalid.
    pub fn set(self, spec: &mut Spec, value: &Value) -> Result<()> {
        match self.0 {
            ParameterLocation::Spec(entry) => entry.field.set(spec, value),
            ParameterLocation::Loss(field) => field.set(&mut spec.loss_parameters, value),
            ParameterLocation::Kernel(field) => field.set(&mut spec.kernel_parameters, value),
        }
    }
}

impl std::fmt::Debug for Parameter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.info().fmt(f)
    }
}

/// `name = "a", "b"` with the members for which `has` is true.
fn equal_to_any<C: Copy>(
    of: &str,
    name: fn(C) -> &'static str,
    all: &[C],
    has: impl Fn(C) -> bool,
) -> String {
    let names: Vec<_> = all.iter().filter(|choice| has(**choice)).map(|choice| name(*choice)).collect();
    format!("{of} = {}", quoted(&names))
}

impl Spec {
    /// The names of the parameters that apply.
    pub fn parameters(&self) -> impl Iterator<Item = &'static str> {
        table().filter(|parameter| parameter.applies(self)).map(|parameter| parameter.info().name)
    }

    /// The value of a parameter; `None` if the name is unknown or the parameter does not apply.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Value> {
        Parameter::named(name)
            .filter(|parameter| parameter.applies(self))
            .map(|parameter| parameter.get(self))
    }

    /// Sets a parameter by name.
    ///
    /// # Errors
    /// If the name is unknown, the parameter does not apply, or the value is invalid.
    pub fn set(&mut self, name: &str, value: &Value) -> Result<()> {
        let Some(parameter) = Parameter::named(name) else {
            return Err(Error::unknown(name, &self.parameters().collect::<Vec<_>>()));
        };
        if !parameter.applies(self) {
            return Err(Error::Inapplicable {
                name: parameter.info().name,
                with: self.deciding(parameter.depends_on()),
                applies_with: parameter.applies_with(),
            });
        }
        parameter.set(self, value).map_err(|error| self.with_valid(error, value))
    }

    /// The algorithm, and the choices other than its defaults that decide whether a parameter applies, as text.
    fn deciding(&self, depends_on: &str) -> String {
        let named = if self.loss.is_regression() { Self::named_regression } else { Self::named };
        let default = named(self.algorithm).ok();
        let own = ["maintenance", "loss", "kernel"].into_iter().filter(|name| {
            let is_default = default.as_ref().is_some_and(|spec| spec.choice(name) == self.choice(name));
            (depends_on == "mixed" || depends_on == *name) && !is_default
        });
        let own = own.map(|name| self.choice(name));
        let all: Vec<_> = std::iter::once(format!("algorithm = {:?}", self.algorithm)).chain(own).collect();
        all.join(" with ")
    }

    /// The error of an invalid value, with the values that are valid for the algorithm.
    fn with_valid(&self, error: Error, value: &Value) -> Error {
        match (error, value) {
            (Error::Parameter { name: name @ "loss", got, .. }, _) => {
                let names = self.valid_names(name, self.loss.is_regression());
                match value {
                    Value::Text(text) => Error::name(name, one_of(&names), text, names),
                    _ => Error::parameter(name, one_of(&names), got),
                }
            }
            (Error::Parameter { name: name @ "budget", got, .. }, _)
                if !self.maintenance.entry().may_be_unbounded =>
            {
                let valid =
                    Parameter::named(name).map(|parameter| parameter.info().valid_values_except_none());
                Error::parameter(name, valid.unwrap_or_default(), got)
            }
            (error, _) => error,
        }
    }
}
