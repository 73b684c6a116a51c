//! The table of all parameters: get, set, and who applies.

use super::rows::{OWN, Own, When};
use super::{Maintenance, Spec};
use crate::error::{Error, Result};
use crate::kernel::{KERNEL_PARAMETERS, KernelName, KernelParameters, SAVED_BY_EVERY_KERNEL};
use crate::losses::{LOSS_PARAMETERS, Loss, LossParameters, Rule};
use crate::parameter::{Field, Named, Row, Value, quoted};

/// A parameter: its row, and how it is read and written.
#[derive(Clone, Copy)]
pub struct Parameter(At);

#[derive(Clone, Copy)]
enum At {
    Spec(&'static Own),
    Loss(&'static Field<LossParameters>),
    Kernel(&'static Field<KernelParameters>),
}

/// Every parameter. What decides whether others apply comes before them.
pub fn table() -> impl Iterator<Item = Parameter> {
    OWN.iter().flat_map(|own| {
        let name = own.1.row.name;
        let losses = LOSS_PARAMETERS.iter().filter(move |_| name == "loss").map(At::Loss);
        let kernels = KERNEL_PARAMETERS.iter().filter(move |_| name == "gamma").map(At::Kernel);
        std::iter::once(At::Spec(own)).chain(losses).chain(kernels).map(Parameter)
    })
}

impl Parameter {
    /// The parameter of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        table().find(|parameter| parameter.row().name == name)
    }

    /// What is written of it.
    #[must_use]
    pub fn row(self) -> &'static Row {
        match self.0 {
            At::Spec(Own(_, field)) => &field.row,
            At::Loss(field) => &field.row,
            At::Kernel(field) => &field.row,
        }
    }

    fn when(self) -> When {
        match self.0 {
            At::Spec(Own(when, _)) => *when,
            At::Loss(_) => When::Loss,
            At::Kernel(_) => When::Kernel,
        }
    }

    /// Whether it means something beside the other choices.
    #[must_use]
    pub fn applies(self, spec: &Spec) -> bool {
        match self.when() {
            When::Always => true,
            When::Rule(has) => has(spec.rule()),
            When::Maintenance(has) => has(spec.maintenance),
            When::Loss => spec.loss.has(self.row().name),
            When::Kernel => spec.kernel.has(self.row().name),
            When::Mixed(applies, _) => applies(spec),
        }
    }

    /// When it applies, in words; empty where it always does.
    #[must_use]
    pub fn applies_with(self) -> String {
        let name = self.row().name;
        match self.when() {
            When::Always => String::new(),
            When::Rule(has) => {
                let rules = Rule::ALL.into_iter().filter(|rule| has(*rule)).map(Rule::name);
                rules.collect::<Vec<_>>().join(" or ")
            }
            When::Maintenance(has) => choices("maintenance", Maintenance::name, Maintenance::EVERY, has),
            When::Loss => choices("loss", Loss::name, Loss::EVERY, |loss| loss.has(name)),
            When::Kernel => choices("kernel", KernelName::name, KernelName::EVERY, |kernel| kernel.has(name)),
            When::Mixed(_, words) => words.to_owned(),
        }
    }

    /// What decides whether it applies: "rule", "maintenance", "loss", "kernel", or words of its own; empty where
    /// nothing does.
    #[must_use]
    pub fn depends_on(self) -> &'static str {
        match self.when() {
            When::Always => "",
            When::Rule(_) => "rule",
            When::Maintenance(_) => "maintenance",
            When::Loss => "loss",
            When::Kernel => "kernel",
            When::Mixed(..) => "mixed",
        }
    }

    /// Whether model files hold it.
    pub(crate) fn is_saved(self, spec: &Spec) -> bool {
        self.applies(spec) || SAVED_BY_EVERY_KERNEL.contains(&self.row().name)
    }

    /// Its value.
    #[must_use]
    pub fn get(self, spec: &Spec) -> Value {
        match self.0 {
            At::Spec(Own(_, field)) => (field.get)(spec),
            At::Loss(field) => (field.get)(&spec.loss_parameters),
            At::Kernel(field) => (field.get)(&spec.kernel_parameters),
        }
    }

    /// Checks a value and stores it, whether the parameter applies or not.
    ///
    /// # Errors
    /// When the value is not legal.
    pub fn set(self, spec: &mut Spec, value: &Value) -> Result<()> {
        match self.0 {
            At::Spec(Own(_, field)) => field.set(spec, value),
            At::Loss(field) => field.set(&mut spec.loss_parameters, value),
            At::Kernel(field) => field.set(&mut spec.kernel_parameters, value),
        }
    }
}

impl std::fmt::Debug for Parameter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.row().fmt(f)
    }
}

/// `name = "a", "b"` with the choices that have something.
fn choices<C: Copy>(of: &str, name: fn(C) -> &'static str, all: &[C], has: impl Fn(C) -> bool) -> String {
    let names: Vec<_> = all.iter().filter(|choice| has(**choice)).map(|choice| name(*choice)).collect();
    format!("{of} = {}", quoted(&names))
}

impl Spec {
    /// The parameters that apply beside algorithm, maintenance, loss and kernel.
    pub fn parameters(&self) -> impl Iterator<Item = &'static str> {
        table().filter(|parameter| parameter.applies(self)).map(|parameter| parameter.row().name)
    }

    /// The value of a parameter; `None` where there is none of that name that applies.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Value> {
        Parameter::named(name)
            .filter(|parameter| parameter.applies(self))
            .map(|parameter| parameter.get(self))
    }

    /// Sets a parameter by name.
    ///
    /// # Errors
    /// When there is no parameter of that name, it does not apply, or the value is not legal.
    pub fn set(&mut self, name: &str, value: &Value) -> Result<()> {
        let Some(parameter) = Parameter::named(name) else {
            return Err(Error::unknown(name, &self.parameters().collect::<Vec<_>>()));
        };
        if !parameter.applies(self) {
            return Err(Error::Inapplicable {
                name: parameter.row().name,
                with: self.choices(),
                applies_with: parameter.applies_with(),
                known: self.known(),
            });
        }
        parameter.set(self, value)
    }

    fn known(&self) -> String {
        self.parameters().collect::<Vec<_>>().join(", ")
    }

    /// The choices that say which parameters apply.
    fn choices(&self) -> String {
        format!(
            "algorithm = {:?} with maintenance = {:?}, loss = {:?} and kernel = {:?}",
            self.algorithm,
            self.maintenance.name(),
            self.loss.name(),
            self.kernel.name()
        )
    }
}
