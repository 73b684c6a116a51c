//! The only training loop.

mod average;
mod build;
mod check;
mod facts;
mod gamma;
mod input;
mod parts;
mod predict;
mod save;
mod scaling;

#[cfg(test)]
mod tests;

pub use gamma::scale_gamma;
pub use input::{Rows, Target, Targets};
pub use parts::{LearnInParts, ScoreInParts};

pub(crate) use average::Averaging;
pub(crate) use gamma::{GammaRule, Moments};
pub(crate) use scaling::{Given, Running, Scaling};

use crate::error::{Error, Result};
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::label::{Label, Task};
use crate::losses::predicted;
use crate::maintenance::{Admit, Maintain, Maintained, Paced};
use crate::ops::Lanes;
use crate::params::CheckedSpec;
use crate::rng::Rng;
use crate::row::Row;
use crate::rules::{AnyUpdate, Example, Update};
use crate::store::{Keep, Newcomer, Store};

/// Learns from rows, one at a time, and predicts: a model of `f(x) = sum_j alpha_j k(x_j, x)` with at most `budget`
/// support vectors. A batch equals its rows one by one, bit for bit.
#[derive(Debug, Clone)]
pub struct Learner<T: Real> {
    pub(crate) spec: CheckedSpec,
    pub(crate) kernel: AnyKernel,
    pub(crate) gamma: GammaRule,
    pub(crate) scaling: Option<Scaling<T>>,
    pub(crate) update: AnyUpdate,
    pub(crate) maintain: Paced<T>,
    pub(crate) store: Store<T>,
    /// What is served instead of the last model.
    pub(crate) averaging: Option<Averaging<T>>,
    pub(crate) counts: Counts,
    pub(crate) rng: Rng,
    pub(crate) task: Task,
    scratch: Scratch<T>,
}

/// What a model has seen.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Counts {
    /// Rows learned; rows of weight 0 are not counted.
    pub seen: u64,
    /// Rows that changed the model.
    pub updates: u64,
    /// Rows predicted wrongly before they were learned; 0 in regression.
    pub mistakes: u64,
    /// Rows whose label could matter: with the ramp loss those of which [`Learner::needs_label`] was true when they were
    /// learned, else all.
    pub queries: u64,
    /// The sum of `|y - f|` before each row was learned; 0 in classification.
    pub absolute_error: f64,
    /// The sum of `(y - f)^2` before each row was learned; 0 in classification.
    pub squared_error: f64,
    /// Times the budget was restored.
    pub maintenances: u64,
    /// The sum of the gradient errors `|Delta w| / eta_t` of all maintenance.
    pub gradient_error: f64,
}

impl Counts {
    /// Counts a row and what was predicted for it: progressive validation.
    #[inline(always)]
    fn observe<T: Real>(&mut self, label: Label, f: &[T], scale: f64) {
        self.seen += 1;
        match label {
            Label::Value(y) => {
                let error = (y - f[0].to_f64() * scale).abs();
                self.absolute_error += error;
                self.squared_error += error * error;
            }
            label => self.mistakes += u64::from(Some(predicted(f)) != label.class()),
        }
    }

    /// Counts a budget maintenance that changed the unscaled model by `|Delta|^2 = lost`, if there was one.
    #[inline(always)]
    fn maintained(&mut self, unit: f64, lost: Option<f64>) {
        if let Some(lost) = lost {
            self.maintenances += 1;
            // A model that diverges must still be one that can be saved.
            self.gradient_error = (self.gradient_error + unit * lost.max(0.0).sqrt()).min(f64::MAX);
        }
    }
}

/// Whether a row with this `k_tt` may become a support vector. One of no length in feature space can change nothing.
#[inline(always)]
fn has_length<T: Real>(k_tt: T) -> bool {
    k_tt >= T::SHORTEST
}

/// Buffers of the loop; never saved.
#[derive(Debug, Clone, Default)]
struct Scratch<T: Real> {
    k: Lanes<T>,
    f: Vec<T>,
    row: Vec<T>,
    x: Vec<T>,
}

impl<T: Real> Scratch<T> {
    fn of(store: &Store<T>) -> Self {
        Self {
            k: Lanes::zeros(store.vectors()),
            f: vec![T::ZERO; store.outputs()],
            row: vec![T::ZERO; store.outputs()],
            x: Vec::with_capacity(store.features()),
        }
    }
}

impl<T: Real> Learner<T> {
    /// An empty model.
    pub(crate) fn new(spec: CheckedSpec, features: usize, task: Task) -> Self {
        let kernel = spec.kernel(features);
        let update = spec.update();
        let maintain = spec.maintain();
        let keeps = maintain.keeps();
        let averaging = Averaging::new(&spec, features, task);
        let keep = Keep { norm2: keeps.norm2 || update.reads_norm(), ..keeps };
        let mut store = Store::new(spec.capacity(), features, task.outputs(), keep);
        let sums = averaging.as_ref().map_or(0, Averaging::sums);
        if sums > 0 {
            store.keep_averages(sums);
        }
        Self {
            kernel,
            gamma: spec.gamma_rule(),
            scaling: spec.scaling(features),
            update,
            maintain,
            averaging,
            counts: Counts::default(),
            rng: Rng::new(spec.seed()),
            task,
            scratch: Scratch::of(&store),
            store,
            spec,
        }
    }

    /// Learns every row of a batch, in order.
    ///
    /// # Errors
    /// A row or label that is not legal, as [`Learner::check`] tells; nothing is learned then.
    pub fn learn_batch(
        &mut self,
        rows: &Rows<'_, T>,
        targets: Targets<'_>,
        weights: Option<&[f64]>,
    ) -> Result<()> {
        self.learn_in_parts(rows, targets, weights)?.learn(rows.len());
        Ok(())
    }

    /// Learns one row of a weight: its class, by index, or its number.
    ///
    /// ```
    /// use budgetrs::{Learner, Spec, Target};
    ///
    /// let spec = Spec::named_regression("pa")?.check()?;
    /// let mut learner: Learner<f64> = spec.build(2, budgetrs::Task::Regression)?;
    /// learner.learn_one(&[0.5, 0.5], 1.25, 1.0)?; // as Target::Value(1.25)
    ///
    /// let mut learner: Learner<f64> = Spec::named("pa")?.check()?.build(2, 3)?;
    /// learner.learn_one(&[0.5, 0.5], Target::Class(2), 1.0)?;
    /// # Ok::<(), budgetrs::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Learner::learn_batch`].
    pub fn learn_one(&mut self, x: &[T], target: impl Into<Target>, weight: f64) -> Result<()> {
        let target = target.into();
        self.learn_batch(&Rows::one(x), Targets::from(&target), Some(&[weight]))
    }

    /// Learns the rows `from..to` of a batch that [`Learner::check`] has passed.
    fn learn_checked(
        &mut self,
        rows: &Rows<'_, T>,
        targets: Targets<'_>,
        weights: Option<&[f64]>,
        from: usize,
        to: usize,
    ) {
        let mut buffer = Vec::new();
        for i in from..to {
            let weight = weights.map_or(1.0, |w| w[i]);
            if weight > 0.0 {
                let label = targets.label(i, self.task);
                self.learn_row(rows.row(i, &mut buffer), label, weight);
                if let Some(averaging) = &mut self.averaging {
                    averaging.move_on(self.counts.seen, &mut self.store);
                }
            }
        }
    }

    /// row -> renew -> scores -> count -> propose -> scale -> [admit -> insert -> restore -> settle]
    fn learn_row(&mut self, raw: Row<'_, T>, label: Label, weight: f64) {
        let Self { store, update, maintain, counts, scratch, .. } = self;
        let x = match &mut self.scaling {
            Some(scaling) => {
                scaling.observe(raw, &mut scratch.x);
                scaling.apply(raw, &mut scratch.x)
            }
            None => raw,
        };
        let t = counts.seen + 1;
        if let Some(averaging) = &mut self.averaging {
            averaging.count(t, store, &mut self.rng);
        }
        if let Some(gamma) = self.gamma.before(t, x, weight, store.features(), self.scaling.as_ref()) {
            self.kernel = self.kernel.with_gamma(gamma);
            store.refresh(self.kernel);
        }
        let kernel = self.kernel;
        let factor = update.renew(t);
        if factor != 1.0 {
            store.rescale(kernel, factor);
        }
        let norm = kernel.norm(x);
        store.scores(kernel, (x, norm), &mut scratch.k, &mut scratch.f);
        counts.observe(label, &scratch.f, store.scale());
        counts.queries += u64::from(update.asks(&scratch.f));
        let k_tt = kernel.diag(norm);
        let example = Example { label, t, weight, k_tt };
        // What rounds to nothing is no update.
        let inserts = has_length(k_tt)
            && update.propose(&example, &scratch.f, &mut scratch.row)
            && scratch.row.iter().any(|a| *a != T::ZERO);
        store.set_scale(update.scale(t));
        if !inserts {
            return;
        }
        let (budget, rng) = (self.spec.budget(), &mut self.rng);
        let new = Newcomer { x, norm, label, row: &scratch.row, f: &scratch.f, k: &scratch.k };
        let model =
            Maintained { store, kernel, rng, budget, example: &example, f: &scratch.f, k: &scratch.k };
        let unit = update.gradient_error(t);
        match maintain.admit(model, new) {
            Admit::Refuse => return,
            Admit::Absorb { lost } => counts.maintained(unit, lost),
            Admit::Insert { lost } => {
                counts.maintained(unit, lost);
                let slot = store.insert(kernel, new);
                scratch.k.grow(store.vectors());
                scratch.k.set(slot.index(), k_tt);
                let (example, f, k) = (&example, &scratch.f, &scratch.k);
                loop {
                    let mut model = Maintained { store, kernel, rng, budget, example, f, k };
                    if !maintain.is_due(&mut model) {
                        break;
                    }
                    counts.maintained(unit, Some(maintain.restore(model)));
                }
                store.settle(kernel);
            }
        }
        counts.updates += 1;
        let factor = update.rescale_to_ball(t, store.norm2());
        if factor != 1.0 {
            store.rescale(kernel, factor);
        }
        store.set_scale(update.scale(t));
    }

    /// Scales every row before the kernel sees it: `(x - mean) / deviation`, a deviation of 0 counting as 1. Kernels of
    /// differences of rows need no shift, and do without it, so that sparse rows stay sparse.
    ///
    /// # Errors
    /// When rows have been learned, the model scales rows by itself, or a length or a value is not legal.
    pub fn set_scaling(&mut self, mean: &[f64], deviation: &[f64]) -> Result<()> {
        if self.counts.seen > 0 {
            return Err(Error::State("the scaling must be set before the first row is learned".into()));
        }
        if let Some(Scaling::Running(_)) = self.scaling {
            return Err(Error::State("a model with scale = \"online\" takes no other scaling".into()));
        }
        let shifted = !self.kernel.translation_invariant();
        self.scaling = Some(Scaling::Given(Given::new(mean, deviation, self.store.features(), shifted)?));
        Ok(())
    }

    /// Appends features that are zero in every row so far: the same bits as from a width known in advance.
    ///
    /// With `gamma = "scale"` that holds for all but gamma itself, which is frozen with the features it was taken from.
    /// `keep_gamma` leaves gamma as it is also where it still follows from the number of features: to predict rows that
    /// have features of which the model knows nothing.
    ///
    /// # Errors
    /// When `features` is less than the model has, or more than fit into memory; without `keep_gamma`, once a row is
    /// learned, also when gamma follows from the number of features: with "auto", and with "scale" before row 1024.
    pub fn widen(&mut self, features: usize, keep_gamma: bool) -> Result<()> {
        if features < self.store.features() {
            let expected = format!("at least {}", self.store.features());
            return Err(Error::parameter("n_features", expected, features));
        }
        self.spec.check_size::<T>(features, self.task)?;
        if self.counts.seen == 0 {
            self.kernel = self.spec.kernel(features);
        } else if features > self.store.features() && !keep_gamma {
            self.check_gamma_stays()?;
        }
        self.store.widen(features);
        if let Some(scaling) = &mut self.scaling {
            scaling.widen(features);
        }
        if let Some(averaging) = &mut self.averaging {
            averaging.widen(features);
        }
        Ok(())
    }
}
