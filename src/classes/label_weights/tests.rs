use super::*;

fn texts(labels: &[&str]) -> Labels {
    Labels::Text(labels.iter().map(ToString::to_string).collect())
}

#[test]
fn equal_labels_of_every_type_have_the_weight() {
    let text = texts(&["b", "a"]);
    let cases = [
        (Labels::Int(vec![3, -1]), Labels::Int(vec![-1, 3, 0]), [5.0, 2.0, 1.0]),
        (Labels::Int(vec![3, -1]), Labels::Float(vec![-1.0, 3.0, 0.5]), [5.0, 2.0, 1.0]),
        (Labels::Float(vec![1.0, -0.0]), Labels::Int(vec![0, 1, 2]), [5.0, 2.0, 1.0]),
        (Labels::Float(vec![0.5, -0.0]), Labels::Float(vec![0.0, 0.5, f64::NAN]), [5.0, 2.0, 1.0]),
        (Labels::Bool(vec![1, 0]), Labels::Bool(vec![0, 1, 0]), [5.0, 2.0, 5.0]),
        (Labels::Bool(vec![1, 0]), Labels::Int(vec![0, 1, 2]), [5.0, 2.0, 1.0]),
        (text.clone(), texts(&["a", "b", "c"]), [5.0, 2.0, 1.0]),
        (text, Labels::Int(vec![0, 1, 2]), [1.0, 1.0, 1.0]),
    ];
    for (labels, y, expected) in cases {
        let weights = LabelWeights::new(&labels, &[2.0, 5.0]).unwrap();
        assert_eq!(weights.row_weights(&y, None).unwrap(), expected, "{labels:?} {y:?}");
        let doubled = weights.row_weights(&y, Some(&[2.0; 3])).unwrap();
        assert_eq!(doubled, expected.map(|weight| 2.0 * weight), "{labels:?} {y:?}");
        if let (Labels::Int(_), Labels::Int(y)) = (&labels, &y) {
            assert_eq!(weights.row_weight(&Classes::Int(y.clone()), 1, 3.0), 6.0);
        }
    }
}

#[test]
fn invalid_weights_raise() {
    let cases = [
        (Labels::Int(vec![7, 8]), vec![1.0, -1.0], "finite numbers >= 0, got -1 for the label 8"),
        (Labels::Bool(vec![1]), vec![f64::NAN], "finite numbers >= 0, got NaN for the label True"),
        (texts(&["x"]), vec![f64::INFINITY], "finite numbers >= 0, got inf for the label \"x\""),
        (texts(&["x"]), vec![], "one weight for each label, got 0 for 1"),
        (Labels::Float(vec![f64::NAN]), vec![1.0], "weights of finite labels, got the label NaN"),
        (Labels::Float(vec![0.0, -0.0]), vec![1.0, 2.0], "weights of different labels, got two for 0"),
    ];
    for (labels, weights, expected) in cases {
        let error = LabelWeights::new(&labels, &weights).unwrap_err().to_string();
        assert_eq!(error, format!("class_weight must be {expected}"));
    }
    let long = LabelWeights::new(&texts(&[&"\"".repeat(100_000)]), &[1.0]).unwrap_err().to_string();
    assert!(long.contains("at most 32768 bytes in a model file"), "{long}");
}

/// The learner raises for these, and names `sample_weight`.
#[test]
fn invalid_weights_of_rows_stay_as_they_are() {
    let weights = LabelWeights::new(&Labels::Int(vec![0, 1]), &[0.0, 1e6]).unwrap();
    let y = Labels::Int(vec![0, 1, 1]);
    let kept = weights.row_weights(&y, Some(&[-1.0, 2e9, f64::NAN])).unwrap();
    assert_eq!((&kept[..2], kept[2].is_nan()), (&[-1.0, 2e9][..], true));
    assert_eq!(weights.row_weights(&y, Some(&[1.0])).unwrap(), [1.0]);
    let error = weights.row_weights(&y, Some(&[1.0, 1e3, 1e4])).unwrap_err().to_string();
    assert!(
        error.starts_with("class_weight must be a weight that, times sample_weight, is at most"),
        "{error}"
    );
}

#[test]
fn labels_that_are_no_classes_raise_unless_all_classes_have_weights() {
    let of = |labels: Vec<i64>| {
        let weights = vec![2.0; labels.len()];
        LabelWeights::new(&Labels::Int(labels), &weights).unwrap()
    };
    let classes = Classes::Int(vec![0, 1]);
    for valid in [vec![], vec![0], vec![1, 0], vec![0, 1, 5]] {
        of(valid).check_classes(&classes).unwrap();
    }
    let error = of(vec![5, 0]).check_classes(&classes).unwrap_err().to_string();
    assert_eq!(error, "class_weight must be weights of the classes 0, 1, got a weight for 5");
    of(vec![0]).check_classes(&Classes::Bool).unwrap();
    assert!(of(vec![2]).check_classes(&Classes::Bool).is_err());
    assert!(of(vec![0]).check_classes(&Classes::Text(vec!["0".into(), "1".into()])).is_err());
    of(vec![0]).check_type(false).unwrap();
    assert!(of(vec![0]).check_type(true).is_err());
    assert_eq!(of(vec![1, 0]).to_string(), "{0: 2, 1: 2}");
}
