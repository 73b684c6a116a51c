//! A linear correction of the scores, learned by log loss.

use crate::added_outputs::AddedOutputs;
use crate::batch::Task;
use crate::component::{Component, Loading};
use crate::error::{Result, check_model};
use crate::expansion::{LinearInput, LinearTerm};
use crate::float::Real;
use crate::ops::{Ops, SimdBuffer};
use crate::persist::Tensors;

/// The learning rate, in units of the logits `a g`.
const RATE: f64 = 0.05;
/// A class whose probability is wrong by less than this makes no step: with many classes, most are.
const NEGLIGIBLE: f64 = 1e-2;
/// A row of more weight, relative to the mean, counts as this many rows.
const MAX_WEIGHT: f64 = 1e9;
/// Predictions use the correction while it has saved more log loss than this, in nats, and the vote of recent
/// rows while it has saved more errors than this.
pub(super) const MIN_SAVED: f64 = 3.0;

/// Corrected scores `g = f + V x + v0`.
///
/// Where classes overlap, steps on the hinge loss leave f flat: it no longer ranks the rows, although x still
/// tells them apart. V and v0 follow the gradient of the log loss of `softmax(a g)`, given f, with the step
/// sizes of AdaGrad-Norm (Ward, Wu and Bottou 2019), one for each class r: with the error
/// `e_r = q (p_r - [r = y])` on a row of d features and relative weight q,
/// `G_r += e_r^2 (|x|^2 + 1) / (d + 1)`, from 1 on, and `(V_r, v0_r) -= 0.05 e_r (x, 1) / (a sqrt(G_r))`.
#[derive(Debug, Clone)]
pub(crate) struct Correction<T: Real> {
    /// V and v0.
    term: LinearTerm<T>,
    /// G
    squares: Vec<f64>,
    /// `V x` and `V x + v0` of the present row, and the steps of the outputs: buffers.
    values: SimdBuffer<T>,
    scores: Vec<T>,
    steps: SimdBuffer<T>,
}

impl<T: Real> Correction<T> {
    /// No correction, of rows with `features` features.
    pub(crate) fn new(outputs: usize, features: usize) -> Self {
        let [values, steps] = [(); 2].map(|()| SimdBuffer::default());
        Self {
            term: LinearTerm::new(1, outputs, features),
            squares: vec![1.0; outputs],
            values,
            scores: vec![T::ZERO; outputs],
            steps,
        }
    }

    /// V and v0.
    pub(crate) fn term(&self) -> &LinearTerm<T> {
        &self.term
    }

    /// Adds `V x + v0` to the scores of a row.
    #[inline(always)]
    pub(super) fn add_to(&mut self, ops: Ops<T>, x: LinearInput<'_, T>, f: &mut [f64]) {
        self.term.values(ops, x, &mut self.values);
        self.scores.fill(T::ZERO);
        self.term.add_to(&self.values, &mut self.scores);
        f.iter_mut().zip(&self.scores).for_each(|(f, g)| *f += g.to_f64());
    }

    /// Learns from a row of a class and its probabilities `softmax(a g)`; `slope` is a.
    #[inline(always)]
    pub(super) fn learn(
        &mut self,
        (ops, x): (Ops<T>, LinearInput<'_, T>),
        p: &[f64],
        (class, weight): (usize, f64),
        slope: f64,
    ) {
        // The single output of two classes is the score of the second class.
        let first = p.len() - self.squares.len();
        let weight = weight.min(MAX_WEIGHT);
        // The error of the class is the sum of all others.
        if weight * (1.0 - p[class]) < NEGLIGIBLE {
            return;
        }
        let square = (x.squared_norm().to_f64() + 1.0) / (self.term.features() + 1) as f64;
        let steps = self.squares.iter_mut().zip(&p[first..]).zip(first..).map(|((sum, p), r)| {
            let error = weight * if r == class { p - 1.0 } else { *p };
            if error.abs() < NEGLIGIBLE {
                return T::ZERO;
            }
            *sum += error * error * square;
            T::from_f64(-RATE * error / (slope * sum.sqrt()))
        });
        self.term.put_steps(steps, &mut self.steps);
        self.term.step(ops, &self.steps, x, T::ONE);
    }

    /// Forgets all rows.
    pub(super) fn forget(&mut self) {
        self.term.scale(T::ZERO);
        self.squares.fill(1.0);
    }
}

impl<T: Real> Component<T> for Correction<T> {
    fn add_features(&mut self, features: usize) {
        self.term.add_features(features);
    }

    fn add_outputs(&mut self, added: AddedOutputs, _: Task) {
        self.term.add_outputs(added);
        if added.n_before() == 1 {
            // The errors of two classes have the same size.
            self.squares.push(self.squares[0]);
        }
        self.squares.resize(added.n_after(), 1.0);
        self.scores.resize(added.n_after(), T::ZERO);
    }

    fn save(&self, out: &mut Tensors) {
        self.term.save(out.scope_mut("linear"));
        out.put("squares", &[self.squares.len()], self.squares.iter().copied());
    }

    fn load(&mut self, from: &Tensors, _: &Loading) -> Result<()> {
        self.term.load(from.scope("linear")?)?;
        self.squares = from.get("squares", &[self.squares.len()])?;
        let is_valid = self.squares.iter().all(|sum| (1.0..=f64::MAX).contains(sum));
        check_model(is_valid, "the correction of the scores is out of range")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Row;
    use crate::ops::level;
    use crate::rng::Rng;

    fn ops() -> Ops<f64> {
        Ops::at(level())
    }

    /// Learns from a row of a class with the probabilities `p`.
    fn learn(correction: &mut Correction<f64>, x: &[f64], p: &[f64], class: usize, weight: f64) {
        correction.learn((ops(), Row::Dense(x).into()), p, (class, weight), 2.0);
    }

    fn corrected(correction: &mut Correction<f64>, x: &[f64], f: &[f64]) -> Vec<f64> {
        let mut f = f.to_vec();
        correction.add_to(ops(), Row::Dense(x).into(), &mut f);
        f
    }

    #[test]
    fn steps_by_hand() {
        let mut correction = Correction::new(1, 2);
        learn(&mut correction, &[2.0, -1.0], &[0.5, 0.5], 1, 1.0);
        // The error is -1/2, G = 1 + (4 + 1 + 1) / 12, and the step 0.05 / 4 / sqrt(G).
        let step = 0.0125 / 1.5_f64.sqrt();
        let found = corrected(&mut correction, &[1.0, 10.0], &[3.0])[0];
        assert!((found - (3.0 + step * (2.0 - 10.0 + 1.0))).abs() < 1e-12, "{found}");
        // A class that is wrong by less than 0.01 makes no step.
        let mut correction = Correction::new(3, 1);
        learn(&mut correction, &[1.0], &[0.9, 0.095, 0.005], 0, 1.0);
        let found = corrected(&mut correction, &[1.0], &[0.0; 3]);
        assert!(found[0] > 0.0 && found[1] < 0.0 && found[2] == 0.0, "{found:?}");
    }

    #[test]
    fn the_log_loss_of_overlapping_classes_falls_to_its_least() {
        let (mut rng, mut correction) = (Rng::new(3), Correction::new(1, 2));
        let (mut loss, mut least) = (0.0, 0.0);
        for t in 0..20_000 {
            let x = [rng.normal(), rng.normal()];
            let truth = 1.0 / (1.0 + (1.0 - 2.0 * x[0]).exp());
            let class = usize::from(rng.uniform() < truth);
            let g = corrected(&mut correction, &x, &[0.0])[0];
            let p = 1.0 / (1.0 + (-2.0 * g).exp());
            if t >= 10_000 {
                let log = |p: f64| if class == 1 { -p.ln() } else { -(1.0 - p).ln() };
                (loss, least) = (loss + log(p), least + log(truth));
            }
            learn(&mut correction, &x, &[1.0 - p, p], class, 1.0);
        }
        assert!(loss < 1.01 * least, "{loss}, {least}");
    }

    #[test]
    fn more_features_and_classes_keep_corrected_scores() {
        let mut correction = Correction::new(1, 2);
        learn(&mut correction, &[2.0, -1.0], &[0.3, 0.7], 0, 1.0);
        let before = corrected(&mut correction, &[0.5, 0.5], &[0.0])[0];
        correction.add_features(3);
        assert_eq!(corrected(&mut correction, &[0.5, 0.5, 9.0], &[0.0])[0], before);
        correction.add_outputs(AddedOutputs::new(Task::Classes(2), Task::Classes(4)), Task::Classes(4));
        let after = corrected(&mut correction, &[0.5, 0.5, 9.0], &[0.0; 4]);
        assert!((after[1] - after[0] - before).abs() < 1e-15 && after[2..] == [0.0, 0.0], "{after:?}");
        learn(&mut correction, &[1.0, 1.0, 1.0], &[0.25; 4], 3, 1.0);
        let mut saved = Tensors::new();
        correction.save(&mut saved);
        let head = Loading { task: Task::Classes(4), features: 3, n_seen: 2, max_size: 1 };
        let mut loaded = Correction::new(4, 3);
        loaded.load(&saved, &head).unwrap();
        let x = [1.0, 2.0, 3.0];
        assert_eq!(corrected(&mut loaded, &x, &[0.0; 4]), corrected(&mut correction, &x, &[0.0; 4]));
        for bad in [0.5, f64::NAN, f64::INFINITY] {
            let mut damaged = saved.clone();
            damaged.replace("squares", &[4], vec![bad; 4]);
            assert!(loaded.load(&damaged, &head).is_err(), "{bad}");
        }
        correction.forget();
        assert_eq!(corrected(&mut correction, &x, &[0.0; 4]), [0.0; 4]);
    }
}
