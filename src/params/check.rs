//! The only validation of parameters: values, and combinations.

use super::{
    ALGORITHMS, Algorithm, Average, CheckedSpec, Forget, Loss, Maintenance, MetricLearning, Parameter, Rate,
    Rule, Spec, Value, table,
};
use crate::error::{Error, Result};
use crate::kernel::KernelName;
use crate::losses::Ball;
use crate::parameter::quoted;

impl Spec {
    /// Checks every parameter and every combination.
    ///
    /// # Errors
    /// If a parameter has an invalid value, or parameters cannot be combined; the error names the first.
    pub fn check(&self) -> Result<CheckedSpec> {
        // Fields of parameters that do not apply keep their defaults.
        let mut checked = Self::named(self.algorithm)?;
        for parameter in table() {
            if parameter.is_saved(self) {
                parameter.set(&mut checked, &parameter.get(self))?;
            }
        }
        checked.check_combinations()?;
        Ok(CheckedSpec(checked))
    }

    fn check_combinations(&self) -> Result<()> {
        let rule = || format!("algorithm = {:?} ({})", self.algorithm, self.rule().name());
        let (maintenance, kernel) = (self.maintenance.entry(), self.kernel.info());
        if maintenance.merges && !kernel.merges {
            return self.refuse("kernel", self.choice("maintenance"), kernels(|kernel| kernel.info().merges));
        }
        if !kernel.is_psd && (maintenance.needs_psd_kernel || self.rule().needs_psd_kernel()) {
            let with = if maintenance.needs_psd_kernel { self.choice("maintenance") } else { rule() };
            return self.refuse("kernel", with, kernels(|kernel| kernel.info().is_psd));
        }
        if !self.loss.is_valid_for(self.rule()) {
            let valid = self.valid_names("loss", self.loss.is_regression());
            return self.refuse("loss", rule(), quoted(&valid));
        }
        if self.project_to_ball && !self.loss.has_ball() {
            return self.refuse("project_to_ball", self.choice("loss"), "False");
        }
        if self.project_to_ball && self.loss.entry().ball == Some(Ball::LargestTarget) && self.alpha > 1.0 {
            let with = format!("project_to_ball = True and {}", self.choice("loss"));
            return self.refuse("alpha", with, "at most 1");
        }
        if !self.allows(self.maintenance) {
            let with = if maintenance.needs_margins { self.choice("loss") } else { rule() };
            return self.refuse("maintenance", with, maintenances(|other| self.allows(other)));
        }
        if self.rule() == Rule::Ogd && self.eta0 * self.alpha > 0.99 {
            let valid = format!("at most {}", Value::Float(0.99 / self.eta0));
            return self.refuse("alpha", self.choice("eta0"), valid);
        }
        if self.forget == Forget::Auto && self.average != Average::Polynomial {
            return self.refuse("average", self.choice("forget"), "\"polynomial\" (or forget = None)");
        }
        self.check_metric_and_linear()?;
        self.check_rate()?;
        match self.budget {
            Some(_) if self.maintenance == Maintenance::None => {
                let valid = "None (unbounded), or another maintenance, such as \"merge\"";
                self.refuse("budget", self.choice("maintenance"), valid)
            }
            None if !maintenance.may_be_unbounded => {
                let unbounded = maintenances(|other| other.entry().may_be_unbounded && self.allows(other));
                let valid = valid_values_except_none("budget");
                let valid = format!("{valid} (None needs maintenance = {unbounded})");
                self.refuse("budget", self.choice("maintenance"), valid)
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Checks the combinations of a learned metric or a linear term with the other choices.
    fn check_metric_and_linear(&self) -> Result<()> {
        let has_metric = self.metric_learning != MetricLearning::None;
        if !has_metric && self.linear_weight.is_none() {
            return Ok(());
        }
        let with = self.choice(if has_metric { "metric_learning" } else { "linear_weight" });
        if has_metric && !self.kernel.info().merges {
            return self.refuse("kernel", with, kernels(|kernel| kernel.info().merges));
        }
        if !self.maintenance.entry().allows_metric_and_linear {
            let valid = maintenances(|other| other.entry().allows_metric_and_linear && self.allows(other));
            return self.refuse("maintenance", with, valid);
        }
        if self.project_to_ball {
            return self.refuse("project_to_ball", with, "False");
        }
        if self.average == Average::Random {
            return self.refuse("average", with, "\"polynomial\", True, False, or a number from 0.001 to 1");
        }
        Ok(())
    }

    /// Checks the rate: whether the algorithm requires one, and what it can be combined with.
    fn check_rate(&self) -> Result<()> {
        let supports_rate = self.maintenance.entry().supports_rate;
        let Some(rate) = self.rate else {
            let requires = |a: &Algorithm| a.name == self.algorithm && a.requires_rate;
            if supports_rate && ALGORITHMS.iter().any(requires) {
                let valid = valid_values_except_none("rate");
                let expected = format!("{valid} (algorithm = {:?} has no default)", self.algorithm);
                return Err(Error::parameter("rate", expected, "None"));
            }
            return match self.max_size {
                Some(_) => self.refuse("max_size", self.choice("rate"), "None"),
                None => Ok(()),
            };
        };
        if !supports_rate {
            let valid = maintenances(|other| other.entry().supports_rate);
            return self.refuse("maintenance", self.choice("rate"), valid);
        }
        if rate == Rate::Auto && self.stream_length.is_none() {
            let valid = "the number of rows of the stream (or rate = a number)";
            return self.refuse("stream_length", self.choice("rate"), valid);
        }
        match (self.max_size, self.budget) {
            (Some(size), Some(budget)) if size < budget => {
                self.refuse("max_size", self.choice("budget"), format!("integers >= {budget}"))
            }
            _ => Ok(()),
        }
    }

    /// The value of a parameter.
    fn value_of(&self, name: &str) -> Value {
        Parameter::named(name).map_or(Value::None, |parameter| parameter.get(self))
    }

    /// A parameter with its value, for messages.
    pub(super) fn choice(&self, name: &str) -> String {
        format!("{name} = {}", self.value_of(name))
    }

    /// The error that the value of a parameter cannot be combined with another choice.
    fn refuse(&self, name: &'static str, with: String, valid: impl Into<String>) -> Result<()> {
        Err(Error::Combination { name, got: self.value_of(name).to_string(), with, valid: valid.into() })
    }

    /// The valid names of a choice ("maintenance", "loss" or "kernel") with the rule, in classification or regression.
    /// Other parameters have none.
    #[must_use]
    pub fn valid_names(&self, choice: &str, regression: bool) -> Vec<&'static str> {
        let rule = self.rule();
        let loss = rule.losses().into_iter().find(|loss| loss.is_regression() == regression);
        let spec = Self { loss: loss.unwrap_or(self.loss), ..self.clone() };
        match choice {
            "maintenance" => {
                let valid = Maintenance::ALL.into_iter().filter(|maintenance| spec.allows(*maintenance));
                valid.map(Maintenance::name).collect()
            }
            "loss" => {
                let valid = rule.losses().into_iter().filter(|loss| loss.is_regression() == regression);
                valid.map(Loss::name).collect()
            }
            "kernel" => {
                let valid = KernelName::ALL.into_iter();
                let valid = valid.filter(|kernel| kernel.info().is_psd || !rule.needs_psd_kernel());
                valid.map(KernelName::name).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether a strategy can be combined with the rule and the loss.
    fn allows(&self, maintenance: Maintenance) -> bool {
        let rule = maintenance.entry().rule.is_none_or(|rule| rule == self.rule());
        rule && !(maintenance.entry().needs_margins && self.loss.is_regression())
    }

    /// The number of neighbours, with the default of the strategy; 0 if the strategy uses none.
    pub(crate) fn effective_neighbors(&self) -> usize {
        self.n_neighbors.or(self.maintenance.entry().default_neighbors).unwrap_or(0)
    }

    /// NBSGD's beta; `None` without a rate.
    pub(crate) fn nbsgd_beta(&self) -> Option<f64> {
        self.rate.map(|rate| match rate {
            Rate::Value(beta) => beta,
            Rate::Auto => 0.6 * self.stream_length.unwrap_or(1) as f64,
        })
    }

    /// The required margin, with its default (beta in Crammer, Kandola and Singer 2003).
    pub(crate) fn effective_margin(&self) -> f64 {
        let positive = self.rule() == Rule::Mira || self.maintenance.entry().needs_margins;
        self.margin.unwrap_or(if positive { 0.01 } else { 0.0 })
    }
}

/// The names, for messages, of the kernels for which `has` is true.
fn kernels(has: impl Fn(KernelName) -> bool) -> String {
    let names: Vec<_> =
        KernelName::ALL.into_iter().filter(|kernel| has(*kernel)).map(KernelName::name).collect();
    quoted(&names)
}

/// The names, for messages, of the strategies for which `has` is true.
fn maintenances(has: impl Fn(Maintenance) -> bool) -> String {
    let names: Vec<_> =
        Maintenance::ALL.into_iter().filter(|other| has(*other)).map(Maintenance::name).collect();
    quoted(&names)
}

/// The valid values of a parameter except None, as text.
fn valid_values_except_none(name: &str) -> String {
    Parameter::named(name).map_or(String::new(), |parameter| parameter.info().valid_values_except_none())
}
