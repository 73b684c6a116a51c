//! Added classes: slope and counts of the bins do not change.

use super::{Calibration, assert_probabilities, draw, observe, probabilities, scores, softmax};
use crate::ops::{Ops, level};
use crate::persist::{Persist, Tensors};
use crate::rng::Rng;

fn learned(classes: usize, rng: &mut Rng) -> Calibration {
    let mut calibration = Calibration::new(classes);
    for _ in 0..4000 {
        let f = scores(classes, rng);
        let class = draw(&softmax(1.5, &if classes == 2 { vec![-0.2, f[0]] } else { f.clone() }), rng);
        observe(&mut calibration, &f, class);
    }
    calibration
}

#[test]
fn what_was_learned_stays() {
    let mut rng = Rng::new(6);
    for (classes, more) in [(2, 3), (2, 9), (3, 4), (5, 40)] {
        let before = learned(classes, &mut rng);
        let mut after = before.clone();
        after.add_classes(more);
        assert_eq!(after.slope, before.slope);
        let rows = |calibration: &Calibration| calibration.bins.iter().map(|bin| bin.rows).sum::<f64>();
        let hits = |calibration: &Calibration| calibration.bins.iter().map(|bin| bin.hits).sum::<f64>();
        assert!(rows(&after) > 0.5 * rows(&before) && rows(&after) <= rows(&before));
        assert!((hits(&after) / rows(&after) - hits(&before) / rows(&before)).abs() < 0.05);
        // Each bin has rows within its confidence range.
        for (i, bin) in after.bins.iter().enumerate().filter(|(_, bin)| bin.rows > 0.0) {
            assert_eq!(after.bin(bin.sum / bin.rows), i);
        }
        let saved = Tensors::of(|out| after.save(out));
        Calibration::new(more).load(&saved).unwrap();
        for _ in 0..2000 {
            let f = scores(more, &mut rng);
            assert_probabilities(&probabilities(&after, &f));
            observe(&mut after, &f, draw(&softmax(1.5, &f), &mut rng));
        }
        assert!((after.slope - 1.5).abs() < 0.3, "{}", after.slope);
    }
}

/// The two scores of half size have the probabilities of the single score of two classes.
#[test]
fn two_classes_keep_their_odds() {
    let before = learned(2, &mut Rng::new(7));
    let mut after = before.clone();
    after.add_classes(3);
    let (mut two, mut three) = ([0.0; 2], [0.0; 3]);
    for f in [-3.0, -0.5, 0.0, 0.25, 2.0] {
        let ops = Ops::<f64>::at(level());
        let top = before.softmax(ops, &[f], &mut two).top;
        assert_eq!(after.softmax(ops, &[-0.5 * f, 0.5 * f, -1e9], &mut three).top, top);
        assert!((two[0] - three[0]).abs() < 1e-12 && (two[1] - three[1]).abs() < 1e-12, "{two:?} {three:?}");
    }
}
