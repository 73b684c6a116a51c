//! Drift detection from losses: cases by hand, and streams with and without drift.

use super::{Adwin, DriftDetector};
use crate::persist::Tensors;
use crate::rng::Rng;

fn with(losses: [f64; 2]) -> DriftDetector {
    DriftDetector { losses, ..DriftDetector::new(2) }
}

#[test]
fn the_mean_predicts_unless_the_last_model_is_clearly_better() {
    // The deviation at 0.2 is sqrt(0.16 * 0.002), about 0.0179.
    for (last, is_drifting) in [(0.2, false), (0.192, false), (0.19, true), (0.1, true)] {
        assert_eq!(with([0.2, last]).is_drifting(), is_drifting, "{last}");
    }
}

#[test]
fn the_effective_number_of_rows_falls_while_the_last_model_is_better() {
    let mut detector = DriftDetector { effective_n: 1000.0, ..with([0.3, 0.2]) };
    detector.observe(1001, Some(0), [1.0, 0.0], 1.0);
    assert!((detector.effective_n - (1001.0 - 1.0 - 1.001)).abs() < 1e-9, "{}", detector.effective_n);
    let mut early = DriftDetector { effective_n: 150.0, ..with([0.3, 0.2]) };
    early.observe(150, Some(0), [1.0, 0.0], 1.0);
    assert_eq!(early.effective_n, 151.0);
    // After an abrupt drift it is below 200, and each row of gradual drift adds 1.
    let mut late = DriftDetector { effective_n: 32.0, ..with([0.3, 0.2]) };
    late.observe(1001, Some(0), [1.0, 0.0], 1.0);
    assert_eq!(late.effective_n, 33.0);
}

/// Observes rows on which both models have a loss of 1 with probability `loss`. Returns the rows of detected
/// drifts, and whether the coefficients are discarded.
fn run(detector: &mut DriftDetector, rows: u64, from: u64, loss: f64, rng: &mut Rng) -> Vec<(u64, bool)> {
    let mut drifts = Vec::new();
    for t in from..from + rows {
        let lost = f64::from(u8::from(rng.uniform() < loss));
        if let Some(drift) = detector.observe(t, Some((t % 2) as usize), [lost; 2], 1.0) {
            drifts.push((t, drift.discard_coefficients));
        }
    }
    drifts
}

#[test]
fn a_jump_is_detected_and_a_stationary_stream_has_no_drifts() {
    let mut rng = Rng::new(3);
    let mut detector = DriftDetector::new(2);
    assert_eq!(run(&mut detector, 20_000, 1, 0.05, &mut rng), []);
    assert_eq!(detector.effective_n(), 20_000.0);
    let drifts = run(&mut detector, 300, 20_001, 0.9, &mut rng);
    let (t, _) = drifts[0];
    assert!(t < 20_120, "{drifts:?}");
    assert!(drifts.iter().any(|drift| drift.1), "with two classes an error of 0.9 discards the coefficients");
    assert!(detector.effective_n() < 400.0);
    assert_eq!(detector.n_drifts() as usize, drifts.len());
    assert_eq!(detector.drift_rows(), drifts.iter().map(|drift| drift.0).collect::<Vec<_>>());
    // An error far below the error of guessing does not discard the coefficients.
    let mut other = DriftDetector::new(2);
    run(&mut other, 20_000, 1, 0.001, &mut rng);
    let drifts = run(&mut other, 1000, 20_001, 0.09, &mut rng);
    assert!(!drifts.is_empty() && drifts.iter().all(|drift| !drift.1), "{drifts:?}");
}

/// With two classes, and in regression, guessing has a loss of 0.5.
#[test]
fn coefficients_are_discarded_if_losses_come_near_the_loss_of_guessing() {
    for (before, after, discard_coefficients) in
        [(0.25, 0.31, false), (0.25, 0.45, true), (0.0, 0.12, false), (0.0, 0.3, true)]
    {
        for classes in [2, 0] {
            let (mut detector, mut rng) = (DriftDetector::new(classes), Rng::new(8));
            let mut drifts = Vec::new();
            for t in 1..=23_000 {
                let lost = f64::from(u8::from(rng.uniform() < if t <= 20_000 { before } else { after }));
                let class = (classes > 0).then_some((t % 2) as usize);
                drifts.extend(
                    detector.observe(t, class, [lost; 2], 1.0).map(|drift| drift.discard_coefficients),
                );
            }
            assert!(!drifts.is_empty(), "{before} {after} {classes}");
            assert_eq!(
                drifts.contains(&true),
                discard_coefficients,
                "{before} {after} {classes}: {drifts:?}"
            );
        }
    }
    // If the loss before the drift was no better than guessing, any rise discards the coefficients.
    let mut guessing = DriftDetector::new(0);
    assert!(guessing.record_drift(1, 0.7).discard_coefficients != (guessing.window.mean() <= 0.7));
}

/// A change that makes a saved detector invalid.
type Damage = fn(&mut Tensors);

#[test]
fn a_saved_detector_continues_and_invalid_state_raises() {
    let mut rng = Rng::new(4);
    let mut detector = DriftDetector::new(2);
    run(&mut detector, 700, 1, 0.2, &mut rng);
    (1..=20).for_each(|drift| detector.count_drift(30 * drift));
    assert_eq!(detector.drift_rows().first(), Some(&150));
    assert_eq!(detector.drift_rows().last(), Some(&600));
    let saved = Tensors::of(|out| detector.save(out));
    let mut back = DriftDetector::new(2);
    back.load(&saved, 700).unwrap();
    assert_eq!(back, detector);
    let cases: [Damage; 9] = [
        |t| t.reset("effective_n", -1.0),
        |t| t.reset("effective_n", f64::NAN),
        |t| t.replace("losses", &[2], vec![0.5, 1.5]),
        |t| t.replace("frequencies", &[2], vec![0.5, f64::NAN]),
        |t| t.reset("n_drifts", 15u64),
        |t| t.replace("drift_rows", &[16], vec![0.0; 16]),
        |t| t.replace("drift_rows", &[16], vec![701.0; 16]),
        |t| t.replace("drift_rows", &[16], vec![30.5; 16]),
        |t| t.replace("drift_rows", &[16], (0..16).map(|row| f64::from(40 - row)).collect::<Vec<_>>()),
    ];
    for damage in cases {
        assert!(DriftDetector::new(2).load(&saved.changed(damage), 700).is_err());
    }
    assert_eq!(Adwin::new().mean(), 0.0);
}

#[test]
fn more_mistakes_on_rows_of_little_weight_are_no_drift() {
    let mut detector = DriftDetector::new(2);
    let mut rng = Rng::new(3);
    for t in 1..=4000 {
        // One row in twenty has the weight 100. First the model is wrong on these rows, then on all others.
        let is_heavy = rng.index(20) == 0;
        let lost = f64::from(u8::from(is_heavy == (t <= 2000)));
        let weight = if is_heavy { 100.0 } else { 1.0 };
        assert_eq!(detector.observe(t, Some(usize::from(is_heavy)), [lost; 2], weight), None, "at row {t}");
    }
}

#[test]
fn a_common_factor_of_the_weights_cancels() {
    let run = |factor: f64| {
        let (mut detector, mut rng) = (DriftDetector::new(2), Rng::new(4));
        for t in 1..=3000 {
            let lost = f64::from(u8::from(rng.uniform() < if t < 1500 { 0.1 } else { 0.4 }));
            detector.observe(t, Some(0), [lost; 2], factor * rng.uniform());
        }
        (detector.losses, detector.n_drifts)
    };
    assert_eq!(run(1.0), run(0.1));
    assert!(run(1.0).1 > 0);
}
