//! A world of points on a plane, its Gram matrix by definition, and the factor that must follow it.

mod cases;
mod drift;
mod state;

use super::{Factor, Outcome, Slot, Solution};
use crate::ops::{Level, Ops, Solver};
use crate::rng::Rng;

type Matrix = Vec<Vec<f64>>;

fn solver(level: Level) -> Solver {
    Ops::<f64>::at(level).solver()
}

/// The textbook factor of a matrix, row by row; the pivots of a matrix that is not definite are NaN.
fn cholesky(k: &Matrix) -> Matrix {
    let mut l: Matrix = Vec::new();
    for (i, row) in k.iter().enumerate() {
        let mut new = vec![0.0; k.len()];
        for j in 0..=i {
            let sum: f64 = (0..j).map(|c| new[c] * if i == j { new[c] } else { l[j][c] }).sum();
            new[j] = if i == j { (row[i] - sum).sqrt() } else { (row[j] - sum) / l[j][j] };
        }
        l.push(new);
    }
    l
}

/// `K^-1 b` by substitution.
fn solve(l: &Matrix, b: &[f64]) -> Vec<f64> {
    let n = l.len();
    let mut x = b.to_vec();
    for i in 0..n {
        x[i] = (x[i] - (0..i).map(|c| l[i][c] * x[c]).sum::<f64>()) / l[i][i];
    }
    for i in (0..n).rev() {
        x[i] = (x[i] - (i + 1..n).map(|c| l[c][i] * x[c]).sum::<f64>()) / l[i][i];
    }
    x
}

fn unit(n: usize, p: usize) -> Vec<f64> {
    (0..n).map(|i| f64::from(u8::from(i == p))).collect()
}

/// The largest difference relative to the largest number.
fn distance(x: &[f64], exact: &[f64]) -> f64 {
    assert_eq!(x.len(), exact.len());
    let scale = exact.iter().fold(0.0_f64, |max, e| max.max(e.abs()));
    x.iter().zip(exact).fold(0.0_f64, |max, (x, e)| max.max((x - e).abs())) / scale
}

/// Points with an rbf kernel; slot `i` holds point `i`, and `order` is what the factor's order must be.
#[derive(Clone)]
struct World {
    gamma: f64,
    points: Vec<[f64; 2]>,
    order: Vec<Slot>,
    rng: Rng,
    factor: Factor,
    compared: usize,
    worst: f64,
}

impl World {
    fn new(level: Level, gamma: f64, capacity: usize, seed: u64) -> Self {
        Self {
            gamma,
            points: vec![[0.0; 2]; capacity],
            order: Vec::new(),
            rng: Rng::new(seed),
            factor: Factor::with_capacity(solver(level), capacity),
            compared: 0,
            worst: 0.0,
        }
    }

    fn kernel(&self, a: [f64; 2], b: [f64; 2]) -> f64 {
        (-self.gamma * ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2))).exp()
    }

    fn gram(&self) -> Matrix {
        let point = |slot: &Slot| self.points[slot.0 as usize];
        self.order
            .iter()
            .map(|a| self.order.iter().map(|b| self.kernel(point(a), point(b))).collect())
            .collect()
    }

    fn row(&self, x: [f64; 2]) -> Vec<f64> {
        self.order.iter().map(|slot| self.kernel(x, self.points[slot.0 as usize])).collect()
    }

    /// A slot that is not in use.
    fn free(&self) -> Slot {
        let all = 0..self.points.len() as u32;
        all.map(Slot).find(|slot| !self.order.contains(slot)).expect("room for one more")
    }

    /// A point of a 4 x 4 square: most are new, some near copies of members, a few exact ones.
    fn draw(&mut self) -> [f64; 2] {
        let kind = self.rng.uniform();
        if self.order.is_empty() || kind > 0.12 {
            return [4.0 * self.rng.uniform(), 4.0 * self.rng.uniform()];
        }
        let noise = if kind > 0.01 { 1e-3 } else { 0.0 };
        let near = self.member();
        self.points[near.0 as usize].map(|x| x + noise * self.rng.normal())
    }

    fn member(&mut self) -> Slot {
        self.order[self.rng.index(self.order.len())]
    }

    fn append(&mut self, x: [f64; 2]) -> Outcome {
        let (slot, k) = (self.free(), self.row(x));
        let outcome = self.factor.append(slot, &k, 1.0);
        if matches!(outcome, Outcome::Appended { .. }) {
            self.points[slot.0 as usize] = x;
            self.order.push(slot);
        }
        outcome
    }

    fn delete(&mut self, slot: Slot) {
        self.factor.delete(slot);
        self.order.retain(|&member| member != slot);
    }

    fn replace(&mut self, out: Slot, x: [f64; 2]) -> Outcome {
        let k = self.row(x);
        let outcome = self.factor.replace(out, out, &k, 1.0);
        if matches!(outcome, Outcome::Appended { .. }) {
            self.points[out.0 as usize] = x;
            self.order.retain(|&member| member != out);
            self.order.push(out);
        }
        outcome
    }

    /// One random change, which may be refused.
    fn change(&mut self) -> Option<Outcome> {
        let (n, kind) = (self.order.len(), self.rng.uniform());
        if n == 0 || (n < self.points.len() && kind < 0.5) {
            let x = self.draw();
            Some(self.append(x))
        } else if kind < 0.75 {
            let slot = self.member();
            self.delete(slot);
            None
        } else {
            let (slot, x) = (self.member(), self.draw());
            Some(self.replace(slot, x))
        }
    }

    fn solution(&self, b: &[f64]) -> Vec<f64> {
        let mut out = Solution::default();
        self.factor.solve(b, &mut out);
        out.get().to_vec()
    }

    fn column(&self, slot: Slot) -> Vec<f64> {
        let mut out = Solution::default();
        self.factor.column(slot, &mut out);
        out.get().to_vec()
    }

    /// The members and `L L' = K` always; solutions and the diagonal as long as cond(K) < 1e8, by a lower estimate.
    fn check(&mut self) {
        self.factor.check_invariants();
        assert_eq!(self.factor.order(), self.order);
        let (n, k) = (self.order.len(), self.gram());
        let rows: Matrix = (0..n).map(|i| self.factor.lower.row(i).collect()).collect();
        for i in 0..n {
            for j in 0..=i {
                let product: f64 = rows[i].iter().zip(&rows[j]).map(|(a, b)| a * b).sum();
                assert!(
                    (product - k[i][j]).abs() <= 1e-12,
                    "L L' = {product} in ({i}, {j}), not {}",
                    k[i][j]
                );
            }
        }
        let l = cholesky(&k);
        let columns: Matrix = (0..n).map(|p| solve(&l, &unit(n, p))).collect();
        let largest = (0..n).map(|p| columns[p][p]).fold(0.0, f64::max);
        let condition = largest * k.iter().flatten().sum::<f64>() / n as f64;
        if n == 0 || condition.is_nan() || condition >= 1e8 {
            return;
        }
        self.compared += 1;
        let b: Vec<f64> = (0..n).map(|_| self.rng.normal()).collect();
        let mut worst = distance(&self.solution(&b), &solve(&l, &b));
        for (p, exact) in columns.iter().enumerate() {
            worst = worst.max(distance(&self.column(self.order[p]), exact));
            worst = worst.max((self.factor.diag()[p] / exact[p] - 1.0).abs());
        }
        assert!(worst <= 1e-6, "off by {worst:.1e} at cond(K) = {condition:.1e}");
        self.worst = self.worst.max(worst);
    }
}

impl Factor {
    /// Asserts what the type's comments promise.
    pub(crate) fn check_invariants(&self) {
        let n = self.len();
        assert!(n <= self.capacity && self.changes < self.capacity.max(1));
        assert_eq!((self.lower.len, self.diag().len()), (n, n));
        for (i, slot) in self.order().iter().enumerate() {
            assert_eq!(self.position(*slot), Some(i), "a slot named twice");
        }
        self.lower.check_invariants();
        assert!(self.diag().iter().all(|x| x.is_finite() && *x > 0.0), "{:?}", self.diag());
    }
}
