//! A learner in a model file: a resumed run continues bit for bit.

use super::gamma::LAST_GAMMA_ROW;
use super::scaling::FARTHEST;
use super::{Counts, FixedScaler, GammaRule, Learner, Moments, Scaler};
use crate::error::{Error, Result};
use crate::float::Real;
use crate::kernel::GAMMA_RANGE;
use crate::label::Task;
use crate::metric::Metric;
use crate::params::{CheckedSpec, Gamma};
use crate::persist::{Persist, Tensors};
use crate::rng::Rng;

fn refused(reason: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::Model(reason.into())
}

impl<T: Real> Learner<T> {
    /// Writes everything that later behaviour depends on, but for the parameters.
    pub(crate) fn save(&self, out: &mut Tensors) {
        out.set("features", self.n_features());
        if let Some(hashing) = &self.hashing {
            out.set("columns", hashing.columns);
        }
        out.set("classes", self.task.classes());
        out.set("generator", self.rng.state());
        if self.frozen {
            out.set("settled", true);
        }
        if let Some(gamma) = self.kernel.gamma() {
            out.set("gamma", gamma);
        }
        if let GammaRule::Running(_, moments) = &self.gamma {
            moments.save(out.scope_mut("moments"));
        }
        match &self.scaling {
            None => {}
            Some(Scaler::Fixed(scaling)) => {
                let scope = out.scope_mut("scaling");
                scope.put("factor", &[scaling.factor.len()], scaling.factor.iter().copied());
                scope.put("shift", &[scaling.shift.len()], scaling.shift.iter().copied());
                scope.put("centre", &[scaling.centre.len()], scaling.centre.iter().copied());
            }
            Some(Scaler::Running(scaling) | Scaler::Frozen(scaling)) => {
                scaling.save(out.scope_mut("scaling"));
            }
        }
        if let Some(metric) = &self.metric {
            metric.save(out.scope_mut("metric"));
        }
        if let Some(inclination) = &self.inclination {
            inclination.save(out.scope_mut("inclination"));
        }
        self.update.save(out.scope_mut("update"));
        self.maintain.save(out.scope_mut("maintenance"));
        let counts = out.scope_mut("counts");
        counts.set("seen", self.counts.n_seen);
        counts.set("updates", self.counts.updates);
        counts.set("mistakes", self.counts.mistakes);
        counts.set("maintenances", self.counts.maintenances);
        counts.set("queries", self.counts.queries);
        counts.set("absolute_error", self.counts.absolute_error);
        counts.set("squared_error", self.counts.squared_error);
        counts.set("gradient_error", self.counts.gradient_error);
        if let Some(balance) = &self.balance {
            balance.save(out.scope_mut("balance"));
        }
        self.store.save(out.scope_mut("store"));
        if let Some(averaging) = &self.averaging {
            averaging.save(out.scope_mut("average"));
        }
        if let Some(serving) = &self.serving {
            serving.save(out.scope_mut("serving"));
        }
    }

    /// Reads what [`Learner::save`] wrote.
    pub(crate) fn load(spec: &CheckedSpec, from: &Tensors) -> Result<Self> {
        let (features, classes) = (from.usize("features")?, from.usize("classes")?);
        let task = if classes == 0 { Task::Regression } else { Task::Classes(classes) };
        // Before anything of that size is made.
        let store = from.scope("store")?;
        let [slots] = store.shape("labels")?;
        if store.shape("vectors")? != [slots, features] {
            return Err(refused("the support vectors do not have the features of the model"));
        }
        let mut learner: Self = spec.build(features, task)?;
        if learner.n_features() != features {
            return Err(refused("the features are not those that columns are folded into"));
        }
        if let Some(hashing) = &mut learner.hashing {
            hashing.columns = from.usize("columns")?;
        }
        learner.rng = Rng::new(from.u64("generator")?);
        learner.frozen = from.contains("settled");
        if learner.frozen {
            learner.gamma = GammaRule::Fixed;
        }
        if learner.kernel.gamma().is_some() {
            let gamma = from.finite("gamma")?;
            if !GAMMA_RANGE.contains(gamma) {
                return Err(refused(format!("gamma must be {GAMMA_RANGE}, got {gamma}")));
            }
            if learner.gamma == GammaRule::Fixed && !learner.frozen && !learner.may_have(gamma) {
                return Err(refused("gamma is another than that of the parameters"));
            }
            learner.kernel = learner.kernel.with_gamma(gamma);
        }
        learner.counts = load_counts(from.scope("counts")?)?;
        if let Some(balance) = &mut learner.balance {
            balance.load(from.scope("balance")?, learner.counts.n_seen)?;
        }
        if let GammaRule::Running(_, moments) = &mut learner.gamma {
            *moments = Moments::load(from.scope("moments")?, features)?;
            if moments.rows != learner.counts.n_seen.min(LAST_GAMMA_ROW) {
                return Err(refused("the rows of gamma are not those that were seen"));
            }
        }
        if let Some(Scaler::Running(mut scaling)) = learner.scaling.take() {
            let seen = (!learner.frozen).then_some(learner.counts.n_seen);
            scaling.load(from.scope("scaling")?, seen)?;
            let load = if learner.frozen { Scaler::Frozen } else { Scaler::Running };
            learner.scaling = Some(load(scaling));
        } else if from.contains("scaling") {
            learner.scaling = Some(Scaler::Fixed(learner.load_scaling(from.scope("scaling")?)?));
        }
        // What it had when it had few features.
        if let Some(whole) = learner.spec.spec().metric.max_matrix_features(1) {
            learner.metric = Some(Metric::load(from.scope("metric")?, whole, features)?);
        }
        if let Some(inclination) = &mut learner.inclination {
            inclination.load(from.scope("inclination")?)?;
        }
        learner.update.load(from.scope("update")?)?;
        learner.maintain.load(from.scope("maintenance")?)?;
        learner.store.load(from.scope("store")?, learner.kernel, task)?;
        let kernel = learner.kernel;
        if let Some(averaging) = &mut learner.averaging {
            averaging.load(
                learner.counts.n_seen,
                spec.max_support(),
                from.scope("average")?,
                kernel,
                task,
            )?;
        }
        if let Some(serving) = &mut learner.serving {
            serving.load(from.scope("serving")?)?;
        }
        if learner.store.len() > spec.max_support() {
            return Err(refused("there are more support vectors than the budget allows"));
        }
        learner.scratch = super::Scratch::of(&learner.store);
        Ok(learner)
    }

    /// Whether this can be the width of a model whose width does not follow the data: that of now, or 1 over the number
    /// of features before some were appended.
    fn may_have(&self, gamma: f64) -> bool {
        let before = (1.0 / gamma).round() as usize;
        let appended = self.spec.spec().gamma == Gamma::Auto && (1..=self.store.features()).contains(&before);
        self.kernel.gamma() == Some(gamma) || appended && 1.0 / before as f64 == gamma
    }

    fn load_scaling(&self, from: &Tensors) -> Result<FixedScaler<T>> {
        let features = self.n_features();
        let factor: Vec<T> = from.get("factor", &[features])?;
        let shifted = if self.kernel.translation_invariant() { 0 } else { features };
        let shift: Vec<T> = from.get("shift", &[shifted])?;
        let centre: Vec<f64> = from.get("centre", &[features - shifted])?;
        let legal = factor.iter().all(|f| f.is_finite() && *f > T::ZERO)
            && shift.iter().all(|x| x.is_finite())
            && centre.iter().all(|x| x.abs() <= FARTHEST);
        if legal {
            Ok(FixedScaler { shift, factor, centre })
        } else {
            Err(refused("the scaling must be finite and positive"))
        }
    }
}

impl Moments {
    fn save(&self, out: &mut Tensors) {
        out.set("rows", self.rows);
        out.set("nonzero", self.nonzero);
        out.set("mean", self.mean);
        out.set("squares", self.m2);
        out.set("centres", self.sum_centres[0]);
        out.set("squared_centres", self.sum_centres[1]);
        out.set("longest", self.max_squared_norm);
        out.set("heaviest", self.max_weight);
    }

    fn load(from: &Tensors, features: usize) -> Result<Self> {
        const MOST: f64 = 1e150;
        let moments = Self {
            rows: from.u64("rows")?,
            nonzero: from.u64("nonzero")?,
            mean: from.finite("mean")?,
            m2: from.finite("squares")?,
            sum_centres: [from.finite("centres")?, from.finite("squared_centres")?],
            max_squared_norm: from.finite("longest")?,
            max_weight: from.finite("heaviest")?,
        };
        let numbers = moments.rows.checked_mul(features as u64);
        // Only rows that learning refuses have larger sums, and those would overflow.
        let legal = numbers.is_some_and(|numbers| moments.nonzero <= numbers)
            && [moments.mean, moments.sum_centres[0]].iter().all(|x| x.abs() <= MOST)
            && [moments.m2, moments.sum_centres[1], moments.max_squared_norm, moments.max_weight]
                .iter()
                .all(|x| (0.0..=MOST * MOST).contains(x));
        if legal { Ok(moments) } else { Err(refused("the sums of gamma do not fit together")) }
    }
}

fn load_counts(from: &Tensors) -> Result<Counts> {
    let counts = Counts {
        n_seen: from.count("seen")?,
        updates: from.count("updates")?,
        mistakes: from.count("mistakes")?,
        maintenances: from.count("maintenances")?,
        queries: from.count("queries")?,
        absolute_error: from.f64("absolute_error")?,
        squared_error: from.f64("squared_error")?,
        gradient_error: from.finite("gradient_error")?,
    };
    let Counts { n_seen, updates, mistakes, maintenances, queries, .. } = counts;
    let fit = updates <= n_seen && mistakes <= n_seen && queries <= n_seen && maintenances <= updates;
    let errors = [counts.gradient_error, counts.absolute_error, counts.squared_error];
    if !fit || !errors.iter().all(|error| *error >= 0.0) {
        return Err(refused("the counts do not fit together"));
    }
    Ok(counts)
}
