//! Invalid values of every parameter, invalid combinations, and `get` after `set`.

mod cases;
mod combinations;
mod names;

use super::{
    ALGORITHMS, Average, Gamma, KernelName, KernelParameters, Loss, LossParameters, Maintenance, Rate, Spec,
    Value, table,
};
use crate::error::Error;
use crate::testing::fixed_cases;
use cases::{ALWAYS, cases};
use proptest::prelude::*;

/// A valid specification that the parameter applies to.
fn having(name: &str) -> Spec {
    let spec = match name {
        "n_neighbors" => Spec::named("bpa-nn"),
        "may_discard_new" => Spec::named("bpa-s"),
        "C" => Spec::named("pa"),
        "max_size" => Spec::named("nbsgd").map(|spec| Spec { rate: Some(Rate::Value(1.0)), ..spec }),
        "epsilon" => Spec::named_regression("bpa-nn"),
        "margin" => Spec::named("budget-mira"),
        "eta" => Spec::named("projectron++"),
        "eta0" | "max_coef" => Spec::named("bogd"),
        "delta" => Spec::named_regression("bsgd-merge").map(|spec| Spec { loss: Loss::Huber, ..spec }),
        "quantile" => Spec::named_regression("bsgd-merge").map(|spec| Spec { loss: Loss::Quantile, ..spec }),
        "degree" | "coef0" => {
            Spec::named("bsgd-random").map(|spec| Spec { kernel: KernelName::Poly, ..spec })
        }
        "C0" | "C_decay" | "noise_margin" | "forget" | "missing" | "missing_values" => {
            Spec::named("online-kernel")
        }
        "alpha_rq" => {
            Spec::named("bsgd-random").map(|spec| Spec { kernel: KernelName::RationalQuadratic, ..spec })
        }
        "grad_tol" => Spec::named("bsgd-merge").map(|spec| Spec { loss: Loss::LogLoss, ..spec }),
        _ => Spec::named("bsgd-merge"),
    };
    spec.unwrap()
}

/// Sets a parameter of a valid specification and checks the specification.
fn with(name: &str, value: &Value) -> Result<Spec, Error> {
    let mut spec = having(name);
    spec.set(name, value)?;
    spec.check().map(|checked| checked.spec().clone())
}

#[test]
fn invalid_values_raise_with_the_name() {
    let cases = cases();
    let names = || cases.iter().map(|case| case.0);
    assert!(table().all(|parameter| names().filter(|name| *name == parameter.info().name).count() == 1));
    assert_eq!(cases.len(), table().count(), "a case for every parameter");
    for (name, expected, valid, invalid) in cases {
        for value in valid {
            let spec = with(name, &value).unwrap_or_else(|error| panic!("{name} = {value}: {error}"));
            let as_float = |value: &Value| {
                if let Value::Int(i) = value { Value::Float(*i as f64) } else { value.clone() }
            };
            let got = spec.get(name).unwrap();
            assert!(got == value || got == as_float(&value), "{name} = {value} became {got}");
        }
        for value in invalid {
            let error = with(name, &value).expect_err(name);
            let mut unchanged = having(name);
            assert!(unchanged.set(name, &value).is_ok() || unchanged == having(name), "{name} = {value:?}");
            assert!(error.to_string().contains(&format!(", got {value}")), "{error}");
            assert!(error.to_string().starts_with(&format!("{name} must be {expected}, got ")), "{error}");
        }
    }
}

#[test]
fn unknown_names_raise() {
    let mut spec = Spec::named("bsgd-merge").unwrap();
    let error = spec.set("nothing", &Value::Int(1)).unwrap_err().to_string();
    assert!(error.contains("nothing") && spec.parameters().all(|name| error.contains(name)), "{error}");
    assert_eq!(spec.get("nothing"), None);
    let error = Spec::named("cubic").unwrap_err().to_string();
    assert_eq!(error, "algorithm must be a name in budgetrs.ALGORITHMS, got \"cubic\"");
    let error = Spec::named("rbf").unwrap_err().to_string();
    assert!(error.ends_with("got \"rbf\", which is a kernel: use kernel = \"rbf\""), "{error}");
}

/// A name may be spelled with `-` or `_`; the canonical name is stored.
#[test]
fn names_have_two_spellings() {
    let both = |name: &str| [name.replace('-', "_"), name.replace('_', "-")];
    for algorithm in ALGORITHMS {
        for spelled in both(algorithm.name) {
            assert_eq!(Spec::named(&spelled).unwrap().algorithm, algorithm.name);
        }
    }
    let mut spec = Spec::named("bsgd-merge").unwrap();
    let names = Maintenance::ALL.map(|member| ("maintenance", member.name())).into_iter();
    let names = names.chain(Loss::ALL.map(|member| ("loss", member.name())));
    for (parameter, name) in names.chain(KernelName::ALL.map(|member| ("kernel", member.name()))) {
        for spelled in both(name) {
            spec.set(parameter, &Value::Text(spelled)).unwrap();
            assert_eq!(spec.get(parameter), Some(Value::Text(name.into())));
        }
    }
}

#[test]
fn inapplicable_parameters_raise_with_the_applicable_ones() {
    // Algorithm, kernel, parameter, and the choices that the parameter applies to.
    let cases = [
        ("bsgd-random", "rbf", "C", "passive-aggressive (\"pa*\", \"bpa-*\") or MIRA (\"mira*\", "),
        ("pa", "rbf", "alpha", "SGD (\"bsgd-*\", \"nbsgd*\", \"pegasos\") or \"bogd\""),
        ("bogd", "rbf", "loss", "SGD (\"bsgd-*\", \"nbsgd*\", \"pegasos\") or passive-aggressive (\"pa*\""),
        ("bsgd-random", "rbf", "n_neighbors", "maintenance = \"project-nn\", \"nn\""),
        ("bsgd-random", "rbf", "margin", "MIRA, the Perceptron (except with"),
        ("bsgd-random", "rbf", "grad_tol", "loss = \"log_loss\""),
        ("bsgd-random", "rbf", "degree", "kernel = \"poly\""),
        ("bsgd-random", "laplacian", "coef0", "kernel = \"poly\", \"sigmoid\""),
        ("bsgd-random", "linear", "gamma", "kernel = \"rbf\", \"laplacian\", \"poly\", \"sigmoid\""),
    ];
    for (algorithm, kernel, name, applies_with) in cases {
        let mut spec = Spec { kernel: KernelName::named(kernel).unwrap(), ..Spec::named(algorithm).unwrap() };
        let before = spec.clone();
        assert_eq!(spec.get(name), None);
        let error = spec.set(name, &Value::Float(1.0)).unwrap_err();
        assert_eq!(error.parameter_name(), Some(name));
        let error = error.to_string();
        assert!(error.starts_with(&format!("{name} does not apply to algorithm = {algorithm:?}")), "{error}");
        assert!(error.contains(&format!("; {name} applies to {applies_with}")), "{error}");
        assert!(spec.parameters().all(|known| known != name), "{error}");
        assert_eq!(spec, before);
    }
}

/// Descriptions are complete sentences, for the documentation.
#[test]
fn every_parameter_has_a_description() {
    for parameter in table() {
        let info = parameter.info();
        assert!(info.description.ends_with('.') && !info.description.contains("  "), "{}", info.description);
        let spec = having(info.name);
        assert!(parameter.applies(&spec), "{}", info.name);
        info.check(&parameter.get(&spec)).unwrap();
        let always = ALWAYS.contains(&info.name);
        assert_eq!(parameter.applies_with().is_empty(), always, "{}", info.name);
    }
}

#[test]
fn every_algorithm_is_valid_and_has_a_unique_name() {
    for (i, algorithm) in ALGORITHMS.iter().enumerate() {
        let rate = algorithm.requires_rate.then_some(Rate::Value(10.0));
        let spec = Spec { rate, ..Spec::named(algorithm.name).unwrap() };
        assert_eq!(spec.check().unwrap().spec(), &spec);
        assert_eq!((spec.algorithm, spec.maintenance), (algorithm.name, algorithm.maintenance));
        for text in [algorithm.summary, algorithm.source] {
            assert!(!text.is_empty() && !text.ends_with('.'), "{text}: the documentation adds the full stop");
        }
        assert!(ALGORITHMS[..i].iter().all(|a| a.name != algorithm.name));
    }
}

#[test]
fn a_model_must_fit_into_memory() {
    let spec = |name: &str, budget: usize| {
        let mut spec = Spec::named(name).unwrap();
        spec.budget = Some(budget);
        spec.check().unwrap()
    };
    let cases = [
        // More than the address space.
        (spec("bsgd-random", 1 << 24), 1 << 24, 2),
        (spec("bsgd-merge", 1 << 24), u32::MAX as usize, u32::MAX as usize),
        (spec("bsgd-smallest", 100), 1, usize::MAX),
        // Projection keeps a triangle of budget^2 / 2 numbers.
        (spec("bsgd-project", 1 << 24), 1, 2),
    ];
    for (spec, features, classes) in cases {
        let error = spec.build::<f64>(features, classes).map(drop).unwrap_err().to_string();
        assert!(error.contains("memory"), "{features} features, {classes} classes: {error}");
        let error = spec.build::<f32>(features, classes).map(drop).unwrap_err().to_string();
        assert!(error.contains("memory"), "{features} features, {classes} classes: {error}");
    }
    let spec = Spec::named("bsgd-merge").unwrap().check().unwrap();
    for (features, classes, name) in
        [(0, 2, "X"), (usize::MAX, 2, "X"), (1 << 32, 3, "X"), (1, 0, "classes"), (1, 1, "classes")]
    {
        let error = spec.build::<f32>(features, classes).map(drop).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("{name} must ")),
            "{features} features, {classes} classes: {error}"
        );
    }
}

fn specs() -> impl Strategy<Value = Spec> {
    let gamma = prop_oneof![Just(Gamma::Scale), Just(Gamma::Auto), (1e-3..1e3f64).prop_map(Gamma::Value)];
    let names = (0..ALGORITHMS.len(), 0..Maintenance::ALL.len(), 0..KernelName::ALL.len());
    let numbers = (prop::option::of(1..1000usize), 1e-9..10.0f64, 1..=100u32, 0.0..5.0f64);
    (names, numbers, gamma, any::<bool>(), any::<u64>()).prop_map(
        |((algorithm, maintenance, kernel), (budget, alpha, degree, coef0), gamma, ball, seed)| {
            let maintenance = Maintenance::ALL[maintenance];
            let kernel = KernelName::ALL[kernel];
            let averages = [Average::Last, Average::Random, Average::Suffix(0.3), Average::Polynomial];
            let spec = ALGORITHMS[algorithm].spec();
            let spec = Spec { budget, maintenance, kernel, seed, ..spec };
            // Parameters that do not apply keep their defaults.
            let applies = |name| spec.get(name).is_some();
            let KernelParameters { degree: three, coef0: zero, alpha_rq: one } = spec.kernel_parameters;
            let kernel_parameters = KernelParameters {
                degree: if applies("degree") { degree } else { three },
                coef0: if applies("coef0") { coef0 } else { zero },
                alpha_rq: if applies("alpha_rq") { alpha.max(1e-3) } else { one },
            };
            let of_loss = spec.loss_parameters;
            let loss_parameters = LossParameters {
                epsilon: if applies("epsilon") { coef0 } else { of_loss.epsilon },
                delta: if applies("delta") { alpha } else { of_loss.delta },
                ..of_loss
            };
            Spec {
                gamma: if applies("gamma") { gamma } else { spec.gamma },
                kernel_parameters,
                loss_parameters,
                alpha: if applies("alpha") { alpha } else { spec.alpha },
                project_to_ball: applies("project_to_ball") && ball,
                c: if applies("C") { alpha } else { spec.c },
                margin: applies("margin").then_some(coef0).filter(|_| ball),
                eta: if applies("eta") { coef0 } else { spec.eta },
                eta0: if applies("eta0") { alpha } else { spec.eta0 },
                max_coef: if applies("max_coef") { 1.0 + coef0 } else { spec.max_coef },
                n_neighbors: applies("n_neighbors").then_some(degree as usize % 64 + 1),
                rate: applies("rate").then_some(Rate::Value(alpha)).filter(|_| ball),
                max_size: applies("max_size").then_some(degree as usize),
                stream_length: applies("stream_length").then_some(u64::from(degree)).filter(|_| ball),
                average: if applies("average") { averages[degree as usize % 4] } else { spec.average },
                may_discard_new: applies("may_discard_new") && ball,
                ..spec
            }
        },
    )
}

proptest! {
    #![proptest_config(fixed_cases(256))]

    #[test]
    fn get_returns_what_was_set(spec in specs()) {
        let mut copy = Spec::named(spec.algorithm).unwrap();
        for name in spec.parameters() {
            copy.set(name, &spec.get(name).unwrap()).unwrap();
        }
        prop_assert_eq!(copy, spec);
    }
}
