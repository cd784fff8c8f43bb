"""Where the functions come from: modules to harvest, and scenarios for what needs more than one call."""

from __future__ import annotations

from tests.mutants.recipes import Recipe

MODULES = {
    "optax": (
        "optax._src.linear_algebra",
        "optax._src.numerics",
        "optax._src.transform",
        "optax._src.update",
        "optax._src.utils",
        "optax.losses._classification",
        "optax.losses._regression",
        "optax.losses._ranking",
        "optax.perturbations._make_pert",
        "optax.projections._projections",
        "optax.tree_utils._tree_math",
    ),
    "flax": (
        "flax.linen.attention",
        "flax.linen.linear",
        "flax.linen.normalization",
        "flax.linen.recurrent",
        "flax.training.common_utils",
        "flax.nnx.nn.activations",
        "flax.nnx.nn.attention",
        "flax.nnx.nn.linear",
        "flax.nnx.nn.dtypes",
        "flax.nnx.training.metrics",
    ),
    "equinox": (
        "equinox.nn._attention",
        "equinox.nn._dropout",
        "equinox.nn._linear",
        "equinox.nn._mlp",
        "equinox.nn._pool",
        "equinox.nn._rnn",
        "equinox.nn._sequential",
        "equinox._update",
    ),
    "numpyro": (
        "numpyro.distributions.constraints",
        "numpyro.distributions.continuous",
        "numpyro.distributions.directional",
        "numpyro.distributions.discrete",
        "numpyro.distributions.truncated",
        "numpyro.distributions.transforms",
        "numpyro.distributions.util",
        "numpyro.diagnostics",
        "numpyro.infer.hmc_util",
        "numpyro.util",
    ),
    "haiku": (
        "haiku._src.basic",
        "haiku._src.initializers",
        "haiku._src.recurrent",
    ),
    "blackjax": (
        "blackjax.diagnostics",
        "blackjax.mcmc.integrators",
        "blackjax.mcmc.metrics",
        "blackjax.mcmc.proposal",
        "blackjax.mcmc.trajectory",
        "blackjax.optimizers.lbfgs",
        "blackjax.smc.ess",
        "blackjax.smc.resampling",
        "blackjax.smc.solver",
        "blackjax.util",
    ),
    "diffrax": (
        "diffrax._misc",
        "diffrax._local_interpolation",
        "diffrax._global_interpolation",
        "diffrax._step_size_controller.pid",
        "diffrax._term",
    ),
    "distrax": (
        "distrax._src.bijectors.gumbel_cdf",
        "distrax._src.bijectors.lower_upper_triangular_affine",
        "distrax._src.bijectors.rational_quadratic_spline",
        "distrax._src.bijectors.scalar_affine",
        "distrax._src.bijectors.sigmoid",
        "distrax._src.bijectors.tanh",
        "distrax._src.bijectors.triangular_linear",
        "distrax._src.distributions.beta",
        "distrax._src.distributions.dirichlet",
        "distrax._src.distributions.epsilon_greedy",
        "distrax._src.distributions.gamma",
        "distrax._src.distributions.gumbel",
        "distrax._src.distributions.laplace",
        "distrax._src.distributions.logistic",
        "distrax._src.distributions.normal",
        "distrax._src.distributions.uniform",
        "distrax._src.distributions.von_mises",
        "distrax._src.utils.math",
    ),
    "jaxopt": (
        "jaxopt._src.linear_solve",
        "jaxopt._src.linear_operator",
        "jaxopt._src.loss",
        "jaxopt._src.isotonic",
        "jaxopt._src.objective",
        "jaxopt._src.perturbations",
        "jaxopt._src.projection",
        "jaxopt._src.prox",
        "jaxopt._src.tree_util",
    ),
    "chex": ("chex._src.asserts_internal",),
    "optimistix": ("optimistix._misc", "optimistix._search"),
    "lineax": ("lineax._misc", "lineax._norm", "lineax._operator"),
    "rlax": (
        "rlax._src.clipping",
        "rlax._src.distributions",
        "rlax._src.episodic_memory",
        "rlax._src.exploration",
        "rlax._src.losses",
        "rlax._src.moving_averages",
        "rlax._src.multistep",
        "rlax._src.policy_gradients",
        "rlax._src.pop_art",
        "rlax._src.transforms",
        "rlax._src.value_learning",
        "rlax._src.vtrace",
    ),
    "mctx": ("mctx._src.qtransforms", "mctx._src.action_selection", "mctx._src.seq_halving"),
    "jaxlie": ("jaxlie._so2", "jaxlie._so3", "jaxlie._se2", "jaxlie._se3"),
    "ott": (
        "ott.geometry.costs",
        "ott.geometry.regularizers",
        "ott.math._legendre",
        "ott.math.matrix_square_root",
        "ott.math.unbalanced_functions",
        "ott.math.utils",
        "ott.tools.soft_sort",
    ),
    "evosax": ("evosax.core.fitness_shaping", "evosax.core.kernel", "evosax.core.optimizer"),
    "jax": (
        "jax._src.image.scale",
        "jax._src.nn.functions",
        "jax._src.numpy.linalg",
        "jax._src.numpy.polynomial",
        "jax._src.numpy.setops",
        "jax._src.scipy.cluster.vq",
        "jax._src.scipy.integrate",
        "jax._src.scipy.linalg",
        "jax._src.scipy.signal",
        "jax._src.scipy.special",
        "jax._src.scipy.stats.beta",
        "jax._src.scipy.stats.gamma",
        "jax._src.scipy.stats._core",
        "jax._src.scipy.stats.kde",
        "jax._src.scipy.stats.norm",
        "jax._src.scipy.stats.truncnorm",
    ),
}

_PARAMETERS = "{'w': jnp.ones((2, 3)), 'b': jnp.zeros(3)}"
_KEY = "jax.random.PRNGKey(0)"
_VECTOR = "jnp.array([0.5, 1.5, 2.5])"


def _scenario(module: str, parameters: str, *lines: str, arguments: tuple[str, ...]) -> Recipe:
    body = (f"def scenario({parameters}):", *(f"    {line}" for line in lines))
    return Recipe(module, "scenario", arguments, (), body)


def _optimizer(maker: str) -> Recipe:
    return _scenario(
        "optax._src.transform",
        "grads, params",
        f"tx = {maker}",
        "updates, _ = tx.update(grads, tx.init(params), params)",
        "return updates",
        arguments=(_PARAMETERS, _PARAMETERS),
    )


def _layer(module: str, maker: str, x: str = "jnp.ones((2, 8, 8, 3))", more: str = "") -> Recipe:
    return _scenario(
        f"flax.linen.{module}",
        "key, x",
        f"layer = {maker}",
        f"variables = layer.init(key, x{more})",
        f"return layer.apply(variables, x{more}, mutable=True)[0]",
        arguments=(_KEY, x),
    )


def _equinox(module: str, maker: str, x: str, more: str = "") -> Recipe:
    return _scenario(
        f"equinox.nn.{module}",
        "key, x",
        f"layer = {maker}",
        f"return layer(x{more})",
        arguments=(_KEY, x),
    )


def _haiku(module: str, maker: str, x: str = "jnp.ones((2, 8, 8, 3))", more: str = "") -> Recipe:
    return _scenario(
        f"haiku._src.{module}",
        "key, x",
        "from haiku._src.transform import transform_with_state",
        f"model = transform_with_state(lambda v: {maker}(v{more}))",
        "params, state = model.init(key, x)",
        "return model.apply(params, state, key, x)[0]",
        arguments=(_KEY, x),
    )


def _solver(module: str, solver: str) -> Recipe:
    return _scenario(
        f"diffrax._solver.{module}",
        "y0",
        "import diffrax",
        "term = diffrax.ODETerm(lambda t, y, args: -y)",
        f"solver = {solver}",
        "state = solver.init(term, 0.0, 0.1, y0, None)",
        "return solver.step(term, 0.0, 0.1, y0, None, state, False)[0]",
        arguments=(_VECTOR,),
    )


SCENARIOS = (
    *(
        _optimizer(maker)
        for maker in (
            "scale_by_adam()",
            "scale_by_adam(nesterov=True)",
            "scale_by_amsgrad()",
            "scale_by_adamax()",
            "scale_by_lion()",
            "scale_by_rms()",
            "scale_by_rss()",
            "scale_by_stddev()",
            "scale_by_belief()",
            "scale_by_yogi()",
            "scale_by_radam()",
            "scale_by_rprop(0.1)",
            "scale_by_novograd()",
            "scale_by_trust_ratio()",
            "scale_by_sm3()",
            "scale_by_optimistic_gradient()",
            "centralize()",
            "add_decayed_weights(0.1)",
            "normalize_by_update_norm()",
            "scale_by_schedule(lambda count: 0.1 * count)",
        )
    ),
    _layer("linear", "Dense(4)"),
    _layer("linear", "DenseGeneral((4, 2))"),
    _layer("linear", "Conv(4, (3, 3))"),
    _layer("linear", "Conv(4, (3, 3), strides=2, padding='VALID')"),
    _layer("linear", "ConvTranspose(4, (3, 3))"),
    _layer("linear", "Embed(7, 3)", "jnp.array([0, 3, 5])"),
    _layer("normalization", "LayerNorm()"),
    _layer("normalization", "RMSNorm()"),
    _layer("normalization", "GroupNorm(num_groups=3)"),
    _layer("normalization", "BatchNorm(use_running_average=False)"),
    _layer("attention", "MultiHeadDotProductAttention(num_heads=2)", "jnp.ones((2, 5, 4))"),
    _layer("recurrent", "RNN(LSTMCell(4))", "jnp.ones((2, 5, 3))"),
    _layer("recurrent", "RNN(GRUCell(4))", "jnp.ones((2, 5, 3))"),
    _equinox("_conv", "Conv2d(3, 4, 3, key=key)", "jnp.ones((3, 8, 8))"),
    _equinox("_conv", "ConvTranspose2d(3, 4, 3, key=key)", "jnp.ones((3, 8, 8))"),
    _equinox("_conv", "Conv1d(3, 4, 3, padding='SAME', key=key)", "jnp.ones((3, 8))"),
    _equinox("_normalisation", "LayerNorm(3)", _VECTOR),
    _equinox("_normalisation", "RMSNorm(3)", _VECTOR),
    _equinox("_normalisation", "GroupNorm(1, 3)", "jnp.ones((3, 8, 8))"),
    _equinox("_embedding", "Embedding(7, 3, key=key)", "jnp.array(2)"),
    _equinox("_embedding", "RotaryPositionalEmbedding(4)", "jnp.ones((5, 4))"),
    _equinox("_attention", "MultiheadAttention(2, 4, key=key)", "jnp.ones((5, 4))", ", x, x"),
    _equinox("_rnn", "GRUCell(3, 4, key=key)", _VECTOR, ", jnp.zeros(4)"),
    _equinox("_rnn", "LSTMCell(3, 4, key=key)", _VECTOR, ", (jnp.zeros(4), jnp.zeros(4))"),
    _equinox("_mlp", "MLP(3, 2, 8, 2, key=key)", _VECTOR),
    _equinox("_linear", "Linear(3, 'scalar', key=key)", _VECTOR),
    _haiku("basic", "Linear(4)"),
    _haiku("batch_norm", "BatchNorm(True, True, 0.9)", more=", is_training=True"),
    _haiku("layer_norm", "LayerNorm(-1, True, True)"),
    _haiku("group_norm", "GroupNorm(3)"),
    _haiku("conv", "Conv2D(4, 3)"),
    _haiku("conv", "Conv2DTranspose(4, 3)"),
    _haiku("depthwise_conv", "DepthwiseConv2D(1, 3)"),
    _haiku("embed", "Embed(7, 3)", "jnp.array([0, 3, 5])"),
    _haiku("attention", "(lambda v: MultiHeadAttention(2, 4, w_init_scale=1.0)(v, v, v))", "jnp.ones((2, 5, 4))"),
    _haiku("recurrent", "(lambda v: dynamic_unroll(LSTM(4), v, LSTM(4).initial_state(2))[0])", "jnp.ones((5, 2, 3))"),
    _haiku("recurrent", "(lambda v: dynamic_unroll(GRU(4), v, GRU(4).initial_state(2))[0])", "jnp.ones((5, 2, 3))"),
    _haiku("nets.mlp", "MLP((4, 2))"),
    _solver("runge_kutta", "diffrax.Dopri5()"),
    _solver("euler", "Euler()"),
    _solver("semi_implicit_euler", "diffrax.Euler()"),
    _scenario(
        "diffrax._integrate",
        "y0",
        "import diffrax",
        "term = diffrax.ODETerm(lambda t, y, args: -y)",
        "return diffeqsolve(term, diffrax.Tsit5(), 0.0, 1.0, 0.1, y0).ys",
        arguments=(_VECTOR,),
    ),
    _scenario(
        "diffrax._step_size_controller.pid",
        "y0, y1, error",
        "import diffrax",
        "controller = PIDController(rtol=1e-3, atol=1e-6)",
        "term = diffrax.ODETerm(lambda t, y, args: -y)",
        "t1, state = controller.init(term, 0.0, 1.0, y0, 0.1, None, diffrax.Tsit5().func, 5)",
        "return controller.adapt_step_size(0.0, t1, y0, y1, None, error, 5, state)[:3]",
        arguments=(_VECTOR,) * 3,
    ),
    *(
        _scenario(
            f"blackjax.mcmc.{module}",
            "key, position",
            "logdensity = lambda x: -0.5 * jnp.sum(x ** 2)",
            f"algorithm = as_top_level_api(logdensity, {arguments})",
            "state = algorithm.init(position)",
            "return algorithm.step(key, state)[0]",
            arguments=(_KEY, _VECTOR),
        )
        for module, arguments in (
            ("hmc", "0.1, jnp.ones(3), 3"),
            ("nuts", "0.1, jnp.ones(3)"),
            ("mala", "0.1"),
            ("ghmc", "0.1, jnp.ones(3), 0.1, 0.1"),
            ("barker", "0.1"),
        )
    ),
    *(
        _scenario(
            f"jaxopt._src.{module}",
            "params",
            f"solver = {solver}",
            "return solver.run(params).params",
            arguments=(_VECTOR,),
        )
        for module, solver in (
            ("gradient_descent", "GradientDescent(lambda p: jnp.sum((p - 1.0) ** 2), maxiter=3, jit=False)"),
            ("lbfgs", "LBFGS(lambda p: jnp.sum((p - 1.0) ** 2), maxiter=3)"),
            ("nonlinear_cg", "NonlinearCG(lambda p: jnp.sum((p - 1.0) ** 2), maxiter=3)"),
            ("bfgs", "BFGS(lambda p: jnp.sum((p - 1.0) ** 2), maxiter=3)"),
            ("gauss_newton", "GaussNewton(lambda p: p - 1.0, maxiter=3)"),
            ("levenberg_marquardt", "LevenbergMarquardt(lambda p: p - 1.0, maxiter=3)"),
            ("anderson", "AndersonAcceleration(lambda p: 0.5 * jnp.cos(p), maxiter=5)"),
        )
    ),
)
