//! Which instructions this process uses: found once, or forced by the variable `BUDGETRS_SIMD`.

use crate::error::{Error, Result};
use fearless_simd::Level;
use std::sync::OnceLock;

/// The processor level that the loops run at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isa {
    /// AVX-512 as of Ice Lake and Zen 4.
    Avx512,
    /// AVX2 with fused multiply-add.
    Avx2,
    /// Arm's NEON.
    Neon,
    /// The compilation target's own level; `mul_add` is not fused there.
    Portable,
}

impl Isa {
    /// The name that `BUDGETRS_SIMD` takes.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Avx512 => "avx512",
            Self::Avx2 => "avx2",
            Self::Neon => "neon",
            Self::Portable => "portable",
        }
    }
}

/// The level in force: the best that the processor has, or the one that `BUDGETRS_SIMD` names (`avx512`, `avx2`,
/// `neon`, `portable`) where the processor has it. Read once per process; [`check_forced`] tells whether it was heeded.
#[must_use]
pub fn isa() -> Isa {
    isa_of(level())
}

fn isa_of(level: Level) -> Isa {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    {
        if level.as_avx512().is_some() {
            return Isa::Avx512;
        }
        if level.as_avx2().is_some() {
            return Isa::Avx2;
        }
    }
    #[cfg(target_arch = "aarch64")]
    if level.as_neon().is_some() {
        return Isa::Neon;
    }
    let _ = level;
    Isa::Portable
}

/// The token that [`dispatch`] runs at.
pub(crate) fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(|| {
        let best = Level::new();
        forced(best).ok().flatten().unwrap_or(best)
    })
}

/// Whether `BUDGETRS_SIMD`, if it is set, names a level that this processor has.
///
/// # Errors
/// When it does not: the best level is in force then.
pub fn check_forced() -> Result<()> {
    forced(Level::new()).map(|_| ())
}

fn forced(best: Level) -> Result<Option<Level>> {
    let name = std::env::var_os("BUDGETRS_SIMD").unwrap_or_default();
    if name.is_empty() { Ok(None) } else { named(best, &name.to_string_lossy()).map(Some) }
}

/// The level of that name among those of a processor.
fn named(best: Level, name: &str) -> Result<Level> {
    let all = candidates(best);
    all.iter().copied().find(|&level| isa_of(level).name() == name).ok_or_else(|| {
        let mut names: Vec<_> = all.iter().map(|&level| isa_of(level).name()).collect();
        names.dedup();
        let expected = format!("one of the levels that this processor has, {}", names.join(", "));
        Error::parameter("BUDGETRS_SIMD", expected, format!("{name:?}"))
    })
}

/// Every level that this processor can run, best first.
pub(crate) fn candidates(best: Level) -> Vec<Level> {
    let mut all = vec![best];
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let Some(avx2) = best.as_avx2() {
        use fearless_simd::Simd;
        all.push(avx2.level());
    }
    all.push(Level::baseline());
    all
}

/// Every level of this processor whose `mul_add` is fused: they agree bit for bit.
#[cfg(test)]
pub(crate) fn fused() -> Vec<Level> {
    let mut all = candidates(Level::new());
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    all.retain(|level| level.as_avx2().is_some());
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    all.retain(|level| isa_of(*level) != Isa::Portable);
    all
}

/// Runs an expression, generic over the token, with the instructions of a level. One call per learn or predict call:
/// it costs a few nanoseconds, so the token is passed down from there.
macro_rules! dispatch {
    ($level:expr, $s:ident => $op:expr) => {{
        let level: fearless_simd::Level = $level;
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        let result = if let Some($s) = level.as_avx512() {
            fearless_simd::Simd::vectorize($s, #[inline(always)] || $op)
        } else if let Some($s) = level.as_avx2() {
            fearless_simd::Simd::vectorize($s, #[inline(always)] || $op)
        } else {
            let $s = level.as_sse2().expect("the x86 targets of this crate include SSE2");
            fearless_simd::Simd::vectorize($s, #[inline(always)] || $op)
        };
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
        let result = fearless_simd::dispatch!(level, $s => $op);
        result
    }};
}
pub(crate) use dispatch;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_go_by_their_names_alone() {
        let best = Level::new();
        for level in candidates(best) {
            let name = isa_of(level).name();
            assert_eq!(isa_of(named(best, name).unwrap()).name(), name);
        }
        for name in ["avx1024", "AVX2", " portable"] {
            let message = named(best, name).unwrap_err().to_string();
            assert!(message.starts_with("BUDGETRS_SIMD must be one of"), "{message}");
            assert!(message.ends_with(&format!("portable, got {name:?}")), "{message}");
        }
    }
}
