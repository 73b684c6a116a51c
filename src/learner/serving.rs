//! The model that predicts each row before it is learned, and what its predictions say: of changes of the stream, and
//! of how sure it may be.

use super::Counts;
use crate::calibration::Calibration;
use crate::drift::{ChangeDetected, Drift, MODELS};
use crate::error::Result;
use crate::float::Real;
use crate::label::{Label, Task};
use crate::losses::is_misclassified;
use crate::ops::SimdBuffer;
use crate::params::{Average, CheckedSpec, Forget, Rule};
use crate::persist::{Persist, Tensors};
use crate::store::KernelExpansion;

/// A row with its scores by the last model.
pub(super) struct Scored<'a, T: Real> {
    pub(super) label: Label,
    pub(super) k: &'a SimdBuffer<T>,
    /// Its values by the linear part.
    pub(super) values: &'a SimdBuffer<T>,
    pub(super) f: &'a [T],
    /// The deviation of the targets, in regression.
    pub(super) unit: f64,
}

/// Squared errors, in deviations of the targets, from which on a number counts as wrong as can be.
const MOST: f64 = 4.0;

impl<T: Real> Scored<'_, T> {
    /// A loss of `[0, 1]` of these scores.
    fn loss(&self, f: &[T]) -> f64 {
        match self.label {
            Label::Value(y) if self.unit > 0.0 => {
                let a = (y - f[0].to_f64()) / self.unit;
                (a * a).min(MOST) / MOST
            }
            // Of one target nothing is known.
            Label::Value(_) => 0.5,
            label => f64::from(u8::from(label.class().is_some_and(|class| is_misclassified(f, class)))),
        }
    }
}

/// Predicts by the means where there are some. Probabilities are honest, because each row is scored before it is
/// learned.
#[derive(Debug, Clone)]
pub(crate) struct OnlineMonitor<T: Real> {
    forget: Forget,
    drift: Option<Drift>,
    /// Of classes.
    calibration: Option<Calibration>,
    /// Scores by each mean.
    means: Vec<Vec<T>>,
    /// Those that are served, for the calibration.
    served: Vec<f64>,
}

impl<T: Real> OnlineMonitor<T> {
    /// That of the online kernel machine.
    pub(super) fn new(spec: &CheckedSpec, task: Task) -> Option<Self> {
        let spec = spec.spec();
        if spec.rule() != Rule::OnlineKernel {
            return None;
        }
        let drift = (spec.forget == Forget::Auto).then(|| Drift::new(task.classes()));
        let means = match spec.average {
            Average::Late | Average::Suffix(_) => MODELS - 1 - usize::from(drift.is_none()),
            Average::Last | Average::Random => 0,
        };
        Some(Self {
            forget: spec.forget,
            drift,
            calibration: (task != Task::Regression).then(|| Calibration::new(task.classes())),
            means: vec![vec![T::ZERO; task.outputs()]; means],
            served: vec![0.0; task.outputs()],
        })
    }

    /// There are the classes of this task now, more than before.
    pub(super) fn add_classes(&mut self, task: Task) {
        if let Some(drift) = &mut self.drift {
            drift.add_classes(task.classes());
        }
        if let Some(calibration) = &mut self.calibration {
            calibration.add_classes(task.classes());
        }
        self.means.iter_mut().for_each(|f| f.resize(task.outputs(), T::ZERO));
        self.served.resize(task.outputs(), 0.0);
    }

    /// Rows that count, of `t`.
    #[inline(always)]
    pub(super) fn age(&self, t: u64) -> f64 {
        match (&self.drift, self.forget) {
            (Some(drift), _) => drift.age(),
            (None, Forget::Rows(rows)) => t.min(rows) as f64,
            (None, Forget::None | Forget::Auto) => t as f64,
        }
    }

    /// Whether the stream is changing.
    #[inline(always)]
    pub(super) fn is_drifting(&self) -> bool {
        self.drift.as_ref().is_some_and(Drift::is_drifting)
    }

    /// Abrupt changes so far.
    pub(super) fn alarms(&self) -> u64 {
        self.drift.as_ref().map_or(0, Drift::alarms)
    }

    /// The number of the mean that predicts; none where the last model does.
    #[inline(always)]
    pub(super) fn mean(&self) -> Option<usize> {
        let served = self.drift.as_ref().map_or(0, Drift::served);
        (served < self.means.len()).then_some(served)
    }

    /// From now on calibrates by the mean of several, by their shares.
    pub(super) fn calibrate<'a>(&mut self, of: impl Iterator<Item = (&'a Self, f64)>) {
        let all = of.filter_map(|(serving, share)| Some((serving.calibration.as_ref()?, share)));
        if self.calibration.is_some() {
            self.calibration = Calibration::mean(all);
        }
    }

    pub(super) fn calibration(&self) -> Option<&Calibration> {
        self.calibration.as_ref()
    }

    /// Counts what is predicted for the `t`-th row and learns from it, before the row is learned.
    #[inline(always)]
    pub(super) fn observe(
        &mut self,
        t: u64,
        store: &KernelExpansion<T>,
        row: &Scored<'_, T>,
        counts: &mut Counts,
    ) -> Option<ChangeDetected> {
        for (number, f) in self.means.iter_mut().enumerate() {
            store.mean_scores(number, (row.k, row.values, row.f), f);
        }
        let served = self.mean().map_or(row.f, |number| &self.means[number]);
        counts.observe(row.label, served, store.scale());
        if let (Some(calibration), Some(class)) = (&mut self.calibration, row.label.class()) {
            self.served.iter_mut().zip(served).for_each(|(wide, f)| *wide = f.to_f64());
            calibration.observe(&self.served, class);
        }
        let drift = self.drift.as_mut()?;
        let [long, short] = self.means.as_slice() else { return None };
        let losses = [long, short, row.f].map(|f| row.loss(f));
        drift.observe(t, row.label.class(), losses)
    }

    pub(super) fn save(&self, out: &mut Tensors) {
        if let Some(calibration) = &self.calibration {
            calibration.save(out.scope_mut("calibration"));
        }
        if let Some(drift) = &self.drift {
            drift.save(out.scope_mut("drift"));
        }
    }

    pub(super) fn load(&mut self, from: &Tensors) -> Result<()> {
        if let Some(calibration) = &mut self.calibration {
            calibration.load(from.scope("calibration")?)?;
        }
        match &mut self.drift {
            Some(drift) => drift.load(from.scope("drift")?),
            None => Ok(()),
        }
    }
}
