//! Properties: cuts between pieces do not matter, numbers equal the standard library's, and any bytes are read.

use super::{csv, read};
use crate::{Libsvm, Task, number};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

/// A configuration with `count` cases and a fixed seed, unless `PROPTEST_CASES` and `PROPTEST_RNG_SEED` set others.
fn fixed_cases(count: u32) -> Config {
    let set = Config::default();
    Config {
        cases: if std::env::var_os("PROPTEST_CASES").is_some() { set.cases } else { count },
        rng_seed: if set.rng_seed == RngSeed::Random { RngSeed::Fixed(1) } else { set.rng_seed },
        failure_persistence: None,
        ..set
    }
}

/// Bytes that resemble LIBSVM or CSV.
fn near_text() -> impl Strategy<Value = Vec<u8>> {
    let fragments = prop::sample::select(vec![
        "1",
        "-2.5",
        "1 1:1",
        "3:1 2:1",
        ":",
        " ",
        "\t",
        ",",
        "\n",
        "\r\n",
        "1,2,a\n",
        "x,1,b\n",
        "#",
        "\"",
        "\"\"",
        "\"a\"",
        "né",
        "nan",
        "1e999",
        "1e39",
        "qid:1",
        "0:1",
        "-",
        "99999999:1",
        "\u{feff}",
        "\0",
        ";",
    ]);
    let any_fragment = prop_oneof![
        12 => fragments.prop_map(|text: &str| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 1..3),
    ];
    prop::collection::vec(any_fragment, 0..40).prop_map(|fragments| fragments.concat())
}

proptest! {
    #![proptest_config(fixed_cases(2048))]

    #[test]
    fn cuts_do_not_matter(text in near_text(), size in 1usize..9, kinds in "[nc-]{0,3}t[nc-]{0,2}") {
        for task in [Task::Classification, Task::Regression, Task::Unlabelled] {
            prop_assert_eq!(read(csv(&kinds), task, text.chunks(size)), read(csv(&kinds), task, [&text[..]]));
            let sparse = read(Libsvm::default(), task, [&text[..]]);
            prop_assert_eq!(read(Libsvm::default(), task, text.chunks(size)), sparse);
        }
    }

    #[test]
    fn numbers_are_those_of_the_standard_library(text in "[-+]?[0-9]{0,22}(\\.[0-9]{0,22})?([eE][-+]?[0-9]{0,3})?") {
        let expected = text.parse::<f64>().ok();
        let found = number::finite(text.as_bytes(), b'.', 0).ok();
        prop_assert_eq!(found.map(f64::to_bits), expected.filter(|value| value.is_finite()).map(f64::to_bits));
    }

    #[test]
    fn written_rows_are_read_unchanged(rows in prop::collection::vec((any::<f32>(), any::<f32>(), "[a-z\", ]{1,5}"), 1..9)) {
        let rows: Vec<_> = rows.into_iter().filter(|(x, y, _)| x.is_finite() && y.is_finite()).collect();
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        let text = rows.iter().map(|(x, y, label)| format!("{x},{y:e},{}\n", quoted(label))).collect::<Vec<_>>().concat();
        let lines = rows.iter().zip(1..);
        let printed = lines.map(|((x, y, label), line)| format!("{line}: {x} {y} | {label}\n"));
        let expected = printed.collect::<Vec<_>>().concat();
        prop_assert_eq!(read(csv("nnt"), Task::Classification, [text.as_bytes()]), expected);
    }
}
