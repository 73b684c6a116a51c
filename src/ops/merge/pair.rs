//! A vector of pairs, mostly of one `a_m`: start point, Halley step and weight degradation. The mathematics
//! and the symbols are the parent module's.

use super::psi::{exp2_m1, psi, scaled_psi};
use crate::float::{Mask, Real, Vector};
use std::marker::PhantomData;

/// A constant that depends on the precision.
#[inline(always)]
fn by_type<T: Real>(single: f64, double: f64) -> T {
    T::from_f64(if T::MANTISSA < 30 { single } else { double })
}

/// How far beyond `x_n` h may go. Only pairs that nearly annihilate each other (`rho = -1`, `p = q`,
/// `L < 1/(2 h^2)`) get there: what is kept of them is a fraction of the square root of L, and the limit
/// costs less than `2 L p`.
#[inline(always)]
pub(super) fn reach<T: Real>() -> T {
    by_type(1e3, 1e6)
}

/// Rows whose `c+` or `c-` is less are parallel: rounding must not make nearly parallel rows of parallel
/// ones. With two classes every pair is parallel.
#[inline(always)]
pub(super) fn snap<T: Real>() -> T {
    by_type(2e-7, 4e-16)
}

/// The least p that is told apart from zero.
#[inline(always)]
fn least_p<T: Real>() -> T {
    by_type(1e-36, 1e-290)
}

/// Below every divisor that means something; keeps 0/0 finite.
#[inline(always)]
fn tiny<T: Real>() -> T {
    by_type(1e-35, 1e-300)
}

/// A vector of pairs `(m, n)`, normalised.
#[derive(Clone, Copy)]
pub(in crate::ops) struct Pair<T, V> {
    q: V,
    /// `log2 k`, no less than `MIN_EXP`: farther apart the loss is `p` whatever y is, to the last bit.
    pub(super) y: V,
    /// `-ln k`.
    pub(super) l: V,
    /// `sqrt(p/q)`.
    s: V,
    /// `1 - s`, without cancellation.
    y0: V,
    /// `(1 + rho)/2`.
    pub(in crate::ops) cp: V,
    /// `(1 - rho)/2`.
    pub(super) cm: V,
    /// The least h: 0 for `rho >= 0`.
    least: V,
    number: PhantomData<T>,
}

/// `b`, `X`, `Y` and the two parts of `dn` at one h.
struct Ratio<V> {
    /// `b/s - 1 = u/v - 1`.
    em: V,
    b: V,
    x: V,
    y: V,
    /// `c+ X^2`.
    a: V,
    /// `c- Y^2`.
    c: V,
    /// `dn = a + c`.
    dn: V,
    /// `E = h dn - b (b + rho)`.
    e: V,
}

impl<T: Real, V: Vector<T>> Pair<T, V> {
    /// Normalises `p > 0` (anything below the least normal number counts as that), `q >= p`,
    /// `|r| <= sqrt(p q)` and `y <= 0`.
    ///
    /// One root and one division serve `s`, `1 - s` and `rho`: `i = 1/(sqrt q (sqrt p + sqrt q))`.
    #[inline(always)]
    pub(in crate::ops) fn new(p: T, q: V, r: V, y: V) -> Self {
        let p = if p > least_p() { p } else { least_p() };
        let root_p = p.sqrt();
        Self::normalised(q.broadcast(p), q.broadcast(root_p), q.broadcast(T::ONE / root_p), [q, r, y])
    }

    /// The same where each pair has its own p.
    #[inline(always)]
    pub(in crate::ops) fn of_each(p: V, q: V, r: V, y: V) -> Self {
        let p = p.max(q.broadcast(least_p()));
        let root_p = p.sqrt();
        Self::normalised(p, root_p, q.broadcast(T::ONE) / root_p, [q, r, y])
    }

    #[inline(always)]
    fn normalised(p: V, root_p: V, inverse_root_p: V, [q, r, y]: [V; 3]) -> Self {
        let zero = q.broadcast(T::ZERO);
        let one = q.broadcast(T::ONE);
        let half = T::from_f64(0.5);
        let q = q.max(p);
        let root_q = q.sqrt();
        let sum = root_q + root_p;
        let i = one / (root_q * sum);
        let inverse_root_q = sum * i;
        let rho = r * inverse_root_q * inverse_root_p;
        let cp = (rho * half + half).max(zero).min(one);
        let cp = cp.lt(q.broadcast(snap())).select(zero, cp);
        let cp = cp.gt(q.broadcast(T::ONE - snap::<T>())).select(one, cp);
        let y = y.max(q.broadcast(T::MIN_EXP));
        Self {
            q,
            y,
            l: y * T::from_f64(-std::f64::consts::LN_2),
            s: inverse_root_q * root_p,
            y0: (q - p) * i,
            cp,
            cm: one - cp,
            least: cp.ge(q.broadcast(half)).select(zero, q.broadcast(-reach::<T>())),
            number: PhantomData,
        }
    }

    #[inline(always)]
    fn splat(&self, x: f64) -> V {
        self.q.broadcast(T::from_f64(x))
    }

    /// h put where an optimum can be.
    #[inline(always)]
    pub(super) fn clamp(&self, h: V) -> V {
        h.max(self.least).min(self.splat(0.5))
    }

    /// `hc = F(1/2)`, in `[0, 1/2]`: the optimum for `k = 1`, and its upper bound for `rho >= 0`.
    #[inline(always)]
    pub(super) fn centroid(&self) -> V {
        let one = self.splat(1.0);
        let x = one + self.s;
        let dn = (self.cp * x).mul_add(x, self.cm * self.y0 * self.y0);
        let hc = self.s * self.b_plus_rho(self.y0) / dn.max(self.q.broadcast(tiny()));
        hc.max(self.splat(0.0)).min(self.splat(0.5))
    }

    /// `b + rho`, from `Y`.
    #[inline(always)]
    fn b_plus_rho(&self, y: V) -> V {
        self.cp + self.cp - y
    }

    /// Where the iteration starts; exact for `k = 1`.
    ///
    /// `rho >= 0`: the Newton step for `T = S(T)` from `T = 0`, which overshoots because S is concave there,
    /// but no farther than `T = 1`. `rho < 0`: `T >= 1` is sought as `T = 1/(c- tau)` with the tangent of tau
    /// at 0, kept under the peak of S, `1/(2 sqrt(c+ c-))`, by one more term under the root.
    #[inline(always)]
    pub(super) fn start(&self) -> V {
        let zero = self.splat(0.0);
        let one = self.splat(1.0);
        let x = one + self.s;
        let a = self.cp * x * x;
        let c = self.cm * self.y0 * self.y0;
        let dn = a + c;
        let ls = self.l * self.s;
        let newton = dn.mul_add(dn, -((ls + ls) * (a - c)));
        let newton_h = self.s * dn.mul_add(self.b_plus_rho(self.y0), -(self.l * (a - c)));
        // With D = 2 X/T, T = 2 X/D: h = (1 - T)/2 = (D - 2 X)/(2 D).
        let w = self.cm * self.y0;
        let under = (ls * self.splat(8.0) + self.cp * x * x * self.splat(16.0)).mul_add(self.cm, w * w);
        let two_x = x + x;
        let d = (w + under.sqrt()).min(two_x);
        let same = self.cp.ge(self.splat(0.5));
        let numerator = same.select(newton_h, d - two_x);
        let denominator = same.select(newton, d + d);
        let h = numerator / denominator.max(self.q.broadcast(tiny()));
        let h = (same & newton.le(zero)).select(zero, h);
        self.clamp(h)
    }

    #[inline(always)]
    fn ratio(&self, h: V) -> Ratio<V> {
        let one = self.splat(1.0);
        let em = exp2_m1(self.y * (one - (h + h)));
        let b = self.s.mul_add(em, self.s);
        let y = self.y0 - self.s * em;
        let x = one + b;
        let a = self.cp * x * x;
        let c = self.cm * y * y;
        let dn = a + c;
        Ratio { em, b, x, y, a, c, dn, e: h.mul_add(dn, -(b * self.b_plus_rho(y))) }
    }

    /// One Halley step for `f(h) = h - F(h)`, clamped.
    ///
    /// `f = E/dn`, `f' = F1/dn^2`, `f'' = -2 K/dn^3` with `F1 = dn^2 - 2 L b (a - c)` and
    /// `K = 2 L^2 b X Y (a (1 + 2 c-) - c (1 + 2 c+))`, so `2 f f'/(2 f'^2 - f f'')` takes a single division.
    #[inline(always)]
    pub(super) fn step(&self, h: V) -> V {
        let at = self.ratio(h);
        let one = self.splat(1.0);
        let w = (self.l + self.l) * at.b;
        let f1 = at.dn.mul_add(at.dn, -(w * (at.a - at.c)));
        let bend = at.a.mul_add(one + (self.cm + self.cm), -(at.c * (one + (self.cp + self.cp))));
        let k = self.l * w * (at.x * at.y) * bend;
        let d = f1.mul_add(f1, at.e * k);
        // Both E and F1 vanish where the iteration has arrived at a triple root: 0/0.
        let d = d + self.q.broadcast(tiny());
        self.clamp(h - at.e * f1 * at.dn / d)
    }

    /// The weight degradation at h, exact at any h.
    ///
    /// For near-dipoles (`h < 0`, `2 h^6 L^2 > 1`) the psi terms cancel, while `|a_m phi_m + a_n phi_n|^2/q`
    /// and `g/q` are both small and far apart: then their difference is better.
    #[inline(always)]
    pub(super) fn degradation(&self, h: V) -> V {
        let zero = self.splat(0.0);
        let one = self.splat(1.0);
        let at = self.ratio(h);
        let dn = at.dn.max(self.q.broadcast(tiny()));
        let k_m1 = exp2_m1(self.y);
        let k = one + k_m1;
        let v2 = one + exp2_m1((self.y + self.y) * h * h);
        let uv = v2.mul_add(at.em, v2);
        let u2 = uv.mul_add(at.em, uv);
        let far = one - h;
        let two_l = self.l + self.l;
        let psi_m = psi(two_l * far * far, u2);
        let psi_n = psi(two_l * h * h, v2);
        let k_psi_mn = scaled_psi(k, -(two_l * h * far), uv);
        let rho_s = (self.cp - self.cm) * self.s;
        let b2 = at.b * at.b;
        let angle = self.cp * self.cm * self.splat(4.0);
        let residual = two_l * v2 * at.e.mul_add(at.e, angle * b2) / dn;
        let sum = (rho_s + rho_s).mul_add(k_psi_mn, (self.s * self.s).mul_add(psi_m, psi_n)) + residual;
        let row_stat =
            (self.s + self.s).mul_add(self.cp + self.cp, (rho_s + rho_s).mul_add(k_m1, self.y0 * self.y0));
        let difference = v2.mul_add(-dn, row_stat);
        let h2l = h * h * self.l;
        let dipole = h.lt(zero) & (h2l * h2l * (h * h)).gt(self.splat(0.5));
        self.q * dipole.select(difference, sum).max(zero)
    }
}
