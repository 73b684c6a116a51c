//! A calibration in a model file.

use super::*;

fn saved(calibration: &Calibration) -> Tensors {
    Tensors::of(|out| calibration.save(out))
}

fn loaded(classes: usize, from: &Tensors) -> Result<Calibration> {
    let mut calibration = Calibration::new(classes);
    calibration.load(from).map(|()| calibration)
}

fn trained(classes: usize, rng: &mut Rng) -> Calibration {
    let mut calibration = Calibration::new(classes);
    (0..3000).for_each(|_| observe(&mut calibration, &scores(classes, rng), rng.index(classes)));
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
            observe(&mut first, &f, class);
            observe(&mut second, &f, class);
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
            assert!(loaded(classes, &saved(&good).changed(change)).is_err(), "{classes} classes: {what}");
        };
        for slope in [f64::NAN, f64::INFINITY, 0.049, 50.001, -1.0] {
            refused("slope", &|bad| bad.reset("slope", slope));
        }
        for curvature in [f64::NAN, 0.5, 1e207] {
            refused("curvature", &|bad| bad.reset("curvature", curvature));
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
}

/// A damaged file raises an error, or the loaded state can continue.
#[test]
fn damage_raises_or_is_harmless() {
    let mut rng = Rng::new(7);
    for classes in [2, 4] {
        let good = saved(&trained(classes, &mut rng));
        for _ in 0..2000 {
            let damaged = good.changed(|file| file.damage(&mut rng));
            let Ok(mut calibration) = loaded(classes, &damaged) else { continue };
            for _ in 0..20 {
                let f = scores(classes, &mut rng);
                assert_probabilities(&probabilities(&calibration, &f));
                observe(&mut calibration, &f, rng.index(classes));
            }
            assert!(calibration.is_valid());
        }
    }
}
