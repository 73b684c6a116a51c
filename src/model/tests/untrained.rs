//! Untrained models, and files that are not models.

use super::{Change, contents, each_change_raises, trained};
use crate::model::{FixedPreprocessing, Model};
use crate::params::Spec;

fn scaling(model: &Model) -> ([f64; 2], [f64; 2]) {
    let Some(FixedPreprocessing::Scaling { mean, deviation }) = &model.preprocessing else {
        panic!("the model has a given scaling")
    };
    (mean[..].try_into().unwrap(), deviation[..].try_into().unwrap())
}

/// The scaling of an untrained model is saved; an invalid scaling raises.
#[test]
fn the_scaling_of_an_untrained_model_is_saved() {
    let mut model = Model::new(Spec::named("bsgd-merge").unwrap().check().unwrap());
    model.set_scaling(vec![1.0, 2.0], vec![3.0, 0.0]).unwrap();
    let bytes = model.to_bytes().unwrap();
    let loaded = Model::from_bytes(&bytes).unwrap();
    assert_eq!(scaling(&loaded), ([1.0, 2.0], [3.0, 0.0]));
    assert_eq!(loaded.to_bytes().unwrap(), bytes);
    assert!(model.set_scaling(vec![1.0, 2.0], vec![3.0]).is_err());
    assert!(model.set_scaling(vec![1.0], vec![f64::NAN]).is_err());
    assert_eq!(scaling(&model), ([1.0, 2.0], [3.0, 0.0]));
    let negative: Change = |scaling| scaling.replace("deviation", &[2], vec![-1.0, 1.0]);
    each_change_raises(&contents(&model), &["scaling"], &[("a negative deviation", negative)]);
    let both: Change = |root| {
        root.scope_mut("scaling").put("mean", &[2], [0.0, 0.0]);
        root.scope_mut("scaling").put("deviation", &[2], [1.0, 1.0]);
    };
    each_change_raises(&contents(&trained("bsgd-merge", true, 2)), &[], &[("two scalings", both)]);
}

#[test]
fn errors_name_the_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "nonsense").unwrap();
    let error = Model::load(file.path()).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{}: not a valid model: ", file.path().display())), "{error}");
}
