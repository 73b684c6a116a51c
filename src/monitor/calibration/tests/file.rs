//! A calibration in a model file.

use super::*;

fn saved(calibration: &Calibration) -> Tensors {
    let mut out = Tensors::new();
    calibration.save(&mut out);
    out
}

fn loaded(classes: usize, from: &Tensors) -> Result<Calibration> {
    let mut calibration = Calibration::new(classes);
    calibration.load(from).map(|()| calibration)
}

fn trained(classes: usize, rng: &mut Rng) -> Calibration {
    let mut calibration = Calibration::new(classes);
    (0..3000).for_each(|_| calibration.observe(&scores(classes, rng), rng.index(classes)));
    calibration
}

#[test]
fn a_loaded_calibration_continues() {
    let mut rng = Rng::new(4);
    for classes in [2, 5] {
        assert_eq!(loaded(classes, &saved(&Calibration::new(classes))).unwrap(), Calibration::new(classes));
        let mut first = trained(classes, &mut rng);
        let mut second = loaded(classes, &saved(&first)).unwrap();
        for _ in 0..100 {
            let (f, class) = (scores(classes, &mut rng), rng.index(classes));
            assert_eq!(probabilities(&first, &f), probabilities(&second, &f));
            first.observe(&f, class);
            second.observe(&f, class);
            assert_eq!(first, second);
        }
    }
}

#[test]
fn calibrations_that_no_rows_lead_to_raise() {
    let mut rng = Rng::new(6);
    for classes in [2, 5] {
        let good = trained(classes, &mut rng);
        let refused = |what: &str, change: &dyn Fn(&mut Tensors)| {
            let mut bad = saved(&good);
            change(&mut bad);
            assert!(loaded(classes, &bad).is_err(), "{classes} classes: {what}");
        };
        for slope in [f64::NAN, f64::INFINITY, 0.049, 50.001, -1.0] {
            refused("slope", &|bad| bad.reset("slope", slope));
        }
        for intercept in [f64::NAN, f64::NEG_INFINITY] {
            refused("intercept", &|bad| bad.reset("intercept", intercept));
        }
        let [aa, ab, bb] = good.curvature;
        for curvature in [
            [0.5, 0.0, 1.0],
            [f64::NAN, ab, bb],
            [aa, f64::NAN, bb],
            [aa, ab, f64::NAN],
            [1e207, ab, bb],
            [aa, ab, 0.5],
            [aa, ab, 1e207],
            [aa, 1.1 * (aa * bb).sqrt(), bb],
            [aa, 1e200, bb],
        ] {
            refused("curvature", &|bad| bad.replace("curvature", &[3], curvature.to_vec()));
        }
        for (rows, hits) in
            [(1e16, 1.0), (1.0, 1.5), (1.0, -0.1), (-1.0, -1.0), (f64::NAN, 0.0), (1.0, f64::NAN)]
        {
            refused("bins", &|bad| {
                bad.replace("rows", &[BINS], vec![rows; BINS]);
                bad.replace("hits", &[BINS], vec![hits; BINS]);
            });
        }
        refused("shape", &|bad| bad.replace("hits", &[BINS - 1], vec![0.0; BINS - 1]));
        refused("missing", &|bad| bad.drop_entry("rows"));
    }
    assert!(loaded(3, &saved(&trained(2, &mut rng))).is_err(), "an intercept of more than two classes");
}

/// A damaged file raises an error, or the loaded state can continue.
#[test]
fn damage_raises_or_is_harmless() {
    let mut rng = Rng::new(7);
    for classes in [2, 4] {
        let good = saved(&trained(classes, &mut rng));
        for _ in 0..2000 {
            let mut damaged = good.clone();
            damaged.damage(&mut rng);
            let Ok(mut calibration) = loaded(classes, &damaged) else { continue };
            for _ in 0..20 {
                let f = scores(classes, &mut rng);
                assert_probabilities(&probabilities(&calibration, &f));
                calibration.observe(&f, rng.index(classes));
            }
            assert!(calibration.is_valid());
        }
    }
}
