//! A learner in a model file: a resumed run continues bit for bit.

use super::gamma::LAST;
use super::{Counts, GammaRule, Learner, Moments, Scaling};
use crate::error::{Error, Result};
use crate::float::Real;
use crate::persist::Tensors;
use crate::rng::Rng;
use crate::spec::{CheckedSpec, Gamma, MAX_GAMMA, MIN_GAMMA};
use crate::store::finite;
use crate::update::AnyUpdate;

fn refused(reason: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::Model(reason.into())
}

impl<T: Real> Learner<T> {
    /// Writes everything that later behaviour depends on, but for the parameters.
    pub(crate) fn save(&self, out: &mut Tensors) {
        out.set("features", self.n_features());
        out.set("classes", self.classes);
        out.set("generator", self.rng.state());
        if let Some(gamma) = self.kernel.gamma() {
            out.set("gamma", gamma);
        }
        if let GammaRule::Running(moments) = &self.gamma {
            out.set("moments_rows", moments.rows);
            out.set("moments_sum", moments.sum);
            out.set("moments_squares", moments.squares);
        }
        if let Some(scaling) = &self.scaling {
            let scope = out.scope_mut("scaling");
            scope.put("factor", &[scaling.factor.len()], scaling.factor.iter().copied());
            scope.put("shift", &[scaling.shift.len()], scaling.shift.iter().copied());
        }
        let AnyUpdate::Sgd(sgd) = &self.update;
        out.set("ball", sgd.ball);
        let counts = out.scope_mut("counts");
        counts.set("seen", self.counts.seen);
        counts.set("updates", self.counts.updates);
        counts.set("mistakes", self.counts.mistakes);
        counts.set("maintenances", self.counts.maintenances);
        counts.set("gradient_error", self.counts.gradient_error);
        self.store.save(out.scope_mut("store"));
    }

    /// Reads what [`Learner::save`] wrote.
    pub(crate) fn load(spec: &CheckedSpec, from: &Tensors) -> Result<Self> {
        let (features, classes) = (from.usize("features")?, from.usize("classes")?);
        let mut learner: Self = spec.build(features, classes)?;
        learner.rng = Rng::new(from.u64("generator")?);
        if learner.kernel.gamma().is_some() {
            let gamma = finite(from, "gamma")?;
            if !(MIN_GAMMA..=MAX_GAMMA).contains(&gamma) {
                return Err(refused(format!("gamma must lie from {MIN_GAMMA} to {MAX_GAMMA}, got {gamma}")));
            }
            if matches!(spec.spec().gamma, Gamma::Value(fixed) if fixed != gamma) {
                return Err(refused("gamma is another than that of the parameters"));
            }
            learner.kernel = learner.kernel.with_gamma(gamma);
        }
        learner.counts = load_counts(from.scope("counts")?)?;
        if let GammaRule::Running(moments) = &mut learner.gamma {
            // The sums may have overflowed: what becomes of them is legal all the same.
            *moments = Moments {
                rows: from.u64("moments_rows")?,
                sum: from.f64("moments_sum")?,
                squares: from.f64("moments_squares")?,
            };
            if moments.rows != learner.counts.seen.min(LAST) {
                return Err(refused("the rows of gamma are not those that were seen"));
            }
        }
        if from.contains("scaling") {
            learner.scaling = Some(learner.load_scaling(from.scope("scaling")?)?);
        }
        let AnyUpdate::Sgd(sgd) = &mut learner.update;
        sgd.ball = finite(from, "ball")?;
        if !(sgd.ball > 0.0 && sgd.ball <= 1.0) {
            return Err(refused(format!("ball must lie in (0, 1], got {}", sgd.ball)));
        }
        learner.store.load(from.scope("store")?, learner.kernel, classes)?;
        if learner.store.len() > spec.budget() {
            return Err(refused("there are more support vectors than the budget allows"));
        }
        learner.scratch = super::Scratch::of(&learner.store);
        Ok(learner)
    }

    fn load_scaling(&self, from: &Tensors) -> Result<Scaling<T>> {
        let features = self.n_features();
        let factor: Vec<T> = from.get("factor", &[features])?;
        let shifted = if self.kernel.translation_invariant() { 0 } else { features };
        let shift: Vec<T> = from.get("shift", &[shifted])?;
        let legal =
            factor.iter().all(|f| f.is_finite() && *f > T::ZERO) && shift.iter().all(|x| x.is_finite());
        if legal {
            Ok(Scaling { shift, factor })
        } else {
            Err(refused("the scaling must be finite and positive"))
        }
    }
}

fn load_counts(from: &Tensors) -> Result<Counts> {
    let counts = Counts {
        seen: from.u64("seen")?,
        updates: from.u64("updates")?,
        mistakes: from.u64("mistakes")?,
        maintenances: from.u64("maintenances")?,
        gradient_error: finite(from, "gradient_error")?,
    };
    let Counts { seen, updates, mistakes, maintenances, .. } = counts;
    // The example counter enters exact arithmetic as a float.
    let fit = seen <= 1 << 53 && updates <= seen && mistakes <= seen && maintenances <= updates;
    if !fit || counts.gradient_error < 0.0 {
        return Err(refused("the counts do not fit together"));
    }
    Ok(counts)
}
