//! What a model file does not contain is written before it is read.

use super::bytes;
use crate::batch::Task;
use crate::float::Real;
use crate::learner::{Learner, Rows};
use crate::params::{ALGORITHMS, Spec};
use crate::rng::Rng;

impl<T: Real> Learner<T> {
    /// Fills every buffer with numbers that nobody may read.
    fn poison(&mut self) {
        self.expansion.poison();
        self.buffers.scores.poison();
        self.buffers.alpha.fill(T::from_f64(7e3));
        self.input.poison(&mut self.buffers.input);
    }
}

fn continues<T: Real>(name: &str, task: Task, budget: usize) {
    let mut spec = Spec::named(name).unwrap();
    if spec.budget.is_some() {
        spec.budget = Some(budget);
    }
    let Ok(checked) = spec.check() else { return };
    let Ok(plain) = checked.build::<T>(3, task) else { return };
    let (mut plain, mut rng): (Learner<T>, _) = (plain, Rng::new(9));
    let mut poisoned = plain.clone();
    for t in 0..150 {
        let x: Vec<T> = (0..3).map(|_| T::from_f64(rng.normal())).collect();
        let y = x[0].to_f64() * x[1].to_f64() + 0.1 * rng.normal();
        poisoned.poison();
        for learner in [&mut plain, &mut poisoned] {
            match task {
                Task::Regression => learner.learn_one(&x, y, 1.0).unwrap(),
                Task::Classes(classes) => {
                    let class = if y > 0.0 { 0 } else { 1 + t % (classes as u32 - 1) };
                    learner.learn_one(&x, class, 1.0).unwrap();
                }
            }
        }
        if t % 10 == 9 {
            assert_eq!(bytes(&plain), bytes(&poisoned), "{name}, {task:?}, budget {budget}, row {t}");
            let scores =
                [&plain, &poisoned].map(|learner| learner.decision_function(&Rows::one(&x)).unwrap());
            assert_eq!(scores[0], scores[1]);
        }
    }
}

#[test]
fn no_algorithm_reads_a_buffer_before_it_is_written() {
    for algorithm in ALGORITHMS {
        for task in [Task::Classes(2), Task::Classes(4), Task::Regression] {
            for budget in [5, 18, 40] {
                continues::<f32>(algorithm.name, task, budget);
                continues::<f64>(algorithm.name, task, budget);
            }
        }
    }
}
