//! The parameters of a model.

use super::{
    Average, ClassWeight, Forget, Gamma, KernelName, KernelParameters, Loss, LossParameters, Maintenance,
    MetricLearning, Missing, MissingValues, Rate, Scaling,
};

/// The parameters of a model, not yet checked. A named algorithm gives the defaults.
///
/// [`table`](super::table()) has an entry for each field: its valid values, the choices that it applies to, and a
/// description.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// The name of the algorithm in [`ALGORITHMS`](super::ALGORITHMS) that gives the defaults.
    pub algorithm: &'static str,
    /// Maximum number of support vectors; `None` is unbounded, which only strategies with
    /// [`MaintenanceEntry::may_be_unbounded`](super::MaintenanceEntry::may_be_unbounded) allow.
    pub budget: Option<usize>,
    /// The budget maintenance strategy.
    pub maintenance: Maintenance,
    /// The loss; it decides between classification and regression.
    pub loss: Loss,
    /// The parameters of the loss.
    pub loss_parameters: LossParameters,
    /// Number of neighbours for [`Maintenance::Nn`] and [`Maintenance::ProjectNn`]; `None` is the default of the
    /// strategy.
    pub n_neighbors: Option<usize>,
    /// Whether [`Maintenance::Simple`] may discard the new support vector if that has the lower objective.
    pub may_discard_new: bool,
    /// The rate of maintenance: NBSGD's beta (Le et al. 2016, Algorithm 3). `None` runs maintenance whenever the model
    /// is over budget.
    pub rate: Option<Rate>,
    /// Maximum number of support vectors with a rate; `None` sets no limit.
    pub max_size: Option<usize>,
    /// Number of rows of the whole stream, for [`Rate::Auto`] and for averages.
    pub stream_length: Option<u64>,
    /// The model used for prediction.
    pub average: Average,
    /// The regularization, the papers' lambda.
    pub alpha: f64,
    /// Whether w is projected onto the ball of radius `1/sqrt(alpha)`.
    pub project_to_ball: bool,
    /// C, the cap on the steps of the passive-aggressive rule and of MIRA.
    pub c: f64,
    /// C0, the cap on the first step of `online-kernel`.
    pub c0: f64,
    /// Whether the cap of `online-kernel` falls with the square root of the number of rows.
    pub c_decay: bool,
    /// `online-kernel` skips rows with a margin below minus this as probable label noise; `None` skips none.
    pub noise_margin: Option<f64>,
    /// How the model forgets the past of the stream.
    pub forget: Forget,
    /// The margin up to which the Perceptron updates, that MIRA requires, and from which [`Maintenance::Distill`]
    /// removes support vectors: beta in Crammer, Kandola and Singer (2003). `None` is 0.01 with MIRA,
    /// [`Maintenance::Margin`] and [`Maintenance::Distill`], otherwise 0.
    pub margin: Option<f64>,
    /// The distance from the span of the support vectors up to which [`Maintenance::Projectron`] projects.
    pub eta: f64,
    /// The constant step size of online gradient descent.
    pub eta0: f64,
    /// The largest coefficient with [`Maintenance::Bogd`], as a multiple of `eta0`.
    pub max_coef: f64,
    /// The weighting of classes.
    pub class_weight: ClassWeight,
    /// Number of features that columns are hashed into; `None` does not hash.
    pub hash_features: Option<usize>,
    /// The scaling of features.
    pub scaling: Scaling,
    /// The treatment of NaN in rows.
    pub missing: Missing,
    /// Numbers that are missing values, like NaN.
    pub missing_values: MissingValues,
    /// The form of the learned metric.
    pub metric_learning: MetricLearning,
    /// The weight of the linear term; `None` has no linear term.
    pub linear_weight: Option<f64>,
    /// The kernel.
    pub kernel: KernelName,
    /// The width of the kernel.
    pub gamma: Gamma,
    /// The other parameters of the kernel.
    pub kernel_parameters: KernelParameters,
    /// The seed of the random number generator.
    pub seed: u64,
}
