//! Every instruction of a level against loops over arrays, bit for bit.

use super::{Portable, Processor, Simd, V};
use crate::float::{Mask, Real, Vector};
use crate::ops::{Level, all_levels};
use crate::rng::Rng;

/// Numbers of all sizes, and those that are special.
fn draw<T: Real>(rng: &mut Rng) -> T::Array {
    let mut lanes = T::Array::default();
    for x in lanes.as_mut() {
        let special = [0.0, -0.0, 1.0, -1.0, 1e-310, 3e-42, f64::INFINITY, -f64::INFINITY, f64::NAN];
        let choice = rng.index(3 * special.len());
        let sized = (rng.uniform() - 0.5) * 2f64.powf(40.0 * rng.uniform() - 20.0);
        *x = T::from_f64(special.get(choice).copied().unwrap_or(sized));
    }
    lanes
}

fn numbers<T: Real>(rng: &mut Rng, number: impl Fn(f64) -> f64) -> T::Array {
    let mut lanes = T::Array::default();
    lanes.as_mut().iter_mut().for_each(|x| *x = T::from_f64(number(rng.uniform())));
    lanes
}

/// What every instruction gives for one draw, one bit pattern to the number.
fn results<T: Real, P: Processor + Simd<T>>(s: P, rng: &mut Rng) -> Vec<u64> {
    let (a, b, c) = (draw::<T>(rng), draw::<T>(rng), draw::<T>(rng));
    let finite = numbers::<T>(rng, |u| u - 0.5);
    let large = numbers::<T>(rng, |u| 2f64.powf(100.0 * u));
    let whole = numbers::<T>(rng, |u| (240.0 * u - 120.0).round());
    let bits = rng.index(1 << T::LANES) as u64;
    s.run(
        #[inline(always)]
        || {
            let (a, b, c) = (V::<T, P>::load(s, &a), V::<T, P>::load(s, &b), V::<T, P>::load(s, &c));
            let (finite, large) = (V::<T, P>::load(s, &finite), V::<T, P>::load(s, &large));
            let (n, m) = large.split_exponent();
            let mut packed = T::Array::default();
            finite.compress(bits, packed.as_mut());
            packed.as_mut()[bits.count_ones() as usize..].fill(T::ZERO);
            let mask = super::M::<T, P>::from_bits(s, bits);
            let vectors = [
                a + b,
                a - b,
                a * b,
                a / b,
                a.mul_add(b, c),
                -a,
                a.abs(),
                a.sqrt(),
                a.min(b),
                a.max(b),
                a.copysign(b),
                (V::load(s, &whole) + T::ROUND).power_of_two(),
                n,
                m,
                a.lt(b).select(a, b),
                (a.le(b) & mask).select(b, c),
                mask.select(a, b),
                V::load(s, &packed),
            ];
            let mut all = vec![a.lt(b).bits(), a.le(b).bits(), a.equal(b).bits(), mask.bits()];
            all.extend(
                [
                    finite.reduce_sum(),
                    finite.reduce_min(),
                    finite.reduce_max(),
                    c.reduce_min(),
                    c.reduce_max(),
                ]
                .map(pattern),
            );
            for vector in vectors {
                all.extend(vector.to_array().as_ref().iter().copied().map(pattern));
            }
            all
        },
    )
}

/// Bits of a number; of all that are none the same.
fn pattern<T: Real>(x: T) -> u64 {
    let x = x.to_f64();
    if x.is_nan() { u64::MAX } else { x.to_bits() }
}

fn agree<T: Real, P: Processor + Simd<T>, R: Processor + Simd<T>>(s: P, reference: R) {
    for seed in 0..3000 {
        let found = results::<T, P>(s, &mut Rng::new(seed));
        assert_eq!(found, results::<T, R>(reference, &mut Rng::new(seed)), "seed {seed}");
    }
}

#[test]
fn instructions_do_as_loops_over_arrays_do() {
    for level in all_levels() {
        match level {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512(s) => {
                agree::<f32, _, _>(s, Portable::<true>);
                agree::<f64, _, _>(s, Portable::<true>);
            }
            #[cfg(target_arch = "x86_64")]
            Level::Avx2(s) => {
                agree::<f32, _, _>(s, Portable::<true>);
                agree::<f64, _, _>(s, Portable::<true>);
            }
            Level::Fused(s) => agree::<f32, _, _>(s, Portable::<true>),
            Level::Portable(s) => {
                agree::<f32, _, _>(s, Portable::<false>);
                agree::<f64, _, _>(s, Portable::<false>);
            }
        }
    }
}

fn shuffled<P: Processor>(s: P) -> Vec<f64> {
    let (a, b) = ([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0]);
    s.run(
        #[inline(always)]
        || {
            let (a, b) = (V::<f64, P>::load(s, &a), V::<f64, P>::load(s, &b));
            let (low, high) = a.interleave(b);
            [low.to_array(), high.to_array(), a.slide(b).to_array()]
        },
    )
    .concat()
}

#[test]
fn lanes_move_as_in_arrays() {
    let expected: Vec<f64> = (0..8).flat_map(|i| [i, i + 8]).chain(1..9).map(f64::from).collect();
    for level in all_levels() {
        let found = match level {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512(s) => shuffled(s),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2(s) => shuffled(s),
            Level::Fused(s) => shuffled(s),
            Level::Portable(s) => shuffled(s),
        };
        assert_eq!(found, expected, "{level:?}");
    }
}

/// A function of an instruction's name is one that was not inlined: each of its uses is a call. Only instructions on
/// floats are ours alone; tests link other crates, unoptimised, that use those on integers.
#[test]
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn no_instruction_is_a_call() {
    let program = std::env::current_exe().unwrap();
    let Ok(nm) = std::process::Command::new("nm").arg(program).output() else {
        eprintln!("not tested: nm, which lists a program's functions, is missing");
        return;
    };
    let functions = String::from_utf8_lossy(&nm.stdout);
    // This very function may have been inlined where it is called.
    assert!(functions.contains("budgetrs"), "nm lists no functions: {}", String::from_utf8_lossy(&nm.stderr));
    let on_floats = |name: &&str| name.contains("_ps") || name.contains("_pd");
    let calls: Vec<_> =
        functions.lines().filter(|name| name.contains("core_arch")).filter(on_floats).collect();
    assert!(calls.is_empty(), "closures that are not inlined into their level, or functions: {calls:#?}");
}
