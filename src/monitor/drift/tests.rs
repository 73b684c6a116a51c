//! What follows from losses: by hand, and on streams that change and that do not.

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
fn the_age_falls_while_the_last_model_is_better() {
    let mut drift = Drift { effective_n: 1000.0, ..with([0.3, 0.3, 0.2]) };
    drift.observe(1001, Some(0), [1.0, 1.0, 0.0]);
    assert!((drift.effective_n - (1001.0 - 1.0 - 1.001)).abs() < 1e-9, "{}", drift.effective_n);
    let mut young = Drift { effective_n: 150.0, ..with([0.3, 0.3, 0.2]) };
    young.observe(150, Some(0), [1.0, 1.0, 0.0]);
    assert_eq!(young.effective_n, 151.0);
}

/// All three models lose with these probabilities; alarms with their rows.
fn run(drift: &mut Drift, rows: u64, from: u64, loss: f64, rng: &mut Rng) -> Vec<(u64, bool)> {
    let mut alarms = Vec::new();
    for t in from..from + rows {
        let lost = f64::from(u8::from(rng.uniform() < loss));
        if let Some(alarm) = drift.observe(t, Some((t % 2) as usize), [lost; 3]) {
            alarms.push((t, alarm.discard_coefficients));
        }
    }
    alarms
}

#[test]
fn a_jump_is_an_alarm_and_a_stationary_stream_is_none() {
    let mut rng = Rng::new(3);
    let mut drift = Drift::new(2);
    assert_eq!(run(&mut drift, 20_000, 1, 0.05, &mut rng), []);
    assert_eq!(drift.effective_n(), 20_000.0);
    let alarms = run(&mut drift, 300, 20_001, 0.9, &mut rng);
    let (t, _) = alarms[0];
    assert!(t < 20_120, "{alarms:?}");
    assert!(alarms.iter().any(|alarm| alarm.1), "with two classes an error of 0.9 is hopeless");
    assert!(drift.effective_n() < 400.0);
    assert_eq!(drift.n_changes() as usize, alarms.len());
    // An error that is still far better than guessing is not.
    let mut other = Drift::new(2);
    run(&mut other, 20_000, 1, 0.001, &mut rng);
    let alarms = run(&mut other, 1000, 20_001, 0.09, &mut rng);
    assert!(!alarms.is_empty() && alarms.iter().all(|alarm| !alarm.1), "{alarms:?}");
}

/// With two classes a guess has a loss of 0.5, and so has one in regression.
#[test]
fn coefficients_are_given_up_where_losses_come_near_those_of_a_guess() {
    for (before, after, discard_coefficients) in
        [(0.25, 0.31, false), (0.25, 0.45, true), (0.0, 0.12, false), (0.0, 0.3, true)]
    {
        for classes in [2, 0] {
            let (mut drift, mut rng) = (Drift::new(classes), Rng::new(8));
            let mut alarms = Vec::new();
            for t in 1..=23_000 {
                let lost = f64::from(u8::from(rng.uniform() < if t <= 20_000 { before } else { after }));
                let class = (classes > 0).then_some((t % 2) as usize);
                alarms.extend(drift.observe(t, class, [lost; 3]).map(|alarm| alarm.discard_coefficients));
            }
            assert!(!alarms.is_empty(), "{before} {after} {classes}");
            assert_eq!(
                alarms.contains(&true),
                discard_coefficients,
                "{before} {after} {classes}: {alarms:?}"
            );
        }
    }
    // If the loss before the change was no better than guessing, any rise discards the coefficients.
    let mut guessing = Drift::new(0);
    assert!(guessing.change_detected(0.7).discard_coefficients != (guessing.window.mean() <= 0.7));
}

/// What is done to a saved one.
type Damage = fn(&mut Tensors);

#[test]
fn a_saved_one_goes_on_and_nonsense_is_refused() {
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
