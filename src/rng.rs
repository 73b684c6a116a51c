//! The one seeded generator of a model: `SplitMix64` (Steele, Lea, Flood 2014), whose whole state is one number.

/// A seeded generator of uniform integers; equal seeds give equal sequences on every platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rng(u64);

impl Rng {
    /// Starts at `seed`, or continues where [`Rng::state`] was read.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The whole state: `Rng::new(rng.state())` continues the sequence.
    #[must_use]
    pub fn state(&self) -> u64 {
        self.0
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in `[0, n)`, without bias (Lemire's multiplication with rejection).
    ///
    /// # Panics
    /// When `n` is 0.
    pub fn index(&mut self, n: usize) -> usize {
        assert!(n > 0, "a draw from an empty range");
        let n = n as u64;
        let reject = n.wrapping_neg() % n;
        loop {
            let wide = u128::from(self.bits()) * u128::from(n);
            if wide as u64 >= reject {
                return (wide >> 64) as usize;
            }
        }
    }

    /// Puts items into a uniformly random order (Fisher and Yates).
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.index(i + 1));
        }
    }

    /// Uniform in `[0, 1)`, 53 bits.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Standard normal (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn sequence_is_the_published_one() {
        let mut rng = Rng::new(1_234_567);
        assert_eq!(rng.bits(), 6_457_827_717_110_365_317);
        assert_eq!(rng.bits(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn state_continues_and_draws_are_uniform() {
        let mut rng = Rng::new(7);
        let mut counts = [0usize; 5];
        for _ in 0..50_000 {
            counts[rng.index(5)] += 1;
        }
        assert!(counts.iter().all(|&c| (9_500..10_500).contains(&c)), "{counts:?}");
        let mut copy = Rng::new(rng.state());
        assert_eq!(copy.bits(), rng.bits());
        let mean = (0..10_000).map(|_| rng.normal()).sum::<f64>() / 10_000.0;
        assert!(mean.abs() < 0.05, "{mean}");
    }

    #[test]
    fn every_order_is_as_frequent() {
        let (mut rng, mut counts) = (Rng::new(7), [[0; 4]; 4]);
        for _ in 0..12_000 {
            let mut items = [0, 1, 2];
            rng.shuffle(&mut items);
            assert_ne!(items[0], items[1]);
            counts[items[0]][items[1]] += 1;
        }
        let orders = counts.as_flattened().iter().filter(|count| **count > 0);
        // The standard deviation of a count is 41.
        assert!(orders.clone().all(|count| (1800..2200).contains(count)), "{counts:?}");
        assert_eq!(orders.count(), 6);
    }
}
