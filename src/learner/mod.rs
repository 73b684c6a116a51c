//! The only training loop.

mod gamma;
mod input;
mod predict;
mod save;
mod scaling;

#[cfg(test)]
mod tests;

pub use input::{Rows, Targets};

pub(crate) use gamma::{GammaRule, Moments};
pub(crate) use scaling::Scaling;

use crate::budget::{AnyMaintain, Maintain, Model};
use crate::error::{Error, Result};
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::label::Label;
use crate::rng::Rng;
use crate::row::Row;
use crate::simd::{Lanes, dispatch, level};
use crate::spec::CheckedSpec;
use crate::store::{Keep, Newcomer, Store};
use crate::update::{AnyUpdate, Example, Update, predicted};
use fearless_simd::Simd;

/// Learns from rows, one at a time, and predicts: a model of `f(x) = sum_j alpha_j k(x_j, x)` with at most `budget`
/// support vectors. A batch equals its rows one by one, bit for bit.
#[derive(Debug, Clone)]
pub struct Learner<T: Real> {
    pub(crate) spec: CheckedSpec,
    pub(crate) kernel: AnyKernel,
    pub(crate) gamma: GammaRule,
    pub(crate) scaling: Option<Scaling<T>>,
    pub(crate) update: AnyUpdate,
    pub(crate) maintain: AnyMaintain<T>,
    pub(crate) store: Store<T>,
    pub(crate) counts: Counts,
    pub(crate) rng: Rng,
    pub(crate) classes: usize,
    scratch: Scratch<T>,
}

/// What a model has seen.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Counts {
    /// Rows learned; rows of weight 0 are not counted.
    pub seen: u64,
    /// Rows that changed the model.
    pub updates: u64,
    /// Rows predicted wrongly before they were learned.
    pub mistakes: u64,
    /// Times the budget was restored.
    pub maintenances: u64,
    /// The sum of the gradient errors `|Delta w| / eta_t` of all maintenance.
    pub gradient_error: f64,
}

/// The largest weight of a row: squares of sums of such coefficients fit into single precision.
const MAX_WEIGHT: f64 = 1e9;

/// Whether a row with this `k_tt` and norm may become a support vector. One of no length in feature space can change
/// nothing; the products of one that is too long overflow.
#[inline(always)]
fn has_length<T: Real>(k_tt: T, norm: T) -> bool {
    k_tt > T::ZERO && k_tt * T::VANISHED <= T::ONE && norm * T::VANISHED <= T::ONE
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
    pub(crate) fn new(spec: CheckedSpec, features: usize, classes: usize) -> Self {
        let kernel = spec.kernel(features);
        let update = spec.update();
        let maintain = spec.maintain();
        let outputs = if classes == 2 { 1 } else { classes };
        let keep = Keep { norm2: update.reads_norm(), ..maintain.keeps() };
        let store = Store::new(spec.capacity(), features, outputs, keep);
        Self {
            kernel,
            gamma: spec.gamma_rule(),
            scaling: None,
            update,
            maintain,
            counts: Counts::default(),
            rng: Rng::new(spec.seed()),
            classes,
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
        self.check(rows, targets, weights)?;
        self.learn_checked(rows, targets, weights, 0, rows.len());
        Ok(())
    }

    /// Learns one row.
    ///
    /// # Errors
    /// As [`Learner::learn_batch`].
    pub fn learn_one(&mut self, x: &[T], class: u32, weight: f64) -> Result<()> {
        let rows = Rows::one(x);
        self.learn_batch(&rows, Targets::Classes(&[class]), Some(&[weight]))
    }

    /// Whether a batch is legal: the model's number of features, finite values, known classes, weights from 0 to 1e9.
    ///
    /// # Errors
    /// The first thing that is not legal.
    pub fn check(&self, rows: &Rows<'_, T>, targets: Targets<'_>, weights: Option<&[f64]>) -> Result<()> {
        rows.check(self.store.features())?;
        targets.check(rows.len(), self.classes)?;
        let Some(weights) = weights else { return Ok(()) };
        if weights.len() != rows.len() {
            return Err(Error::shape("sample_weight", format!("{} entries", rows.len()), weights.len()));
        }
        match weights.iter().find(|w| !(0.0..=MAX_WEIGHT).contains(*w)) {
            Some(bad) => Err(Error::parameter("sample_weight", "from 0 to 1e9 in every row", bad)),
            None => Ok(()),
        }
    }

    /// Learns the rows `from..to` of a batch that [`Learner::check`] has passed.
    pub(crate) fn learn_checked(
        &mut self,
        rows: &Rows<'_, T>,
        targets: Targets<'_>,
        weights: Option<&[f64]>,
        from: usize,
        to: usize,
    ) {
        dispatch!(level(), s => {
            let mut buffer = Vec::new();
            for i in from..to {
                let weight = weights.map_or(1.0, |w| w[i]);
                if weight > 0.0 {
                    let label = targets.label(i, self.classes);
                    self.learn_row(s, rows.row(i, &mut buffer), label, weight);
                }
            }
        });
    }

    /// row -> scores -> count -> propose -> scale -> [admit -> insert -> restore -> settle]
    #[inline(always)]
    fn learn_row<S: Simd>(&mut self, s: S, raw: Row<'_, T>, label: Label, weight: f64) {
        let Self { store, update, maintain, counts, scratch, .. } = self;
        let x = match &self.scaling {
            Some(scaling) => scaling.apply(raw, &mut scratch.x),
            None => raw,
        };
        let t = counts.seen + 1;
        if let Some(gamma) = self.gamma.before(t, x, store.features()) {
            self.kernel = self.kernel.with_gamma(gamma);
            store.refresh(s, self.kernel);
        }
        let kernel = self.kernel;
        let norm = kernel.norm(x);
        store.scores(s, kernel, x, norm, &mut scratch.k, &mut scratch.f);
        counts.seen = t;
        counts.mistakes += u64::from(predicted(&scratch.f) != label.class());
        let inserts = update.propose(&Example { label, t, weight }, &scratch.f, &mut scratch.row);
        store.set_scale(update.scale(t));
        let budget = self.spec.budget();
        if !inserts || !has_length(kernel.diag(norm), norm) || !maintain.admits(store, budget) {
            return;
        }
        store.insert(s, kernel, Newcomer { x, norm, label, row: &scratch.row, f: &scratch.f });
        counts.updates += 1;
        if store.len() > budget {
            let change = maintain.restore(s, Model { store, kernel, rng: &mut self.rng });
            counts.maintenances += 1;
            counts.gradient_error += update.gradient_error() * change.max(0.0).sqrt();
        }
        let factor = update.settle(t, store.norm2());
        if factor != 1.0 {
            store.rescale(s, factor);
        }
        store.set_scale(update.scale(t));
        scratch.k.grow(store.vectors());
    }

    /// Scales every row before the kernel sees it: `(x - mean) / deviation`, a deviation of 0 counting as 1. Kernels of
    /// differences of rows need no shift, and do without it, so that sparse rows stay sparse.
    ///
    /// # Errors
    /// When rows have been learned, or a length or a value is not legal.
    pub fn set_scaling(&mut self, mean: &[f64], deviation: &[f64]) -> Result<()> {
        if self.counts.seen > 0 {
            return Err(Error::State("the scaling must be set before the first row is learned".into()));
        }
        let shifted = !self.kernel.translation_invariant();
        self.scaling = Some(Scaling::new(mean, deviation, self.store.features(), shifted)?);
        Ok(())
    }

    /// Appends features that are zero in every row so far.
    ///
    /// # Errors
    /// When `features` is less than the model has, or more than fit into memory.
    pub fn widen(&mut self, features: usize) -> Result<()> {
        if features < self.store.features() {
            let expected = format!("at least {}", self.store.features());
            return Err(Error::parameter("n_features", expected, features));
        }
        self.spec.check_size::<T>(features, self.classes)?;
        self.store.widen(features);
        if let Some(scaling) = &mut self.scaling {
            scaling.widen(features);
        }
        Ok(())
    }

    /// What the model has seen.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Features of a row.
    #[must_use]
    pub fn n_features(&self) -> usize {
        self.store.features()
    }

    /// Classes; for two of them the model has one output.
    #[must_use]
    pub fn n_classes(&self) -> usize {
        self.classes
    }

    /// Support vectors.
    #[must_use]
    pub fn n_support(&self) -> usize {
        self.store.len()
    }

    /// Columns of coefficients and scores.
    #[must_use]
    pub fn n_outputs(&self) -> usize {
        self.store.outputs()
    }

    /// The kernel with its width in force.
    #[must_use]
    pub fn kernel(&self) -> AnyKernel {
        self.kernel
    }

    /// The parameters.
    #[must_use]
    pub fn spec(&self) -> &CheckedSpec {
        &self.spec
    }

    /// The mean gradient error `|Delta w_t| / eta_t` per budget maintenance (Wang, Crammer and Vucetic 2010, Theorem 1);
    /// 0 before the first.
    #[must_use]
    pub fn mean_weight_degradation(&self) -> f64 {
        if self.counts.maintenances == 0 {
            return 0.0;
        }
        self.counts.gradient_error / self.counts.maintenances as f64
    }

    /// Copies the support vectors, `n_support` rows of `n_features`, in order of birth.
    #[must_use]
    pub fn support_vectors(&self) -> Vec<T> {
        let features = self.store.features();
        let mut all = vec![T::ZERO; self.store.len() * features];
        if features > 0 {
            for (slot, x) in self.store.age().iter().zip(all.chunks_exact_mut(features)) {
                self.store.read(slot, x);
            }
        }
        all
    }

    /// Copies the coefficients, `n_outputs` rows of `n_support`, in order of birth, the scale included.
    #[must_use]
    pub fn dual_coef(&self) -> Vec<T> {
        let scale = self.store.scale();
        let outputs = 0..self.store.outputs();
        outputs
            .flat_map(|output| self.store.age().iter().map(move |slot| (slot, output)))
            .map(|(slot, output)| T::from_f64(self.store.expansion().get(slot, output).to_f64() * scale))
            .collect()
    }
}
