//! Outputs for more classes: derived state equals state computed from scratch, also after further edits.

use super::{Keep, Observed, RBF, Slot, insert, margin, reloaded, testing};
use crate::added_outputs::AddedOutputs;
use crate::batch::Row;
use crate::batch::{Label, Task};
use crate::ops::level;
use crate::rng::Rng;

fn check(expansion: &mut Observed<f64>, what: &str) {
    expansion.check_invariants(RBF);
    let (norm2, size) = expansion.norm2_f64(RBF);
    assert!((expansion.norm2() - norm2).abs() <= 1e-12 * (1.0 + size), "{what}: |w|^2 is {norm2}");
    let margins = expansion.order().iter().map(|slot| margin(expansion, RBF, slot));
    let most = margins.fold(f64::NEG_INFINITY, f64::max);
    let (_, found) = expansion.largest_margin(None).unwrap();
    assert!((found - most).abs() <= 1e-10 * (1.0 + size.sqrt()), "{what}: margin {found}, not {most}");
}

/// Inserts and removes vectors, and accumulates the means.
fn continue_training(expansion: &mut Observed<f64>, rng: &mut Rng, classes: usize) {
    for _ in 0..40 {
        if expansion.len() > 12 {
            let slot = expansion.nth_oldest(rng.index(expansion.len()));
            expansion.remove(RBF, slot);
        }
        let row: Vec<f64> = (0..expansion.outputs()).map(|_| rng.normal()).collect();
        let x = [rng.normal(), rng.normal()];
        let label = Label::of_class(rng.index(classes), classes);
        testing::insert_labelled(level(), expansion, RBF, Row::Dense(&x), &row, label);
        expansion.commit_insert(RBF);
        expansion.step_linear(&row, (0.5, 0.25, Row::Dense(&x).into()));
        expansion.accumulate_means(&[0.2, 0.01]);
    }
}

fn rows(expansion: &Observed<f64>, number: usize) -> Vec<Vec<f64>> {
    let mean = expansion.mean(number);
    let row = |slot| (0..expansion.outputs()).map(|c| mean.get(slot, c)).collect();
    let linear = mean.linear().unwrap();
    let features = (0..2).map(|j| (0..expansion.outputs()).map(|c| linear.get(c, j)).collect());
    let constant = (0..expansion.outputs()).map(|c| linear.constant(c)).collect();
    expansion.order().iter().map(row).chain(features).chain([constant]).collect()
}

#[test]
fn what_is_kept_has_more_outputs_too() {
    let keep = Keep { norm2: true, gram: true, neighbours: 2, margins: true };
    let mut expansion: Observed<f64> = Observed::new(None, 2, 1, keep);
    expansion.keep_linear();
    expansion.keep_means(2);
    let mut rng = Rng::new(5);
    continue_training(&mut expansion, &mut rng, 2);
    check(&mut expansion, "two classes");
    for (from, classes) in [(2, 3), (3, 4), (4, 20)] {
        let before = [0, 1].map(|number| rows(&expansion, number));
        let added = AddedOutputs::new(Task::Classes(from), Task::Classes(classes));
        expansion.add_outputs(added);
        check(&mut expansion, "after more classes");
        for (number, before) in before.iter().enumerate() {
            let expected: Vec<Vec<f64>> = before
                .iter()
                .map(|row| (0..classes).map(|output| added.output(output, |old| row[old])).collect())
                .collect();
            assert_eq!(rows(&expansion, number), expected, "mean {number}");
        }
        continue_training(&mut expansion, &mut rng, classes);
        check(&mut expansion, "later");
    }
}

/// A loaded model with added classes equals the saved one, including the state that is not saved.
#[test]
fn models_with_added_classes_are_restored() {
    let keep = Keep { norm2: true, ..Keep::default() };
    let mut expansion: Observed<f32> = Observed::new(Some(9), 2, 1, keep);
    for x in [[0.0, 1.0], [1.0, 0.5], [3.0, 1.0]] {
        let label = Label::Sign(if x[1] > 0.7 { 1.0 } else { -1.0 });
        testing::insert_labelled(level(), &mut expansion, RBF, Row::Dense(&x), &[x[0] - 0.3], label);
    }
    expansion.remove(RBF, Slot(1));
    expansion.add_outputs(AddedOutputs::new(2.into(), 3.into()));
    assert_eq!(super::bytes(&reloaded(&expansion, RBF, keep)), super::bytes(&expansion));
    let again = reloaded(&expansion, RBF, keep);
    for slot in [Slot(0), Slot(1), Slot(2)] {
        let weight = |expansion: &Observed<f32>| expansion.coefficients().weights().get(slot.index());
        assert_eq!(weight(&again), weight(&expansion));
    }
    insert(&mut expansion, RBF, Row::Dense(&[0.2, 0.2]), &[0.0, 1.0, -1.0]);
}
