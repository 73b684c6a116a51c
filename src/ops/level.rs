//! Which instructions this process uses: found once, or forced by the variable `BUDGETRS_SIMD`.

#[cfg(any(not(target_arch = "x86_64"), test))]
use super::simd::Portable;
#[cfg(target_arch = "x86_64")]
use super::simd::{Avx2, Avx512, Sse2};
use crate::error::{Error, Result};
use std::sync::OnceLock;

/// A SIMD level: the instruction set that the loops run with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isa {
    /// AVX-512 as of Skylake-X and Zen 4: F, CD, BW, DQ, VL.
    Avx512,
    /// AVX2 with fused multiply-add.
    Avx2,
    /// Arm's NEON.
    Neon,
    /// What every processor of the compilation target has, SSE2 on x86-64; `mul_add` is not fused there.
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

/// A level that this processor has.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Level {
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// Loops over arrays, where the target's own instructions are fused; tests compare all others with it.
    #[cfg(any(target_arch = "aarch64", test))]
    Fused(Portable<true>),
    Portable(Base),
}

/// What every processor of the compilation target has.
#[cfg(target_arch = "x86_64")]
type Base = Sse2;
#[cfg(not(target_arch = "x86_64"))]
type Base = Portable<false>;

impl Level {
    pub(crate) fn isa(self) -> Isa {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => Isa::Avx512,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => Isa::Avx2,
            #[cfg(any(target_arch = "aarch64", test))]
            Self::Fused(_) => Isa::Neon,
            Self::Portable(_) => Isa::Portable,
        }
    }
}

/// The level in force: the best that the processor has, or the one that `BUDGETRS_SIMD` names (`avx512`, `avx2`,
/// `neon`, `portable`) where the processor has it. Read once per process; [`check_forced`] says whether it was heeded.
#[must_use]
pub fn isa() -> Isa {
    level().isa()
}

/// The level in force.
pub(crate) fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(|| forced().ok().flatten().unwrap_or_else(|| all_levels()[0]))
}

/// Whether `BUDGETRS_SIMD`, if it is set, names a level that this processor has.
///
/// # Errors
/// When it does not: the best level is in force then.
pub fn check_forced() -> Result<()> {
    forced().map(|_| ())
}

fn forced() -> Result<Option<Level>> {
    let name = std::env::var_os("BUDGETRS_SIMD").unwrap_or_default();
    if name.is_empty() { Ok(None) } else { named(&name.to_string_lossy()).map(Some) }
}

/// The level with this name, if this processor has it.
fn named(name: &str) -> Result<Level> {
    let all = all_levels();
    all.iter().copied().find(|level| level.isa().name() == name).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|level| level.isa().name()).collect();
        let expected = format!("one of the levels that this processor has, {}", names.join(", "));
        Error::parameter("BUDGETRS_SIMD", expected, format!("{name:?}"))
    })
}

/// Every level of this processor, best first.
pub(crate) fn all_levels() -> Vec<Level> {
    let mut all = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        all.extend(pulp::x86::V4::try_new().map(|token| Level::Avx512(Avx512(token))));
        all.extend(pulp::x86::V3::try_new().map(|token| Level::Avx2(Avx2(token))));
        all.extend(pulp::x86::V1::try_new().map(|token| Level::Portable(Sse2(token))));
    }
    #[cfg(target_arch = "aarch64")]
    all.push(Level::Fused(Portable));
    #[cfg(not(target_arch = "x86_64"))]
    all.push(Level::Portable(Portable));
    all
}

/// Every level of this processor whose `mul_add` is fused, and loops over arrays as what they are compared with: they
/// agree bit for bit.
#[cfg(test)]
pub(crate) fn fused_levels() -> Vec<Level> {
    let mut all = all_levels();
    all.retain(|level| !matches!(level, Level::Portable(_) | Level::Fused(_)));
    all.push(Level::Fused(Portable));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_go_by_their_names_alone() {
        for level in all_levels() {
            let name = level.isa().name();
            assert_eq!(named(name).unwrap().isa().name(), name);
        }
        for name in ["avx1024", "AVX2", " portable"] {
            let message = named(name).unwrap_err().to_string();
            assert!(message.starts_with("BUDGETRS_SIMD must be one of"), "{message}");
            assert!(message.ends_with(&format!("portable, got {name:?}")), "{message}");
        }
    }
}
