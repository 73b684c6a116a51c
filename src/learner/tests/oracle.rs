//! The loop against budgeted kernel SGD as the papers write it.

use super::{build, rows_of, spec};
use crate::generate::{checkerboard, waveform};
use crate::learner::{Learner, Rows};
use crate::params::{Maintenance, Spec};
use crate::rng::Rng;

/// Budgeted kernel SGD on the hinge loss as the papers write it, in f64: coefficients that decay with every example.
struct Pegasos {
    spec: Spec,
    outputs: usize,
    t: f64,
    /// Support vectors in insertion order, and their coefficients.
    support: Vec<(Vec<f64>, Vec<f64>)>,
    rng: Rng,
}

impl Pegasos {
    fn kernel(a: &[f64], b: &[f64]) -> f64 {
        (-0.5 * a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>()).exp()
    }

    fn scores(&self, x: &[f64]) -> Vec<f64> {
        let score = |c: usize| self.support.iter().map(|(s, alpha)| alpha[c] * Self::kernel(s, x)).sum();
        (0..self.outputs).map(score).collect()
    }

    fn norm(&self) -> f64 {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let pairs = self.support.iter().flat_map(|a| self.support.iter().map(move |b| (a, b)));
        pairs.map(|((x, a), (z, b))| dot(a, b) * Self::kernel(x, z)).sum::<f64>().sqrt()
    }

    /// Whether the example was inserted.
    fn learn(&mut self, x: &[f64], class: usize) -> bool {
        self.t += 1.0;
        let f = self.scores(x);
        let mut direction = vec![0.0; self.outputs];
        let margin = if self.outputs == 1 {
            direction[0] = if class == 1 { 1.0 } else { -1.0 };
            direction[0] * f[0]
        } else {
            let rivals = (0..self.outputs).filter(|&r| r != class);
            let rival = rivals.reduce(|best, r| if f[r] > f[best] { r } else { best }).unwrap();
            (direction[class], direction[rival]) = (1.0, -1.0);
            f[class] - f[rival]
        };
        let lambda = self.spec.alpha;
        for alpha in self.support.iter_mut().flat_map(|(_, row)| row) {
            *alpha *= 1.0 - 1.0 / self.t;
        }
        let full = self.spec.budget.is_some_and(|budget| self.support.len() == budget);
        if margin >= 1.0 || (full && self.spec.maintenance == Maintenance::Stop) {
            return false;
        }
        let row = direction.iter().map(|v| v / (lambda * self.t)).collect();
        self.support.push((x.to_vec(), row));
        if full {
            let leaver = match self.spec.maintenance {
                Maintenance::Oldest => 0,
                Maintenance::Random => self.rng.index(self.support.len() - 1),
                Maintenance::Smallest => {
                    let size = |(_, row): &(_, Vec<f64>)| row.iter().map(|a| a * a).sum::<f64>();
                    let least = self.support.iter().map(size).fold(f64::INFINITY, f64::min);
                    self.support.iter().position(|s| size(s) <= least * (1.0 + 1e-9)).unwrap()
                }
                other => unreachable!("{other:?} is not written here"),
            };
            self.support.remove(leaver);
        }
        let (norm, radius) = (self.norm(), 1.0 / lambda.sqrt());
        if self.spec.project_to_ball && norm > radius {
            for alpha in self.support.iter_mut().flat_map(|(_, row)| row) {
                *alpha *= radius / norm;
            }
        }
        true
    }
}

#[test]
fn the_loop_is_that_of_the_papers() {
    use Maintenance::{None, Oldest, Random, Smallest, Stop};
    let streams = [("binary", checkerboard(400, 0.1, 1)), ("three classes", waveform(300, 2))];
    for (what, stream) in &streams {
        let rows = rows_of::<f64>(stream);
        for (maintenance, budget) in [
            (None, Option::None),
            (Stop, Some(20)),
            (Oldest, Some(20)),
            (Random, Some(20)),
            (Smallest, Some(20)),
        ] {
            for (ball, alpha) in [(false, 0.01), (true, 0.01), (true, 0.5)] {
                let spec = Spec { project_to_ball: ball, alpha, seed: 7, ..spec(maintenance, budget) };
                let mut learner: Learner<f64> = build(&spec, stream.n_features, stream.n_classes);
                let outputs = learner.n_outputs();
                let rng = Rng::new(7);
                let mut oracle = Pegasos { spec, outputs, t: 0.0, support: Vec::new(), rng };
                let (mut mistakes, mut updates) = (0, 0);
                for (i, (x, class)) in rows.iter().enumerate() {
                    let f = oracle.scores(x);
                    let got = learner.decision_function(&Rows::one(x)).unwrap();
                    let size = f.iter().fold(1.0f64, |size, f| size.max(f.abs()));
                    for (got, exact) in got.iter().zip(&f) {
                        assert!(
                            (got - exact).abs() <= 1e-10 * size,
                            "{what} {maintenance:?} ball {ball} row {i}"
                        );
                    }
                    let predicted = if outputs == 1 {
                        usize::from(f[0] > 0.0)
                    } else {
                        (0..outputs).reduce(|best, c| if f[c] > f[best] { c } else { best }).unwrap()
                    };
                    mistakes += u64::from(predicted != *class as usize);
                    updates += u64::from(oracle.learn(x, *class as usize));
                    learner.learn_one(x, *class, 1.0).unwrap();
                    let support: Vec<f64> = oracle.support.iter().flat_map(|(x, _)| x.clone()).collect();
                    assert_eq!(
                        learner.support_vectors(),
                        support,
                        "{what} {maintenance:?} ball {ball} row {i}"
                    );
                }
                let counts = learner.counts();
                assert_eq!(
                    (counts.n_seen, counts.mistakes, counts.updates),
                    (rows.len() as u64, mistakes, updates)
                );
                let exact = (0..outputs).flat_map(|c| oracle.support.iter().map(move |(_, row)| row[c]));
                for (got, exact) in learner.dual_coef().iter().zip(exact) {
                    assert!((got - exact).abs() <= 1e-10 * (1.0 + exact.abs()), "{got}, not {exact}");
                }
                if ball {
                    assert!(oracle.norm() <= 1.0 / alpha.sqrt() * (1.0 + 1e-9));
                }
            }
        }
    }
}
