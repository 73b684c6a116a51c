//! Helpers that the tests of several modules share.

mod kernels;

pub(crate) use kernels::{Sums, kernel_f64, kernel_of_sums};

use crate::kernel::AnyKernel;
use proptest::test_runner::{Config, RngSeed};
use std::path::Path;

/// Configuration of a property test: `count` cases, equal in every run.
///
/// `PROPTEST_RNG_SEED` sets another seed and `PROPTEST_CASES` another number. A failure is not written to a file, where
/// it would change later runs: its seed finds it again.
pub(crate) fn fixed_cases(count: u32) -> Config {
    let set = Config::default();
    Config {
        cases: if std::env::var_os("PROPTEST_CASES").is_some() { set.cases } else { count },
        rng_seed: if set.rng_seed == RngSeed::Random { RngSeed::Fixed(1) } else { set.rng_seed },
        failure_persistence: None,
        ..set
    }
}

/// The configuration of each block of properties in the files of a folder.
fn configurations(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            configurations(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let mut lines = text.lines().map(str::trim);
            while lines.any(|line| line == "proptest! {") {
                found.push(format!("{}: {}", path.display(), lines.next().unwrap_or_default()));
            }
        }
    }
}

#[test]
fn every_property_has_fixed_cases() {
    let mut found = Vec::new();
    for folder in ["src", "tests", "readers/src"] {
        configurations(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut found);
    }
    assert!(!found.is_empty());
    for configuration in found {
        assert!(configuration.contains("#![proptest_config(fixed_cases("), "{configuration}");
    }
}
