//! The order of new classes, and errors about labels.

use super::*;

fn texts(labels: &[&str]) -> Labels {
    Labels::Text(labels.iter().map(ToString::to_string).collect())
}

#[test]
fn classes_are_in_the_order_of_their_first_rows() {
    let labels = texts(&["c", "a", "c", "b"]);
    let batch = OpenSetLabels::of(None, &labels, None, None).unwrap();
    assert_eq!(batch.indices(), [0, 1, 0, 2]);
    // Rows of weight 0 and rows outside the order add no class.
    let batch = OpenSetLabels::of(None, &labels, Some(&[0.0, 1.0, 1.0, 1.0]), None).unwrap();
    assert_eq!(batch.indices(), [0, 0, 1, 2]);
    let order = [3, 1, 3];
    let batch = OpenSetLabels::of(None, &labels, None, Some(&order)).unwrap();
    assert_eq!((batch.indices(), batch.all(None).to_string()), (&[0, 1, 0, 0][..], "\"b\", \"a\"".into()));
}

#[test]
fn a_partly_learned_batch_adds_the_classes_of_the_learned_rows() {
    let labels = Labels::Int(vec![4, 4, 2, 9]);
    for (learned, expected) in [(0, &[][..]), (1, &[4]), (2, &[4]), (3, &[4, 2]), (4, &[4, 2, 9])] {
        let mut known = None;
        OpenSetLabels::of(None, &labels, None, None).unwrap().commit(&mut known, learned);
        assert_eq!(
            known.map_or(vec![], |known| vec![known]),
            match expected {
                [] => vec![],
                _ => vec![Classes::Int(expected.to_vec())],
            }
        );
    }
    let mut known = None;
    let truth = OpenSetLabels::of(None, &Labels::Bool(vec![1, 1]), Some(&[0.0, 1.0]), None).unwrap();
    truth.commit(&mut known, 1);
    assert_eq!(known, None);
    truth.commit(&mut known, 2);
    assert_eq!((known, truth.indices()), (Some(Classes::Bool), &[1, 1][..]));
}

/// Tests batches below and above the size from which an index of the classes is used.
#[test]
fn a_batch_equals_its_rows() {
    let mut rng = crate::rng::Rng::new(4);
    for kind in 0..3 {
        let numbers: Vec<i64> = (0..200).map(|i| rng.index(i / 10 + 1) as i64 - 7).collect();
        let labels = |numbers: &[i64]| match kind {
            0 => Labels::Int(numbers.to_vec()),
            1 => Labels::Float(numbers.iter().map(|y| *y as f64 / 4.0).collect()),
            _ => Labels::Text(numbers.iter().map(ToString::to_string).collect()),
        };
        let whole = OpenSetLabels::of(None, &labels(&numbers), None, None).unwrap();
        for size in [1, 3, 50] {
            let (mut known, mut indices) = (None, Vec::new());
            for part in numbers.chunks(size) {
                let batch = OpenSetLabels::of(known.as_ref(), &labels(part), None, None).unwrap();
                indices.extend_from_slice(batch.indices());
                batch.commit(&mut known, part.len());
            }
            assert_eq!((&indices[..], known), (whole.indices(), Some(whole.all(None))));
        }
    }
}

#[test]
fn labels_of_another_type_raise_with_the_row() {
    let cases = [
        (
            Classes::Int(vec![1]),
            Labels::Float(vec![2.0, 0.5]),
            "integers, as the labels seen before, got 0.5 at row 1",
        ),
        (
            Classes::Int(vec![1]),
            Labels::Float(vec![f64::NAN]),
            "integers, as the labels seen before, got NaN at row 0",
        ),
        (Classes::Int(vec![1]), texts(&["1"]), "integers, as the labels seen before, got \"1\" at row 0"),
        (
            Classes::Float(vec![0.5]),
            Labels::Float(vec![0.5, f64::INFINITY]),
            "finite numbers, got inf at row 1",
        ),
        (
            Classes::Float(vec![0.5]),
            Labels::Int(vec![3, (1 << 53) + 1]),
            "floats, as the labels seen before, got 9007199254740993 at row 1",
        ),
        (
            Classes::Float(vec![0.5]),
            Labels::Bool(vec![1]),
            "floats, as the labels seen before, got true at row 0",
        ),
        (
            Classes::Text(vec!["a".into()]),
            Labels::Int(vec![1]),
            "strings, as the labels seen before, got 1 at row 0",
        ),
    ];
    for (known, labels, expected) in cases {
        let error = OpenSetLabels::of(Some(&known), &labels, None, None).unwrap_err().to_string();
        assert_eq!(error, format!("y must be {expected}"));
    }
    let equal = OpenSetLabels::of(Some(&Classes::Int(vec![1])), &Labels::Float(vec![2.0, 1.0]), None, None);
    assert_eq!(equal.unwrap().indices(), [1, 0]);
    let zero = OpenSetLabels::of(None, &Labels::Float(vec![-0.0, 0.0]), None, None).unwrap();
    assert_eq!(zero.indices(), [0, 0]);
}
