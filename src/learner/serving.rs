//! The model that predicts each row before it is learned, and what its predictions say: of changes of the stream, and of
//! how sure it may be.

use super::Counts;
use crate::calibration::Calibration;
use crate::drift::{Alarm, Drift, MODELS};
use crate::error::Result;
use crate::float::Real;
use crate::label::{Label, Task};
use crate::losses::predicted;
use crate::ops::Lanes;
use crate::params::{Average, CheckedSpec, Forget, Rule};
use crate::persist::{Persist, Tensors};
use crate::row::Row;
use crate::store::Store;

/// A row with its scores by the last model.
pub(super) struct Scored<'a, T: Real> {
    pub(super) x: Row<'a, T>,
    pub(super) label: Label,
    pub(super) k: &'a Lanes<T>,
    pub(super) f: &'a [T],
}

/// Predicts by the means where there are some. Probabilities are honest, because each row is scored before it is learned.
#[derive(Debug, Clone)]
pub(crate) struct Serving<T: Real> {
    forget: Forget,
    drift: Option<Drift>,
    calibration: Calibration,
    /// Scores by each mean.
    means: Vec<Vec<T>>,
    /// Those that are served, for the calibration.
    served: Vec<f64>,
}

impl<T: Real> Serving<T> {
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
            calibration: Calibration::new(task.classes()),
            means: vec![vec![T::ZERO; task.outputs()]; means],
            served: vec![0.0; task.outputs()],
        })
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

    pub(super) fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    /// Counts what is predicted for the `t`-th row and learns from it, before the row is learned.
    #[inline(always)]
    pub(super) fn observe(
        &mut self,
        t: u64,
        store: &Store<T>,
        row: &Scored<'_, T>,
        lanes: &mut Lanes<T>,
        counts: &mut Counts,
    ) -> Option<Alarm> {
        for (number, f) in self.means.iter_mut().enumerate() {
            store.mean_scores(number, row.x, (row.k, row.f), lanes, f);
        }
        let served = self.mean().map_or(row.f, |number| &self.means[number]);
        counts.observe(row.label, served, store.scale());
        let class = row.label.class()?;
        self.served.iter_mut().zip(served).for_each(|(wide, f)| *wide = f.to_f64());
        self.calibration.observe(&self.served, class);
        let drift = self.drift.as_mut()?;
        let loss = |f: &[T]| f64::from(u8::from(predicted(f) != class));
        let [long, short] = self.means.as_slice() else { return None };
        drift.observe(t, Some(class), [loss(long), loss(short), loss(row.f)])
    }

    pub(super) fn save(&self, out: &mut Tensors) {
        self.calibration.save(out.scope_mut("calibration"));
        if let Some(drift) = &self.drift {
            drift.save(out.scope_mut("drift"));
        }
    }

    pub(super) fn load(&mut self, from: &Tensors) -> Result<()> {
        self.calibration.load(from.scope("calibration")?)?;
        match &mut self.drift {
            Some(drift) => drift.load(from.scope("drift")?),
            None => Ok(()),
        }
    }
}
