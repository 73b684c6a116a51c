//! Classes balanced by running counts.

use super::{build, bytes, spec};
use crate::float::Real;
use crate::learner::{Learner, Rows};
use crate::params::{ClassWeight, Gamma, KernelName, Maintenance, Spec};
use crate::persist::Tensors;
use crate::rng::Rng;

/// Rows of classes; each class is a third as frequent as the one before, and the last class appears late.
fn rows<T: Real>(count: usize, classes: usize) -> Vec<([T; 2], u32, f64)> {
    let mut rng = Rng::new(7);
    let row = |i: usize| {
        let most = if i < count / 2 { classes - 1 } else { classes };
        let class = (1..most).take_while(|_| rng.index(3) == 0).count();
        let x = [class as f64 + 0.5 * rng.normal(), rng.normal()].map(T::from_f64);
        (x, class as u32, [1.0, 0.5, 2.0, 0.0][i % 4])
    };
    (0..count).map(row).collect()
}

/// The balanced weights of rows, from scratch.
fn by_hand<T>(rows: &[([T; 2], u32, f64)]) -> Vec<f64> {
    let of_row = |i: usize| {
        let seen: Vec<_> = rows[..=i].iter().filter(|(_, _, weight)| *weight > 0.0).collect();
        let count = |class: u32| seen.iter().filter(|(_, other, _)| *other == class).count() as f64;
        let classes = (0..9).filter(|class| count(*class) > 0.0).count() as f64;
        let (_, class, weight) = rows[i];
        let factor = (seen.len() as f64 + classes * 10.0) / (classes * (count(class) + 10.0));
        weight * factor.min(100.0)
    };
    (0..rows.len()).map(of_row).collect()
}

fn balanced(spec: &Spec) -> Spec {
    Spec { class_weight: ClassWeight::Balanced, ..spec.clone() }
}

/// The saved state without the counts of classes.
fn vectors<T: Real>(learner: &Learner<T>) -> (Vec<T>, Vec<T>, u64) {
    (learner.support_vectors(), learner.dual_coef(), learner.counts().updates)
}

fn equals_weights<T: Real>() {
    let names = ["bsgd-merge", "bpa-nn", "budget-perceptron", "mira-merge", "bogd", "online-kernel"];
    for (name, classes) in names.into_iter().flat_map(|name| [(name, 2), (name, 4)]) {
        // Caps so small that steps reach them.
        let (c, c0) = (0.05, 0.5);
        let spec = Spec { budget: Some(20), gamma: Gamma::Value(0.7), c, c0, ..Spec::named(name).unwrap() };
        let rows = rows::<T>(400, classes);
        let mut by_itself: Learner<T> = build(&balanced(&spec), 2, classes);
        let mut weighted: Learner<T> = build(&spec, 2, classes);
        let mut unweighted: Learner<T> = build(&spec, 2, classes);
        for ((x, class, weight), by_hand) in rows.iter().zip(by_hand(&rows)) {
            by_itself.learn_one(x, *class, *weight).unwrap();
            weighted.learn_one(x, *class, by_hand).unwrap();
            unweighted.learn_one(x, *class, *weight).unwrap();
        }
        let expected = vectors(&weighted);
        assert_eq!(vectors(&by_itself), expected, "{name}, {classes} classes");
        assert_ne!(vectors(&unweighted), expected, "{name}, {classes} classes");
    }
}

#[test]
fn balancing_equals_weights_by_hand() {
    equals_weights::<f32>();
    equals_weights::<f64>();
}

/// A batch is valid exactly if its rows are valid one by one: the check uses the upper bound of the weights.
#[test]
fn large_rows_raise_at_any_position() {
    let spec = balanced(&Spec {
        kernel: KernelName::Linear,
        maintenance: Maintenance::Random,
        ..spec(Maintenance::Merge, Some(5))
    });
    let fresh = || build::<f32>(&spec, 1, 2);
    // 100^2 |x|^2 <= 1e28.
    for (x, weight, legal) in
        [(0.9e12, 1.0, true), (1.1e12, 1.0, false), (0.9e11, 10.0, true), (1.1e11, 10.0, false)]
    {
        for before in [0, 3] {
            let mut learner = fresh();
            (0..before).for_each(|_| learner.learn_one(&[1.0], 0, 1.0).unwrap());
            let saved = bytes(&learner);
            let learned = learner.learn_one(&[x], 1, weight);
            assert_eq!(learned.is_ok(), legal, "{x} with weight {weight}: {learned:?}");
            assert!(legal || bytes(&learner) == saved);
        }
    }
    // Predictions have no weights, and no weight exceeds the maximum.
    fresh().decision_function(&Rows::one(&[0.9e14])).unwrap();
    let mut learner = build::<f64>(&balanced(&super::spec(Maintenance::Oldest, Some(500))), 1, 2);
    for i in 0..300 {
        learner.learn_one(&[f64::from(i)], u32::from(i == 299), 1e9).unwrap();
    }
    let last = *learner.dual_coef().last().unwrap();
    assert_eq!(last, 1e9 * (1.0 / (0.01 * 300.0)));
}

#[test]
fn invalid_counts_raise() {
    let spec = balanced(&spec(Maintenance::Merge, Some(9)));
    let mut learner: Learner<f64> = build(&spec, 2, 3);
    for (x, class, weight) in rows::<f64>(40, 3) {
        learner.learn_one(&x, class, weight).unwrap();
    }
    let saved = Tensors::of(|out| learner.save(out));
    Learner::<f64>::load(&spec.check().unwrap(), &saved).unwrap();
    for rows in [
        vec![30.0, 0.0],
        vec![30.0, 0.0, 1.0],
        vec![29.5, 0.5, 0.0],
        vec![31.0, -1.0, 0.0],
        vec![f64::NAN; 3],
    ] {
        let shape = [rows.len()];
        let damaged = saved.changed(|file| file.scope_mut("balance").replace("rows", &shape, rows.clone()));
        assert!(Learner::<f64>::load(&spec.check().unwrap(), &damaged).is_err(), "{rows:?}");
    }
}

#[test]
fn regression_has_no_classes_to_balance() {
    let mut spec = Spec::named_regression("bpa-nn").unwrap();
    let error = spec.set("class_weight", &crate::params::Value::Text("balanced".into())).unwrap_err();
    assert!(error.to_string().contains("applies to classification"), "{error}");
}
