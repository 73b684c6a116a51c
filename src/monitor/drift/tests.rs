//! Drift detection from losses: cases by hand, and streams with and without drift.

use super::{Adwin, Drift, LAST, LONG};
use crate::persist::{Persist, Tensors};
use crate::rng::Rng;

fn with(losses: [f64; 3]) -> Drift {
    Drift { losses, ..Drift::new(2) }
}

#[test]
fn the_long_mean_predicts_unless_another_is_clearly_better() {
    // The deviation at 0.2 is sqrt(0.16 * 0.002), about 0.0179.
    assert_eq!(with([0.2, 0.2, 0.2]).predictor(), LONG);
    assert_eq!(with([0.2, 0.192, 0.192]).predictor(), LONG);
    assert_eq!(with([0.2, 0.19, 0.195]).predictor(), 1);
    assert_eq!(with([0.2, 0.19, 0.18]).predictor(), LAST);
    assert!(!with([0.2, 0.18, 0.192]).is_drifting());
    assert!(with([0.2, 0.2, 0.19]).is_drifting());
}

#[test]
fn the_effective_number_of_rows_falls_while_the_last_model_is_better() {
    let mut drift = Drift { effective_n: 1000.0, ..with([0.3, 0.3, 0.2]) };
    drift.observe(1001, Some(0), [1.0, 1.0, 0.0]);
    assert!((drift.effective_n - (1001.0 - 1.0 - 1.001)).abs() < 1e-9, "{}", drift.effective_n);
    let mut early = Drift { effective_n: 150.0, ..with([0.3, 0.3, 0.2]) };
    early.observe(150, Some(0), [1.0, 1.0, 0.0]);
    assert_eq!(early.effective_n, 151.0);
}

/// Observes rows on which all three models have a loss of 1 with probability `loss`. Returns the rows of detected
/// changes, and whether the coefficients are discarded.
fn run(drift: &mut Drift, rows: u64, from: u64, loss: f64, rng: &mut Rng) -> Vec<(u64, bool)> {
    let mut changes = Vec::new();
    for t in from..from + rows {
        let lost = f64::from(u8::from(rng.uniform() < loss));
        if let Some(change) = drift.observe(t, Some((t % 2) as usize), [lost; 3]) {
            changes.push((t, change.discard_coefficients));
        }
    }
    changes
}

#[test]
fn a_jump_is_detected_and_a_stationary_stream_has_no_changes() {
    let mut rng = Rng::new(3);
    let mut drift = Drift::new(2);
    assert_eq!(run(&mut drift, 20_000, 1, 0.05, &mut rng), []);
    assert_eq!(drift.effective_n(), 20_000.0);
    let changes = run(&mut drift, 300, 20_001, 0.9, &mut rng);
    let (t, _) = changes[0];
    assert!(t < 20_120, "{changes:?}");
    assert!(
        changes.iter().any(|change| change.1),
        "with two classes an error of 0.9 discards the coefficients"
    );
    assert!(drift.effective_n() < 400.0);
    assert_eq!(drift.n_changes() as usize, changes.len());
    // An error far below the error of guessing does not discard the coefficients.
    let mut other = Drift::new(2);
    run(&mut other, 20_000, 1, 0.001, &mut rng);
    let changes = run(&mut other, 1000, 20_001, 0.09, &mut rng);
    assert!(!changes.is_empty() && changes.iter().all(|change| !change.1), "{changes:?}");
}

/// With two classes, and in regression, guessing has a loss of 0.5.
#[test]
fn coefficients_are_discarded_if_losses_come_near_the_loss_of_guessing() {
    for (before, after, discard_coefficients) in
        [(0.25, 0.31, false), (0.25, 0.45, true), (0.0, 0.12, false), (0.0, 0.3, true)]
    {
        for classes in [2, 0] {
            let (mut drift, mut rng) = (Drift::new(classes), Rng::new(8));
            let mut changes = Vec::new();
            for t in 1..=23_000 {
                let lost = f64::from(u8::from(rng.uniform() < if t <= 20_000 { before } else { after }));
                let class = (classes > 0).then_some((t % 2) as usize);
                changes.extend(drift.observe(t, class, [lost; 3]).map(|change| change.discard_coefficients));
            }
            assert!(!changes.is_empty(), "{before} {after} {classes}");
            assert_eq!(
                changes.contains(&true),
                discard_coefficients,
                "{before} {after} {classes}: {changes:?}"
            );
        }
    }
    // If the loss before the change was no better than guessing, any rise discards the coefficients.
    let mut guessing = Drift::new(0);
    assert!(guessing.change_detected(0.7).discard_coefficients != (guessing.window.mean() <= 0.7));
}

/// A change that makes a saved detector invalid.
type Damage = fn(&mut Tensors);

#[test]
fn a_saved_detector_continues_and_invalid_state_raises() {
    let mut rng = Rng::new(4);
    let mut drift = Drift::new(2);
    run(&mut drift, 700, 1, 0.2, &mut rng);
    let mut saved = Tensors::new();
    drift.save(&mut saved);
    let mut back = Drift::new(2);
    back.load(&saved).unwrap();
    assert_eq!(back, drift);
    let cases: [Damage; 4] = [
        |t| t.reset("age", -1.0),
        |t| t.reset("age", f64::NAN),
        |t| t.replace("losses", &[3], vec![0.5, 1.5, 0.5]),
        |t| t.replace("shares", &[2], vec![0.5, f64::NAN]),
    ];
    for damage in cases {
        let mut damaged = saved.clone();
        damage(&mut damaged);
        assert!(Drift::new(2).load(&damaged).is_err());
    }
    assert_eq!(Adwin::new().mean(), 0.0);
}
