//! Gradients compared with finite differences, and the table of losses.

use super::*;

/// The loss at scores `f`, by definition.
fn loss(of: SgdLoss, label: Label, f: &[f64]) -> f64 {
    let residual = || match label {
        Label::Value(y) | Label::Sign(y) => y - f[0],
        Label::Class(_) => panic!("a regression loss has no classes"),
    };
    match of {
        SgdLoss::Hinge(_) => (1.0 - margin(label, f).0).max(0.0),
        SgdLoss::LogLoss(_) => match label {
            Label::Class(y) => f.iter().map(|f| f.exp()).sum::<f64>().ln() - f[y as usize],
            Label::Sign(y) | Label::Value(y) => (-y * f[0]).exp().ln_1p(),
        },
        SgdLoss::ModifiedHuber(_) => match margin(label, f).0 {
            margin if margin < -1.0 => -4.0 * margin,
            margin => (1.0 - margin).max(0.0).powi(2),
        },
        SgdLoss::Residual(ResidualLoss::SquaredError) => 0.5 * residual() * residual(),
        SgdLoss::Residual(ResidualLoss::AbsoluteError) => residual().abs(),
        SgdLoss::Residual(ResidualLoss::EpsilonInsensitive { epsilon }) => {
            (residual().abs() - epsilon).max(0.0)
        }
        SgdLoss::Residual(ResidualLoss::Huber { delta }) if residual().abs() <= delta => {
            0.5 * residual() * residual()
        }
        SgdLoss::Residual(ResidualLoss::Huber { delta }) => delta * (residual().abs() - 0.5 * delta),
        SgdLoss::Residual(ResidualLoss::Quantile { q }) => (q * residual()).max((q - 1.0) * residual()),
    }
}

#[test]
fn gradients_equal_finite_differences() {
    let with = LossParameters { epsilon: 0.3, delta: 0.7, quantile: 0.9, grad_tol: 1e-3 };
    let values = [-2.05, -0.41, -0.1, 0.17, 0.44, 1.9];
    let mut cases: Vec<(SgdLoss, Label, Vec<f64>)> = Vec::new();
    for entry in Loss::ALL.map(Loss::entry) {
        let Some(sgd) = entry.sgd.map(|sgd| sgd(with)) else { continue };
        for f in values {
            if entry.regression {
                cases.push((sgd, Label::Value(0.35), vec![f]));
                continue;
            }
            for y in [-1.0, 1.0] {
                cases.push((sgd, Label::Sign(y), vec![f]));
            }
            for y in 0..3 {
                cases.push((sgd, Label::Class(y), vec![f, 0.93, 0.31 * f]));
            }
        }
    }
    for (of, label, f) in cases {
        for inv_scale in [1.0, 0.04] {
            let unscaled: Vec<f64> = f.iter().map(|f| f * inv_scale).collect();
            let mut alpha = vec![0.0; f.len()];
            let nonzero = of.neg_gradient(label, &unscaled, inv_scale, &mut alpha);
            for c in 0..f.len() {
                let (mut up, mut down) = (f.clone(), f.clone());
                up[c] += 1e-6;
                down[c] -= 1e-6;
                let slope = (loss(of, label, &up) - loss(of, label, &down)) / 2e-6;
                let found = if nonzero { alpha[c] } else { 0.0 };
                assert!((found + slope).abs() < 1e-8, "{of:?}, {label:?}, {f:?}: {found} and {slope}");
            }
        }
    }
}

#[test]
fn every_loss_has_a_rule_and_its_parameters_exist() {
    for loss in Loss::ALL {
        let entry = loss.entry();
        assert!(entry.sgd.is_some() || entry.penalty.is_some(), "{loss:?}");
        let known = |name| LOSS_PARAMETERS.iter().any(|field| field.info.name == name);
        assert!(entry.parameters.iter().all(|name| known(*name)), "{loss:?}");
        assert_eq!(Loss::named(entry.name), Ok(loss));
    }
    for field in LOSS_PARAMETERS {
        assert!(Loss::ALL.iter().any(|loss| loss.has(field.info.name)), "{}", field.info.name);
    }
}
