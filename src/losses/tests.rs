//! All losses against finite differences, and the list against itself.

use super::*;

/// Each loss at scores `f`, as its definition has it.
fn loss(of: Descent, label: Label, f: &[f64]) -> f64 {
    let residual = || match label {
        Label::Value(y) | Label::Sign(y) => y - f[0],
        Label::Class(_) => panic!("no loss of classes"),
    };
    match of {
        Descent::Hinge(_) => (1.0 - margin(label, f).0).max(0.0),
        Descent::Log(_) => match label {
            Label::Class(y) => f.iter().map(|f| f.exp()).sum::<f64>().ln() - f[y as usize],
            Label::Sign(y) | Label::Value(y) => (-y * f[0]).exp().ln_1p(),
        },
        Descent::ModifiedHuber(_) => match margin(label, f).0 {
            margin if margin < -1.0 => -4.0 * margin,
            margin => (1.0 - margin).max(0.0).powi(2),
        },
        Descent::Squared(_) => 0.5 * residual() * residual(),
        Descent::Absolute(_) => residual().abs(),
        Descent::EpsilonInsensitive(of) => (residual().abs() - of.epsilon).max(0.0),
        Descent::Huber(of) if residual().abs() <= of.delta => 0.5 * residual() * residual(),
        Descent::Huber(of) => of.delta * (residual().abs() - 0.5 * of.delta),
        Descent::Quantile(of) => (of.q * residual()).max((of.q - 1.0) * residual()),
    }
}

#[test]
fn every_loss_descends_along_its_derivative() {
    let with = LossParameters { epsilon: 0.3, delta: 0.7, quantile: 0.9, grad_tol: 1e-3 };
    let values = [-2.05, -0.41, -0.1, 0.17, 0.44, 1.9];
    let mut cases: Vec<(Descent, Label, Vec<f64>)> = Vec::new();
    for row in Loss::ALL.map(Loss::row) {
        let Some(descent) = row.descent.map(|descent| descent(with)) else { continue };
        for f in values {
            if row.regression {
                cases.push((descent, Label::Value(0.35), vec![f]));
                continue;
            }
            for y in [-1.0, 1.0] {
                cases.push((descent, Label::Sign(y), vec![f]));
            }
            for y in 0..3 {
                cases.push((descent, Label::Class(y), vec![f, 0.93, 0.31 * f]));
            }
        }
    }
    for (of, label, f) in cases {
        for unit in [1.0, 0.04] {
            let raw: Vec<f64> = f.iter().map(|f| f * unit).collect();
            let mut row = vec![0.0; f.len()];
            let some = of.descent(label, &raw, unit, &mut row);
            for c in 0..f.len() {
                let (mut up, mut down) = (f.clone(), f.clone());
                up[c] += 1e-6;
                down[c] -= 1e-6;
                let slope = (loss(of, label, &up) - loss(of, label, &down)) / 2e-6;
                let found = if some { row[c] } else { 0.0 };
                assert!((found + slope).abs() < 1e-8, "{of:?}, {label:?}, {f:?}: {found} and {slope}");
            }
        }
    }
}

#[test]
fn every_loss_has_a_rule_and_its_parameters_exist() {
    for loss in Loss::ALL {
        let row = loss.row();
        assert!(row.descent.is_some() || row.penalty.is_some(), "{loss:?}");
        let known = |name| LOSS_PARAMETERS.iter().any(|field| field.row.name == name);
        assert!(row.parameters.iter().all(|name| known(*name)), "{loss:?}");
        assert_eq!(Loss::named(row.name), Ok(loss));
    }
    for field in LOSS_PARAMETERS {
        assert!(Loss::ALL.iter().any(|loss| loss.has(field.row.name)), "{}", field.row.name);
    }
}
