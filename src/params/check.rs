//! The only validation of parameters: values, and what goes together.

use super::legal::{
    ALPHA, AVERAGE, BUDGET, C, CLIP, COEF0, DEGREE, DELTA, EPSILON, ETA, ETA0, GAMMA, GRAD_TOL, MARGIN,
    MAX_SIZE, QUANTILE, RATE, STREAM_LENGTH,
};
use super::{
    ALGORITHMS, Algorithm, Average, CheckedSpec, Gamma, KernelName, Loss, Maintenance, PARAMETERS, Rate,
    Rule, Spec, Value,
};
use crate::error::{Error, Result};

/// The largest budget: slots are counted in 32 bits.
const MAX_BUDGET: usize = 1 << 24;
/// The least width of a kernel.
pub(crate) const MIN_GAMMA: f64 = 1e-30;
/// The largest.
pub(crate) const MAX_GAMMA: f64 = 1e30;

impl Spec {
    /// Checks every parameter and every combination.
    ///
    /// # Errors
    /// The first parameter outside its legal values, or the first combination that is not legal.
    pub fn check(&self) -> Result<CheckedSpec> {
        // Fields that are no parameters of the algorithm stay out of it.
        let mut own = Self::named(self.algorithm)?;
        for name in PARAMETERS {
            if let Some(value) = self.get(name) {
                own.set(name, &value)?;
            }
        }
        own.check_values()?;
        own.check_pairs()?;
        Ok(CheckedSpec(own))
    }

    fn check_values(&self) -> Result<()> {
        let legal = |name, expected: &'static str, got: &dyn std::fmt::Display, is_legal: bool| {
            if is_legal { Ok(()) } else { Err(Error::parameter(name, expected, got)) }
        };
        let budget = self.budget.unwrap_or(1);
        legal("budget", BUDGET, &budget, (1..=MAX_BUDGET).contains(&budget))?;
        if let Some(Rate::Value(rate)) = self.rate {
            legal("rate", RATE, &Value::Float(rate), rate > 0.0 && rate.is_finite())?;
        }
        let max_size = self.max_size.unwrap_or(1);
        legal("max_size", MAX_SIZE, &max_size, (1..=MAX_BUDGET).contains(&max_size))?;
        let length = self.stream_length.unwrap_or(1);
        legal("stream_length", STREAM_LENGTH, &length, (1..=1 << 53).contains(&length))?;
        if let Average::Suffix(gamma) = self.average {
            legal("average", AVERAGE, &Value::Float(gamma), (1e-3..=1.0).contains(&gamma))?;
        }
        legal("alpha", ALPHA, &Value::Float(self.alpha), (1e-20..=1e20).contains(&self.alpha))?;
        legal("C", C, &Value::Float(self.c), (1e-20..=1e15).contains(&self.c))?;
        legal("delta", DELTA, &Value::Float(self.delta), (1e-15..=1e15).contains(&self.delta))?;
        let inside = self.quantile > 0.0 && self.quantile < 1.0;
        legal("quantile", QUANTILE, &Value::Float(self.quantile), inside)?;
        legal("grad_tol", GRAD_TOL, &Value::Float(self.grad_tol), (0.0..=1.0).contains(&self.grad_tol))?;
        let margin = self.beta();
        legal("margin", MARGIN, &Value::Float(margin), (0.0..=1e6).contains(&margin))?;
        legal("eta", ETA, &Value::Float(self.eta), (0.0..=1e15).contains(&self.eta))?;
        legal("eta0", ETA0, &Value::Float(self.eta0), (1e-10..=1e3).contains(&self.eta0))?;
        legal("clip", CLIP, &Value::Float(self.clip), (1.0..=1e6).contains(&self.clip))?;
        legal("epsilon", EPSILON, &Value::Float(self.epsilon), (0.0..=1e15).contains(&self.epsilon))?;
        if let Gamma::Value(gamma) = self.gamma {
            legal("gamma", GAMMA, &Value::Float(gamma), (MIN_GAMMA..=MAX_GAMMA).contains(&gamma))?;
        }
        legal("degree", DEGREE, &self.degree, (1..=100).contains(&self.degree))?;
        legal("coef0", COEF0, &Value::Float(self.coef0), self.coef0.is_finite() && self.coef0 >= 0.0)
    }

    fn check_pairs(&self) -> Result<()> {
        let combination = |name, got: &str, with: String, legal: &str| {
            Err(Error::Combination { name, got: got.into(), with, legal: legal.into() })
        };
        let maintenance = || format!("maintenance = {:?}", self.maintenance.name());
        if self.maintenance == Maintenance::Merge && self.kernel != KernelName::Rbf {
            return combination("kernel", &format!("{:?}", self.kernel.name()), maintenance(), "\"rbf\"");
        }
        let rule = || format!("algorithm = {:?} ({})", self.algorithm, self.rule().name());
        let measures = self.maintenance.needs_definite();
        if self.kernel == KernelName::Sigmoid && (measures || self.rule().needs_definite()) {
            let legal = KernelName::ALL.iter().filter(|k| **k != KernelName::Sigmoid);
            let legal: Vec<_> = legal.map(|k| format!("{:?}", k.name())).collect();
            let with = if measures { maintenance() } else { rule() };
            return combination("kernel", "\"sigmoid\"", with, &legal.join(", "));
        }
        if !self.rule().losses().contains(&self.loss) {
            let legal: Vec<_> =
                self.rule().losses().iter().map(|loss| format!("{:?}", loss.name())).collect();
            return combination("loss", &format!("{:?}", self.loss.name()), rule(), &legal.join(", "));
        }
        if self.ball && !self.loss.has_ball() {
            let with = format!("loss = {:?}", self.loss.name());
            return combination("ball", "true", with, "false");
        }
        if self.ball && self.loss == Loss::SquaredError && self.alpha > 1.0 {
            let with = format!("ball = true and loss = {:?}", self.loss.name());
            return combination("alpha", &Value::Float(self.alpha).to_string(), with, "at most 1");
        }
        if !self.goes_with(self.maintenance) {
            let legal = Maintenance::ALL.into_iter().filter(|m| self.goes_with(*m));
            let legal: Vec<_> = legal.map(|m| format!("{:?}", m.name())).collect();
            let got = format!("{:?}", self.maintenance.name());
            let loss = || format!("loss = {:?}", self.loss.name());
            let with = if self.maintenance.asks_margins() { loss() } else { rule() };
            return combination("maintenance", &got, with, &legal.join(", "));
        }
        if self.rule() == Rule::Ogd && self.eta0 * self.alpha > 0.99 {
            let legal = format!("at most {}", Value::Float(0.99 / self.eta0));
            let with = format!("eta0 = {}", Value::Float(self.eta0));
            return combination("alpha", &Value::Float(self.alpha).to_string(), with, &legal);
        }
        self.check_rate()?;
        match (self.maintenance, self.budget) {
            (Maintenance::None, Some(budget)) => {
                combination("budget", &budget.to_string(), maintenance(), "None (unbounded)")
            }
            (maintain, None) if !maintain.may_be_unbounded() => {
                let unbounded = Maintenance::ALL.into_iter().filter(|m| m.may_be_unbounded());
                let unbounded: Vec<_> =
                    unbounded.filter(|m| self.goes_with(*m)).map(|m| format!("{:?}", m.name())).collect();
                let legal = format!(
                    "an integer from 1 to 16777216 (unbounded is for maintenance = {})",
                    unbounded.join(", ")
                );
                combination("budget", "None", maintenance(), &legal)
            }
            _ => Ok(()),
        }
    }

    /// Whether there is a rate where the name asks for one, and what it needs.
    fn check_rate(&self) -> Result<()> {
        let combination = |name, got: &dyn std::fmt::Display, with: &str, legal: String| {
            Err(Error::Combination { name, got: got.to_string(), with: with.into(), legal })
        };
        let Some(rate) = self.rate else {
            let asks = |a: &Algorithm| a.name == self.algorithm && a.asks_rate;
            if self.maintenance.takes_rate() && ALGORITHMS.iter().any(asks) {
                let expected = format!(
                    "a number > 0, or \"auto\" (algorithm = {:?} has none by itself)",
                    self.algorithm
                );
                return Err(Error::parameter("rate", expected, "None"));
            }
            return match self.max_size {
                Some(size) => combination("max_size", &size, "rate = None", "None".into()),
                None => Ok(()),
            };
        };
        if !self.maintenance.takes_rate() {
            let legal = Maintenance::ALL.into_iter().filter(|m| m.takes_rate());
            let legal: Vec<_> = legal.map(|m| format!("{:?}", m.name())).collect();
            let got = format!("{:?}", self.maintenance.name());
            return combination("maintenance", &got, &format!("rate = {}", rate.value()), legal.join(", "));
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

    /// Whether a strategy is legal with the rule and the loss.
    fn goes_with(&self, maintenance: Maintenance) -> bool {
        let rule = maintenance.rule().is_none_or(|rule| rule == self.rule());
        rule && !(maintenance.asks_margins() && self.loss.predicts_numbers())
    }

    /// The number of neighbours in force.
    pub(super) fn neighbors(&self) -> usize {
        self.n_neighbors.unwrap_or(if self.maintenance == Maintenance::ProjectNn { 4 } else { 1 })
    }

    /// NBSGD's beta, where there is a rate.
    pub(super) fn beta_of_rate(&self) -> Option<f64> {
        self.rate.map(|rate| match rate {
            Rate::Value(beta) => beta,
            Rate::Auto => 0.6 * self.stream_length.unwrap_or(1) as f64,
        })
    }

    /// The margin in force.
    pub(super) fn beta(&self) -> f64 {
        let wide = self.rule() == Rule::Mira || self.maintenance.asks_margins();
        self.margin.unwrap_or(if wide { 0.01 } else { 0.0 })
    }
}
