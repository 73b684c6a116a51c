"""The cases of test_oracle.py: an algorithm of oracle_named.py, its options, and what its stream is like.

`n_classes` is missing in regression. `seed` is of the stream and of the model. `rows` chooses the stream and
how long it is, see streams.py.
"""

from __future__ import annotations

import itertools

VARIANTS = (
    {"maintenance": "simple"},
    {"maintenance": "simple", "may_discard_new": True},
    {"maintenance": "nn"},
    {"maintenance": "nn", "n_neighbors": 2},
    {"maintenance": "nn", "n_neighbors": 4},
    {"maintenance": "joint"},
)
GENERIC = ("none", "stop", "random", "oldest", "smallest", "project", "project-best", "merge")
RATED = ("random", "oldest", "smallest", "project", "project-best", "project-nn", "merge")
KERNELS = (
    {"kernel": "rbf", "gamma": 0.4},
    {"kernel": "laplacian", "gamma": 0.3},
    {"kernel": "rbf", "gamma": 0.9},
    {"kernel": "poly", "gamma": 0.3, "degree": 3, "coef0": 1.0},  # of rank 35 in four dimensions
    {"kernel": "rbf", "gamma": 0.2},
)
FLAT, STEEP = KERNELS[:2]
DOT_KERNELS = (
    {"kernel": "poly", "gamma": 0.3, "degree": 2, "coef0": 0.7},
    {"kernel": "linear"},
    {"kernel": "cosine"},
)
CAPS = (0.07, 1.0, 0.4, 20.0, 0.02, 3.0, 0.15)


def case(number, seed, **chosen):
    """The case of a number: what is chosen, and kernels and weights, which go round."""
    kernel = FLAT if chosen.get("maintenance") == "merge" else KERNELS[number % 5]
    if "kernel" in chosen:
        kernel = {}
    return {"rows": "long", **chosen, **kernel, "weighted": number // 3 % 2 == 1, "seed": seed + number}


# SGD with the hinge.

ALPHAS = (0.00317, 0.0137, 0.0731)  # no multiple is a whole number: counts never sit on the hinge
GAMMAS = (0.4, 0.15, 1.7)
NAMED = {"none": "pegasos", **{name: f"bsgd-{name}" for name in ("smallest", "project", "project-best")}}


def sgd():
    numbers = itertools.count(1)

    def one(maintenance, budget, number, **chosen):
        name = {**NAMED, "merge": "bsgd-merge"}.get(maintenance)
        algorithm = {"algorithm": name} if name else {"algorithm": "pegasos", "maintenance": maintenance}
        shared = {"project_to_ball": number % 2 == 1, "imbalanced": number % 4 < 2, "seed": number}
        return {"rows": "all", **algorithm, "budget": budget, **shared, **chosen}

    for maintenance in (*NAMED, "merge", "oldest", "stop", "random"):
        for budget in (None,) if maintenance == "none" else (1, 2, 5, 20, 50):
            for n_classes in (2, 3, 5):
                i = next(numbers)
                gamma = GAMMAS[0] if budget == 50 else GAMMAS[i % 3]
                yield one(maintenance, budget, i, n_classes=n_classes, gamma=gamma, alpha=ALPHAS[i // 3 % 3])
    kernels = (
        {"kernel": "laplacian", "gamma": 0.3},
        {"kernel": "poly", "gamma": 0.2, "degree": 2, "coef0": 0.7},
        {"kernel": "linear"},
        {"kernel": "cosine"},
        {"kernel": "sigmoid", "gamma": 0.1, "coef0": 0.2},
    )
    for kernel in kernels:
        indefinite = kernel["kernel"] == "sigmoid"
        for maintenance in ("none", "smallest", "project", "project-best", "oldest", "stop", "random"):
            if indefinite and maintenance in ("smallest", "project", "project-best"):
                continue
            i = next(numbers)
            yield one(
                maintenance,
                None if maintenance == "none" else (4, 12)[i % 2],
                i,
                n_classes=(2, 3)[i // 2 % 2],
                alpha=ALPHAS[i % 3],
                project_to_ball=not indefinite and i % 4 < 2,
                imbalanced=i % 3 == 0,
                zeros=i % 2 == 1,
                **kernel,
            )
    tails = [{"kernel": "rational-quadratic", "alpha_rq": alpha_rq} for alpha_rq in (0.6, 2.0)]
    for maintenance, choices in (("merge", tails), ("merge-newest", [{"kernel": "rbf"}, *tails])):
        for kernel, budget in itertools.product(choices, (1, 5, 20)):
            i = next(numbers)
            gamma = {"gamma": GAMMAS[i % 3]}
            yield one(
                maintenance, budget, i, n_classes=(2, 3, 5)[i % 3], alpha=ALPHAS[i % 3], **kernel, **gamma
            )


# SGD with every loss but the hinge.

LOSSES_OF_CLASSES = ("hinge", "log_loss", "modified_huber")
LOSSES = (
    {"loss": "log_loss", "grad_tol": 0.02, "alpha": 0.03},
    {"loss": "squared_error", "project_to_ball": True, "alpha": 0.05},
    {"loss": "log_loss", "alpha": 0.01, "project_to_ball": True},
    {"loss": "absolute_error", "alpha": 0.02},
    {"loss": "epsilon_insensitive", "epsilon": 0.2, "alpha": 0.01},
    {"loss": "huber", "delta": 0.4, "alpha": 0.03},
    {"loss": "squared_error", "alpha": 2.0},
    {"loss": "quantile", "quantile": 0.8, "alpha": 0.02},
    {"loss": "modified_huber", "alpha": 0.02},
)


def losses():
    for number, (maintenance, setting) in enumerate(itertools.product(GENERIC, LOSSES)):
        budget = None if maintenance == "none" else (5, 20)[number % 2]
        is_of_classes = setting["loss"] in LOSSES_OF_CLASSES
        more = {"n_classes": (2, 3, 5)[number // len(LOSSES) % 3]} if is_of_classes else {}
        if maintenance.startswith("project") and budget == 20:
            # Steep enough that the condition of its systems stays in bounds.
            more |= STEEP
        chosen = {"algorithm": "pegasos", "maintenance": maintenance, "budget": budget}
        yield case(number, 1500, **chosen, **setting, **more)


# Passive-aggressive learning.


def passive_aggressive():
    joint = [(variant, (1, 2, 5, 20)) for variant in VARIANTS]
    generic = [({"maintenance": name}, (None,) if name == "none" else (1, 5, 20)) for name in GENERIC]
    numbers = itertools.count()
    for (variant, budgets), loss in itertools.product(joint + generic, ("hinge", "ramp", "squared_hinge")):
        for budget in budgets:
            i = next(numbers)
            chosen = {"loss": loss, "budget": budget, "n_classes": (2, 3, 5)[i % 3], "C": CAPS[i % 7]}
            yield case(i, 300, algorithm="pa", **variant, **chosen)


def passive_aggressive_regression():
    joint = [(variant, (1, 2, 5, 20)) for variant in VARIANTS]
    generic = [({"maintenance": name}, (None,) if name == "none" else (5, 20)) for name in GENERIC]
    numbers = itertools.count()
    for variant, budgets in joint + generic:
        for budget in budgets:
            i = next(numbers)
            chosen = {"budget": budget, "epsilon": (0.1, 0.3, 0.03)[i % 3], "C": CAPS[i % 7]}
            yield case(i, 700, algorithm="pa", **variant, **chosen)


# The Perceptron, MIRA and OGD.


def of_budgets(name, budgets, **setting):
    """The name with all budgets. Small caches have a wide kernel: far vectors are as good as tied."""
    for budget in budgets:
        wide = {"kernel": "rbf", "gamma": 0.05} if budget in (2, 4) and name.startswith("budget") else {}
        yield {"algorithm": name, "budget": budget, **setting, **wide}


def generic(name, budgets, settings):
    """The name with every generic maintenance but merging, and the settings in turn.

    Projections on many vectors have a steep kernel, which keeps the condition of their systems in bounds.
    """
    settings = itertools.cycle(settings)
    for maintenance in GENERIC[:-1]:
        for budget in (None,) if maintenance == "none" else budgets:
            steep = STEEP if maintenance.startswith("project") and budget == 20 else {}
            yield {"algorithm": name, "maintenance": maintenance, "budget": budget, **next(settings), **steep}


def perceptrons():
    """What each case chooses; kernels, classes and weights go round."""
    merge = {"maintenance": "merge"}
    yield from generic("perceptron", (1, 5, 20), [{}])
    yield from generic("perceptron", (5, 20), [{"margin": 0.3}, {"margin": 1.2}])
    yield {"algorithm": "perceptron", **merge, "budget": 5}
    yield {"algorithm": "perceptron", **merge, "budget": 20, "margin": 0.3}
    yield from of_budgets("stoptron", (5, 20))
    yield from of_budgets("rbp", (5, 20))
    for setting in ({}, {"margin": 0.0}, {"margin": 0.4}):
        yield from of_budgets("budget-perceptron", (1, 4, 5, 20), **setting)
        yield from of_budgets("budget-perceptron-distill", (None, 1, 5, 20), **setting)
    yield from of_budgets("budget-perceptron", (2,))
    yield from of_budgets("forgetron", (1, 2, 3, 5, 10, 20, 30))
    for name in ("projectron", "projectron++"):
        for eta, kernel in (({}, KERNELS[0]), ({"eta": 0.1}, KERNELS[1]), ({"eta": 0.7}, KERNELS[2])):
            # The norm of a change is the root of a residual: rounding alone, where the rank is low.
            # With a small eta the reference would solve for hundreds of vectors at every example.
            yield from of_budgets(name, (20,) if eta.get("eta") == 0.1 else (None, 20), **eta, **kernel)
            yield from of_budgets(name, (2, 5), **eta)
        yield from of_budgets(name, (5, 20), eta=0.0, **STEEP)
    margins = itertools.cycle([{}, {"margin": 0.3}, {"margin": 1.0}])
    yield from generic("mira", (1, 5, 20), [{"C": cap, **next(margins)} for cap in CAPS])
    yield {"algorithm": "mira", "budget": None}
    yield from of_budgets("mira-merge", (5, 20), **FLAT)
    for setting in ({"C": 0.4}, {"C": 5.0, "margin": 0.5}, {}):
        yield from of_budgets("budget-mira", (1, 2, 5, 20), **setting)
        yield from of_budgets("budget-mira-distill", (None, 1, 5, 20), **setting)
    steps = ({"eta0": 0.05, "alpha": 0.5}, {}, {"eta0": 0.9, "alpha": 0.01})
    yield from generic("bogd", (1, 5, 20), steps)
    yield {"algorithm": "bogd", **merge, "budget": 5}
    steps = itertools.cycle(steps)
    for setting, budget in itertools.product(({"max_coef": 1.0}, {"max_coef": 1.5}, {}), (1, 2, 5, 20)):
        yield from of_budgets("bogd", (budget,), **setting, **next(steps))


def with_dot_products():
    """Cases for the kernels of dot products; the sigmoid, not definite, has cases without lengths."""
    indefinite = [("perceptron", {}, None), ("rbp", {}, 8)]
    indefinite += [("perceptron", {"maintenance": "oldest"}, 8), ("bogd", {"maintenance": "oldest"}, 8)]
    definite = [("budget-perceptron", {}, 8), ("budget-perceptron-distill", {}, None), ("forgetron", {}, 8)]
    definite += [("projectron", {}, 5), ("projectron++", {}, None), ("mira", {}, None)]
    definite += [("budget-mira", {}, 8), ("bogd", {}, 8)]
    sigmoid = {"kernel": "sigmoid", "gamma": 0.1, "coef0": 0.2}
    for kernel in (*DOT_KERNELS[1:], sigmoid):
        for algorithm, chosen, budget in indefinite + definite * (kernel is not sigmoid):
            yield {"algorithm": algorithm, **chosen, "budget": budget, **kernel}


def perceptrons_and_others():
    for number, chosen in enumerate(perceptrons()):
        yield case(number, 1100, n_classes=(2, 3, 5)[number % 3], **chosen)
    for number, chosen in enumerate(with_dot_products(), start=500):
        yield case(number, 1100, n_classes=(2, 3)[number % 2], **chosen)


def on_neighbours():
    """Projection on neighbours under the rules beside SGD."""
    names = ("perceptron", "mira", "bogd", "pa", "pa-ramp", None)
    for number, (name, k) in enumerate(itertools.product(names, (None, 1, 3))):
        task = {"n_classes": (2, 3)[number // 2 % 2]} if name else {"epsilon": 0.1}
        chosen = {"maintenance": "project-nn", "budget": (5, 12)[number % 2], **task}
        yield case(
            number, 2900, algorithm=name or "pa", **chosen, **({} if k is None else {"n_neighbors": k})
        )


# Averages of the rules beside SGD.

N_SHORT, N_MERGE = 160, 100  # the reference of merging is the slowest
AVERAGES = (
    {"average": True},
    {"average": "polynomial"},
    {"average": "random"},
    {"average": 0.25, "stream_length": N_SHORT},
    {"average": 1.0},
    {"average": "random", "stream_length": N_SHORT},
)
SETTINGS = {
    "pa": ({}, {"loss": "ramp", "C": 0.4}, {"loss": "squared_hinge"}, {"C": 0.1}),
    "pa-regression": ({"epsilon": 0.2}, {"C": 0.3}),
    "mira": ({}, {"margin": 0.5, "C": 0.4}, {"margin": 1.0}),
    "perceptron": ({}, {"margin": 0.3}),
    "forgetron": ({},),
    "projectron": ({"eta": 0.6}, {}),
    "bogd": ({"alpha": 0.1}, {"eta0": 0.5, "alpha": 0.02}),
}


def averages():
    """Every rule with every strategy; merging and the strategies of one rule meet every average."""
    with_generic = [{"maintenance": name} for name in (*GENERIC, "merge-newest")]
    with_margins = [*with_generic, {"maintenance": "margin"}, {"maintenance": "distill"}]
    strategies = {
        "pa": [*VARIANTS, *with_generic],
        "pa-regression": [*VARIANTS, *with_generic],
        "mira": with_margins,
        "perceptron": with_margins,
        "forgetron": [{"maintenance": "forgetron"}],
        "projectron": [{"maintenance": "projectron"}, {"maintenance": "projectron++"}],
        "bogd": [{"maintenance": "bogd"}, *with_generic],
    }
    number = itertools.count()
    for rule, settings in SETTINGS.items():
        for strategy in strategies[rule]:
            name = strategy["maintenance"]
            all_of_them = name not in GENERIC or name == "merge"
            for offset in range(6 if all_of_them else 2):
                i = next(number)
                steep = name in ("project", "project-best", "projectron", "projectron++")
                flat = name.startswith("merge")
                yield {
                    "rows": "short",
                    "algorithm": rule.removesuffix("-regression"),
                    "budget": None if name == "none" else (5, 10)[i % 2],
                    **({} if rule == "pa-regression" else {"n_classes": (2, 3, 5)[i // 2 % 3]}),
                    **strategy,
                    **settings[(i + i // 6) % len(settings)],
                    **(FLAT if flat else STEEP if steep else KERNELS[(0, 1, 2, 4)[i % 4]]),
                    **AVERAGES[(i if all_of_them else 3 * offset + i) % 6],
                    "weighted": i // 3 % 2 == 1,
                    "seed": 4400 + i,
                }


# SGD with a rate of maintenance, an average or both.

SGD = (
    {"loss": "hinge", "alpha": 0.0137},
    {"loss": "log_loss", "grad_tol": 0.02, "alpha": 0.03},
    {"loss": "absolute_error", "alpha": 0.02},
    {"loss": "hinge", "alpha": 0.0731, "project_to_ball": True},
    {"loss": "epsilon_insensitive", "epsilon": 0.2, "alpha": 0.01},
    {"loss": "squared_error", "alpha": 0.05, "project_to_ball": True},
    {"loss": "huber", "delta": 0.4, "alpha": 0.03},
    {"loss": "log_loss", "alpha": 0.01, "project_to_ball": True},
    {"loss": "quantile", "quantile": 0.8, "alpha": 0.02},
    {"loss": "squared_error", "alpha": 2.0},
)
OF_CLASSES = [SGD[i] for i in (0, 1, 3, 7)]
RATES = (
    {"rate": 30.0},
    {"rate": 60.5, "max_size": 30},
    {"rate": "auto", "stream_length": N_MERGE},
    {"rate": 7.0, "max_size": 12},
)
AVERAGES_OF_SGD = (
    {"average": True},
    {"average": 0.25, "stream_length": N_SHORT},
    {"average": "random"},
    {"average": 0.9},
    {"average": 1.0},
    {"average": 0.5, "stream_length": 70},
    {"average": "random", "stream_length": N_SHORT},
    {"average": 0.9, "stream_length": N_SHORT},
    {"average": 0.25},
)


def sgd_case(number, maintenance, loss, **chosen):
    """The case of a number: what is chosen, and kernels, classes and weights, which go round."""
    more = {}
    if "kernel" not in chosen:
        # Systems of many vectors have a steep kernel, which keeps their condition in bounds.
        steep = maintenance in ("project", "project-best")
        chosen |= FLAT if maintenance.startswith("merge") else STEEP if steep else KERNELS[number % 4]
    if loss["loss"] in LOSSES_OF_CLASSES:
        more["n_classes"] = (2, 3, 5)[number % 3]
    if maintenance == "project-nn" and number % 4:
        more["n_neighbors"] = (None, 1, 2, 7)[number % 4]
    budget = None if maintenance == "none" else (5, 10)[number % 2]
    about = {"rows": "short", "algorithm": "pegasos", "maintenance": maintenance, "budget": budget}
    weighted = number // 3 % 2 == 1
    return {**about, **more, **loss, "weighted": weighted, "seed": 2300 + number, **chosen}


def sgd_with_averages():
    """Every setting of SGD with every maintenance; each of these meets every rate and every average."""
    for i, (maintenance, loss) in enumerate(itertools.product(RATED, SGD)):
        yield sgd_case(i, maintenance, loss, **RATES[(i + i // 10) % 4])
    for i, (maintenance, loss) in enumerate(itertools.product(("none", "stop", *RATED), SGD), start=100):
        yield sgd_case(i, maintenance, loss, **AVERAGES_OF_SGD[(i + i // 10) % 9])
    with_margins = itertools.product(("margin", "distill"), AVERAGES_OF_SGD)
    for i, (maintenance, average) in enumerate(with_margins, start=300):
        yield sgd_case(i, maintenance, OF_CLASSES[i % 4], **average)
    for i, maintenance in enumerate(RATED, start=400):
        for offset, rate in enumerate(RATES):
            average = AVERAGES_OF_SGD[(i + 2 * offset) % 9]
            length = rate.get("stream_length", average.get("stream_length"))
            chosen = {**rate, **average, "stream_length": length}
            yield sgd_case(i + 10 * offset, maintenance, SGD[(3 * i + offset) % 10], **chosen)
    # Projection with other kernels and numbers of neighbours, down to a budget of 1.
    kernels_and_neighbours = itertools.product((FLAT, STEEP, *DOT_KERNELS), (None, 1, 3, 30))
    for i, (kernel, k) in enumerate(kernels_and_neighbours, start=500):
        chosen = {**kernel, **({} if k is None else {"n_neighbors": k}), "budget": (1, 4, 15)[i % 3]}
        yield sgd_case(i, "project-nn", SGD[i % 10], **chosen)
    # The mean whose late models decide.
    late = ("none", "stop", *RATED, "margin", "distill", "merge-newest")
    for i, maintenance in enumerate(late, start=600):
        loss = OF_CLASSES[i % 4] if maintenance in ("margin", "distill") else SGD[i % 10]
        yield sgd_case(i, maintenance, loss, average="polynomial")
    yield sgd_case(600 + len(late), "merge", SGD[0], average="polynomial", rate=60.5, max_size=30)


CASES = [
    *sgd(),
    *losses(),
    *passive_aggressive(),
    *passive_aggressive_regression(),
    *perceptrons_and_others(),
    *on_neighbours(),
    *averages(),
    *sgd_with_averages(),
]
