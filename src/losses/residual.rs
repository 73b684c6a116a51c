//! Regression losses, functions of the residual `y - f`.

/// A regression loss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ResidualLoss {
    /// `1/2 (y - f)^2`
    SquaredError,
    /// `|y - f|`
    AbsoluteError,
    /// `max(0, |y - f| - epsilon)`: zero for errors of at most epsilon, else linear.
    EpsilonInsensitive { epsilon: f64 },
    /// `1/2 (y - f)^2` up to a residual of delta, then `delta (|y - f| - delta/2)`.
    Huber { delta: f64 },
    /// The pinball loss `max(q (y - f), (q - 1) (y - f))`. Its expectation is smallest at the quantile q.
    Quantile { q: f64 },
}

impl ResidualLoss {
    /// Minus the derivative with respect to f.
    #[inline(always)]
    pub(super) fn neg_derivative(self, residual: f64) -> f64 {
        let sign = if residual == 0.0 { 0.0 } else { residual.signum() };
        match self {
            Self::SquaredError => residual,
            Self::AbsoluteError => sign,
            Self::EpsilonInsensitive { epsilon } => {
                if residual.abs() > epsilon {
                    sign
                } else {
                    0.0
                }
            }
            Self::Huber { delta } => residual.clamp(-delta, delta),
            Self::Quantile { q } => match sign {
                s if s > 0.0 => q,
                s if s < 0.0 => q - 1.0,
                _ => 0.0,
            },
        }
    }
}
