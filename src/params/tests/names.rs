//! Errors about unknown names suggest the most similar name.

use crate::params::{Spec, Value};

#[test]
fn errors_suggest_the_most_similar_name() {
    let mut spec = Spec::named("bsgd-merge").unwrap();
    let text = |text: &str| Value::Text(text.into());
    for (name, value, near) in [
        ("kernel", "lapacian", Some("laplacian")),
        ("kernel", "rbff", Some("rbf")),
        ("kernel", "RBF", Some("rbf")),
        ("kernel", "cubic", None),
        ("maintenance", "bodg", Some("bogd")),
        ("loss", "logloss", Some("log_loss")),
        ("loss", "logistic", Some("log_loss")),
        ("kernel", "gaussian", Some("rbf")),
        ("maintenance", "merging", Some("merge")),
        ("lambda", "", Some("alpha")),
        ("random_state", "", Some("seed")),
        ("gamma", "scal", Some("scale")),
        ("budgt", "", Some("budget")),
        ("nothing", "", None),
    ] {
        let error = spec.set(name, &text(value)).unwrap_err().to_string();
        let asked = near.map(|near| format!("; did you mean {near:?}?"));
        assert!(asked.map_or(!error.contains("did you mean"), |asked| error.ends_with(&asked)), "{error}");
    }
    let error = Spec::named("percptron").unwrap_err().to_string();
    assert!(error.ends_with("got \"percptron\"; did you mean \"perceptron\"?"), "{error}");
}
