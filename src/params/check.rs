//! The only validation of parameters: values, and what goes together.

use super::{
    ALGORITHMS, Algorithm, Average, CheckedSpec, Forget, Loss, Maintenance, Metric, Parameter, Rate, Rule,
    Spec, Value, table,
};
use crate::error::{Error, Result};
use crate::kernel::KernelName;
use crate::losses::Ball;
use crate::parameter::quoted;

impl Spec {
    /// Checks every parameter and every combination.
    ///
    /// # Errors
    /// The first parameter outside its legal values, or the first combination that is not legal.
    pub fn check(&self) -> Result<CheckedSpec> {
        // Fields that are no parameters of the algorithm stay out of it.
        let mut own = Self::named(self.algorithm)?;
        for parameter in table() {
            if parameter.is_saved(self) {
                parameter.set(&mut own, &parameter.get(self))?;
            }
        }
        own.check_pairs()?;
        Ok(CheckedSpec(own))
    }

    fn check_pairs(&self) -> Result<()> {
        let combination = |name, got: &str, with: String, legal: &str| {
            Err(Error::Combination { name, got: got.into(), with, legal: legal.into() })
        };
        let maintenance = || format!("maintenance = {:?}", self.maintenance.name());
        let kernel = || format!("{:?}", self.kernel.name());
        if self.maintenance.merges() && !self.kernel.row().merges {
            return combination("kernel", &kernel(), maintenance(), &kernels(|kernel| kernel.row().merges));
        }
        let rule = || format!("algorithm = {:?} ({})", self.algorithm, self.rule().name());
        let measures = self.maintenance.needs_definite();
        if !self.kernel.row().definite && (measures || self.rule().needs_psd_kernel()) {
            let with = if measures { maintenance() } else { rule() };
            return combination("kernel", &kernel(), with, &kernels(|kernel| kernel.row().definite));
        }
        let loss = || format!("loss = {:?}", self.loss.name());
        if !self.loss.is_valid_for(self.rule()) {
            let legal: Vec<_> = self.rule().losses().into_iter().map(Loss::name).collect();
            return combination("loss", &format!("{:?}", self.loss.name()), rule(), &quoted(&legal));
        }
        if self.ball && !self.loss.has_ball() {
            return combination("ball", "true", loss(), "false");
        }
        if self.ball && self.loss.entry().ball == Some(Ball::LargestTarget) && self.alpha > 1.0 {
            let with = format!("ball = true and {}", loss());
            return combination("alpha", &Value::Float(self.alpha).to_string(), with, "at most 1");
        }
        if !self.goes_with(self.maintenance) {
            let got = format!("{:?}", self.maintenance.name());
            let with = if self.maintenance.asks_margins() { loss() } else { rule() };
            return combination("maintenance", &got, with, &maintenances(|other| self.goes_with(other)));
        }
        if self.rule() == Rule::Ogd && self.eta0 * self.alpha > 0.99 {
            let legal = format!("at most {}", Value::Float(0.99 / self.eta0));
            let with = format!("eta0 = {}", Value::Float(self.eta0));
            return combination("alpha", &Value::Float(self.alpha).to_string(), with, &legal);
        }
        if self.forget == Forget::Auto && self.average != Average::Late {
            let average = Parameter::named("average").map_or(Value::None, |average| average.get(self));
            let with = "forget = \"auto\"".to_owned();
            return combination("average", &average.to_string(), with, "\"late\" (or forget = None)");
        }
        self.check_parts()?;
        self.check_rate()?;
        match self.budget {
            Some(budget) if self.maintenance == Maintenance::None => {
                combination("budget", &budget.to_string(), maintenance(), "None (unbounded)")
            }
            None if !self.maintenance.may_be_unbounded() => {
                let unbounded = maintenances(|other| other.may_be_unbounded() && self.goes_with(other));
                let legal =
                    format!("{} (unbounded is for maintenance = {unbounded})", legal_but_none("budget"));
                combination("budget", "None", maintenance(), &legal)
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Whether a learned metric and a linear part go with everything else.
    fn check_parts(&self) -> Result<()> {
        let combination = |name, got: String, with: &str, legal: String| {
            Err(Error::Combination { name, got, with: with.to_owned(), legal })
        };
        let parts = [("metric", self.metric != Metric::None), ("linear", self.linear.is_some())];
        let Some((part, _)) = parts.into_iter().find(|(_, there)| *there) else { return Ok(()) };
        let with = format!("{part} = {}", Parameter::named(part).map_or(Value::None, |part| part.get(self)));
        if self.metric != Metric::None && !self.kernel.row().merges {
            let legal = kernels(|kernel| kernel.row().merges);
            return combination("kernel", format!("{:?}", self.kernel.name()), &with, legal);
        }
        if !self.maintenance.is_free() {
            let legal = maintenances(|other| other.is_free() && self.goes_with(other));
            return combination("maintenance", format!("{:?}", self.maintenance.name()), &with, legal);
        }
        if self.ball {
            return combination("ball", "true".into(), &with, "false".into());
        }
        if self.average == Average::Random {
            return combination("average", "\"random\"".into(), &with, "any other".into());
        }
        Ok(())
    }

    /// Whether there is a rate where the name asks for one, and what it needs.
    fn check_rate(&self) -> Result<()> {
        let combination = |name, got: &dyn std::fmt::Display, with: &str, legal: String| {
            Err(Error::Combination { name, got: got.to_string(), with: with.into(), legal })
        };
        let Some(rate) = self.rate else {
            let asks = |a: &Algorithm| a.name == self.algorithm && a.asks_rate;
            if self.maintenance.takes_rate() && ALGORITHMS.iter().any(asks) {
                let legal = legal_but_none("rate");
                let expected = format!("{legal} (algorithm = {:?} has none by itself)", self.algorithm);
                return Err(Error::parameter("rate", expected, "None"));
            }
            return match self.max_size {
                Some(size) => combination("max_size", &size, "rate = None", "None".into()),
                None => Ok(()),
            };
        };
        if !self.maintenance.takes_rate() {
            let (got, with) = (format!("{:?}", self.maintenance.name()), Parameter::named("rate"));
            let with = format!("rate = {}", with.map_or(Value::None, |rate| rate.get(self)));
            return combination("maintenance", &got, &with, maintenances(Maintenance::takes_rate));
        }
        if rate == Rate::Auto && self.stream_length.is_none() {
            let legal = "the number of rows there will be (or rate = a number)".into();
            return combination("stream_length", &"None", "rate = \"auto\"", legal);
        }
        match (self.max_size, self.budget) {
            (Some(size), Some(budget)) if size < budget => combination(
                "max_size",
                &size,
                &format!("budget = {budget}"),
                format!("integers from {budget} on"),
            ),
            _ => Ok(()),
        }
    }

    /// The names that a choice ("maintenance", "loss" or "kernel") may have with the rule, in classification or in
    /// regression; of another parameter there are none.
    #[must_use]
    pub fn legal_names(&self, choice: &str, regression: bool) -> Vec<&'static str> {
        let rule = self.rule();
        let loss = rule.losses().into_iter().find(|loss| loss.is_regression() == regression);
        let spec = Self { loss: loss.unwrap_or(self.loss), ..self.clone() };
        match choice {
            "maintenance" => {
                let legal = Maintenance::ALL.into_iter().filter(|maintenance| spec.goes_with(*maintenance));
                legal.map(Maintenance::name).collect()
            }
            "loss" => {
                let legal = rule.losses().into_iter().filter(|loss| loss.is_regression() == regression);
                legal.map(Loss::name).collect()
            }
            "kernel" => {
                let legal = KernelName::ALL.into_iter();
                let legal = legal.filter(|kernel| kernel.row().definite || !rule.needs_psd_kernel());
                legal.map(KernelName::name).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether a strategy is legal with the rule and the loss.
    fn goes_with(&self, maintenance: Maintenance) -> bool {
        let rule = maintenance.rule().is_none_or(|rule| rule == self.rule());
        rule && !(maintenance.asks_margins() && self.loss.is_regression())
    }

    /// The number of neighbours in force; 0 where there are none to ask for.
    pub(crate) fn neighbors(&self) -> usize {
        self.n_neighbors.or(self.maintenance.neighbors()).unwrap_or(0)
    }

    /// NBSGD's beta, where there is a rate.
    pub(crate) fn beta_of_rate(&self) -> Option<f64> {
        self.rate.map(|rate| match rate {
            Rate::Value(beta) => beta,
            Rate::Auto => 0.6 * self.stream_length.unwrap_or(1) as f64,
        })
    }

    /// The margin in force.
    pub(crate) fn beta(&self) -> f64 {
        let wide = self.rule() == Rule::Mira || self.maintenance.asks_margins();
        self.margin.unwrap_or(if wide { 0.01 } else { 0.0 })
    }
}

/// The names of the kernels that have something, as messages list them.
fn kernels(has: impl Fn(KernelName) -> bool) -> String {
    let names: Vec<_> =
        KernelName::ALL.into_iter().filter(|kernel| has(*kernel)).map(KernelName::name).collect();
    quoted(&names)
}

/// The same of strategies.
fn maintenances(has: impl Fn(Maintenance) -> bool) -> String {
    let names: Vec<_> =
        Maintenance::ALL.into_iter().filter(|other| has(*other)).map(Maintenance::name).collect();
    quoted(&names)
}

/// The legal values of a parameter that must have one.
fn legal_but_none(name: &str) -> String {
    Parameter::named(name).map_or(String::new(), |parameter| parameter.row().legal_but_none())
}
