//! The learner: parameters, the parts that they ask for, and the model that they train.

mod alone;
mod average;
mod balance;
mod block;
mod build;
mod check;
mod combine;
mod compiled;
mod counts;
mod facts;
mod footprint;
mod gamma;
mod gathered;
mod grow;
mod inclination;
mod input;
mod learn;
mod limit;
mod parts;
mod predict;
mod save;
mod scaling;
mod serving;

#[cfg(test)]
mod tests;

pub use alone::ScoreBuffers;
pub use counts::Counts;
pub use gamma::scale_gamma;
pub use input::{Rows, Target, Targets};
pub use limit::limit_memory;
pub use parts::{LearnSession, ScoreSession};

pub(crate) use average::Averaging;
use balance::ClassWeights;
use block::RowBlock;
pub(crate) use combine::Part;
pub(crate) use gamma::{GammaOf, GammaRule, Moments};
pub(crate) use gathered::RowBuffer;
use inclination::LinearStep;
#[cfg(test)]
pub(crate) use scaling::WARMUP_ROWS;
pub(crate) use scaling::{FixedScaler, RunningScaler, Scaler};
pub(crate) use serving::OnlineMonitor;

use crate::error::{Error, Result};
use crate::float::Real;
use crate::hashing::{FeatureHasher, HashedRow};
use crate::kernel::AnyKernel;
use crate::label::Task;
use crate::maintenance::{AtRate, Maintain};
use crate::metric::Metric;
use crate::ops::SimdBuffer;
use crate::params::CheckedSpec;
use crate::rng::Rng;
use crate::rules::{AnyRule, UpdateRule};
use crate::store::{Keep, KernelExpansion};

/// Learns from rows, one at a time, and predicts: a model of `f(x) = sum_j alpha_j k(x_j, x)` with at most `budget`
/// support vectors. A batch equals its rows one by one, bit for bit.
#[derive(Debug, Clone)]
pub struct Learner<T: Real> {
    pub(crate) spec: CheckedSpec,
    pub(crate) kernel: AnyKernel,
    pub(crate) gamma: GammaRule,
    /// What folds the columns of rows, before anything else sees them.
    pub(crate) hashing: Option<FeatureHasher>,
    pub(crate) scaling: Option<Scaler<T>>,
    pub(crate) metric: Option<Metric<T>>,
    /// Whether gamma, scaling and metric are those of another model, and stay: see [`Learner::share_preprocessing_of`].
    pub(crate) frozen: bool,
    /// How the linear part moves, where there is one.
    pub(crate) inclination: Option<LinearStep<T>>,
    pub(crate) update: AnyRule,
    pub(crate) maintain: AtRate<T>,
    pub(crate) store: KernelExpansion<T>,
    /// What is served instead of the last model.
    pub(crate) averaging: Option<Averaging<T>>,
    /// What predicts each row before it is learned, where that is not simply the last model.
    pub(crate) serving: Option<OnlineMonitor<T>>,
    /// What rows are weighed with, where classes are balanced.
    balance: Option<ClassWeights>,
    pub(crate) counts: Counts,
    pub(crate) rng: Rng,
    pub(crate) task: Task,
    /// Classes of the rows so far where new ones may come; else all classes.
    pub(crate) n_seen_classes: usize,
    scratch: Scratch<T>,
}

/// Buffers of the loop; never saved.
#[derive(Debug, Clone, Default)]
struct Scratch<T: Real> {
    k: SimdBuffer<T>,
    f: Vec<T>,
    row: Vec<T>,
    folded: HashedRow<T>,
    x: Vec<T>,
    z: Vec<T>,
    lanes: SimdBuffer<T>,
    block: RowBlock<T>,
}

impl<T: Real> Scratch<T> {
    fn of(store: &KernelExpansion<T>) -> Self {
        Self {
            k: SimdBuffer::zeros(store.vectors()),
            f: vec![T::ZERO; store.outputs()],
            row: vec![T::ZERO; store.outputs()],
            folded: HashedRow::default(),
            x: Vec::with_capacity(store.features()),
            z: Vec::new(),
            lanes: SimdBuffer::default(),
            block: RowBlock::default(),
        }
    }
}

impl<T: Real> Learner<T> {
    /// An empty model for rows of so many columns.
    pub(crate) fn new(spec: CheckedSpec, columns: usize, task: Task) -> Self {
        let features = spec.n_features(columns);
        let kernel = spec.kernel(features);
        let update = spec.update(task);
        let maintain = spec.maintain();
        let keeps = maintain.requires();
        let averaging = Averaging::new(&spec, features, task);
        let keep = Keep { norm2: keeps.norm2 || update.reads_norm(), ..keeps };
        let mut store = spec.store(features, task, keep);
        if spec.spec().linear.is_some() {
            store.keep_linear();
        }
        let means = averaging.as_ref().map_or(0, Averaging::means);
        if means > 0 {
            store.keep_means(means);
        }
        Self {
            kernel,
            gamma: spec.gamma_rule(),
            hashing: spec.feature_hasher(columns),
            scaling: spec.scaling(features),
            metric: spec.metric(features),
            frozen: false,
            inclination: LinearStep::new(&spec, features, task),
            update,
            maintain,
            averaging,
            serving: OnlineMonitor::new(&spec, task),
            balance: ClassWeights::new(&spec, task),
            counts: Counts::default(),
            rng: Rng::new(spec.seed()),
            task,
            n_seen_classes: task.classes(),
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
        self.begin_learning(rows, targets, weights)?.learn(rows.len());
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

    /// Scales every row before the kernel sees it: `(x - mean) / deviation`, a deviation of 0 counting as 1. Kernels of
    /// differences of rows need no shift, and do without it, so that sparse rows stay sparse. With `hash_features` it
    /// is folded rows that are scaled.
    ///
    /// # Errors
    /// When rows have been learned, the model scales rows by itself, or a length or a value is not legal.
    pub fn set_scaling(&mut self, mean: &[f64], deviation: &[f64]) -> Result<()> {
        if self.counts.n_seen > 0 {
            return Err(Error::State("the scaling must be set before the first row is learned".into()));
        }
        if let Some(Scaler::Running(_) | Scaler::Frozen(_)) = self.scaling {
            return Err(Error::State("a model with scale = \"online\" takes no other scaling".into()));
        }
        let shifted = !self.kernel.translation_invariant();
        self.scaling =
            Some(Scaler::Fixed(FixedScaler::new(mean, deviation, self.store.features(), shifted)?));
        Ok(())
    }

    /// Takes over gamma, scaling and metric from a model that has learned, before the first row; they stay as they are.
    /// So models that begin like one model have one kernel, and can be combined.
    ///
    /// # Errors
    /// When rows have been learned, or kernel, scaling, metric or hash of the two are not of one kind, or their columns
    /// are not as many.
    pub fn share_preprocessing_of(&mut self, other: &Self) -> Result<()> {
        if self.counts.n_seen > 0 {
            return Err(Error::State("a model can begin like another before its first row only".into()));
        }
        let (own, its) = (self.spec.spec(), other.spec.spec());
        let same = [
            ("kernel", own.kernel == its.kernel && own.kernel_parameters == its.kernel_parameters),
            ("gamma", own.gamma == its.gamma),
            ("scale", own.scale == its.scale),
            ("missing", own.missing == its.missing),
            ("metric", own.metric == its.metric),
            ("hash_features", own.hash_features == its.hash_features),
            ("seed", own.hash_features.is_none() || own.seed == its.seed),
        ];
        if let Some((name, _)) = same.into_iter().find(|(_, same)| !same) {
            let got = format!("one of another {name}");
            return Err(Error::parameter("like", format!("a model of the same {name}"), got));
        }
        if self.n_columns() != other.n_columns() {
            let expected = format!("{} columns, as the model has that it begins like", other.n_columns());
            return Err(Error::shape("X", expected, self.n_columns()));
        }
        self.kernel = other.kernel;
        self.gamma = GammaRule::Fixed;
        self.scaling = other.scaling.as_ref().map(Scaler::frozen);
        self.metric.clone_from(&other.metric);
        self.frozen = true;
        Ok(())
    }

    /// Appends features that are zero in every row so far: the same bits as from a number of features known in advance.
    ///
    /// A metric and a linear part are the exception: their steps go by the number of features that there are. So is
    /// gamma with `gamma = "scale"`, which is frozen with the features it was taken from. `keep_gamma` leaves gamma as
    /// it is also where it still follows from the number of features: to predict rows that have features of which the
    /// model knows nothing.
    ///
    /// With `hash_features` rows may have any number of columns, so all that changes is [`Learner::n_columns`].
    ///
    /// # Errors
    /// When `features` is less than the model has, or more than fit into memory; without `keep_gamma`, once a row is
    /// learned, also when gamma follows from the number of features: with "auto", and with "scale" before row 1024.
    pub fn widen(&mut self, features: usize, keep_gamma: bool) -> Result<()> {
        if features < self.n_columns() {
            let expected = format!("at least {}", self.n_columns());
            return Err(Error::parameter("n_features", expected, features));
        }
        if let Some(hashing) = &mut self.hashing {
            hashing.columns = features;
            return Ok(());
        }
        self.spec.check_size::<T>(features, self.task)?;
        if self.counts.n_seen == 0 && !self.frozen {
            self.kernel = self.spec.kernel(features);
        } else if features > self.store.features() && !keep_gamma && !self.frozen {
            self.check_gamma_stays()?;
        }
        if let Some(inclination) = &mut self.inclination {
            inclination.widen(features);
        }
        self.store.widen(features);
        if let Some(scaling) = &mut self.scaling {
            scaling.widen(features);
        }
        if let Some(metric) = &mut self.metric {
            metric.widen(features);
        }
        if let Some(averaging) = &mut self.averaging {
            averaging.widen(features);
        }
        Ok(())
    }
}
