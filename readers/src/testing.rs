//! Settings shared by the property tests.

use proptest::test_runner::{Config, RngSeed};

/// A configuration with `count` cases and a fixed seed.
///
/// `PROPTEST_RNG_SEED` sets another seed and `PROPTEST_CASES` another number of cases. A failing case is not written to
/// a file, where it would change later runs: its seed finds it again.
pub(crate) fn fixed_cases(count: u32) -> Config {
    let set = Config::default();
    Config {
        cases: if std::env::var_os("PROPTEST_CASES").is_some() { set.cases } else { count },
        rng_seed: if set.rng_seed == RngSeed::Random { RngSeed::Fixed(1) } else { set.rng_seed },
        failure_persistence: None,
        ..set
    }
}
