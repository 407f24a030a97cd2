"""Steps of training with the optimizers of Optax, which needs `pip install optax`.

Each program is a function of a mesh data, model that gives (function, arguments, arguments to donate).
"""

import jax
import jax.numpy as jnp
from jax import lax

from arrays import BF16, F32, I32, array, cut, norm


def step_of(mesh, optimizer, loss, weights, *batch, donate=(0, 1)):
    """A step that takes weights and the state of an optimizer, and returns them with the loss."""
    import optax

    def step(weights, state, *batch):
        value, gradient = jax.value_and_grad(loss)(weights, *batch)
        updates, state = optimizer.update(gradient, state, weights)
        return optax.apply_updates(weights, updates), state, value

    return step, (weights, jax.eval_shape(optimizer.init, weights), *batch), donate


def layers(mesh, count, width, dtype=F32):
    up, down = array(mesh, (width, 3 * width), None, "model", dtype=dtype), array(mesh, (3 * width, width), "model", dtype=dtype)
    return [{"up": up, "down": down} for _ in range(count)]


def perceptron(weights, x):
    for w in weights:
        x = x + jax.nn.gelu(norm(x) @ w["up"]) @ w["down"]
    return x


def squares(weights, x, y):
    return jnp.mean((perceptron(weights, x) - y) ** 2)


def rows(mesh, count, width):
    return array(mesh, (count, width), "data")


def adamw(mesh):
    """AdamW with clipping and a schedule of its rate; six layers."""
    import optax

    rate = optax.warmup_cosine_decay_schedule(0, 1e-3, 100, 1000)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rate))
    return step_of(mesh, optimizer, squares, layers(mesh, 6, 192), rows(mesh, 96, 192), rows(mesh, 96, 192))


def adafactor(mesh):
    """Factored second moments; nothing is donated."""
    import optax

    return step_of(mesh, optax.adafactor(1e-3), squares, layers(mesh, 3, 256), rows(mesh, 64, 256), rows(mesh, 64, 256), donate=())


def lion_scan(mesh):
    """Lion on layers that are stacked and scanned, with rematerialisation."""
    import optax

    def loss(w, x, y):
        block = jax.checkpoint(lambda x, w: (x + jnp.tanh(norm(x) @ w["up"]) @ w["down"], jnp.mean(x)))
        x, means = lax.scan(block, x, w)
        return jnp.mean((x - y) ** 2) + jnp.sum(means)

    w = {"up": array(mesh, (8, 160, 320), None, None, "model"), "down": array(mesh, (8, 320, 160), None, "model")}
    return step_of(mesh, optax.lion(1e-4), loss, w, rows(mesh, 48, 160), rows(mesh, 48, 160))


def accumulated(mesh):
    """Gradients of four parts of a batch, added up in a scan; SGD with Nesterov's momentum."""
    import optax

    def loss(w, x, y):
        def part(sum_, xy):
            return sum_ + squares(w, *xy), None

        return lax.scan(part, 0.0, (x.reshape(4, -1, 128), y.reshape(4, -1, 128)))[0] / 4

    return step_of(mesh, optax.sgd(1e-2, 0.9, nesterov=True), loss, layers(mesh, 4, 128), rows(mesh, 128, 128), rows(mesh, 128, 128))


def every_fourth(mesh):
    """Updates of every fourth step only (MultiSteps), in a conditional."""
    import optax

    steps = optax.MultiSteps(optax.rmsprop(1e-3), every_k_schedule=4)
    optimizer = optax.GradientTransformation(steps.init, steps.update)
    return step_of(mesh, optimizer, squares, layers(mesh, 2, 128), rows(mesh, 64, 128), rows(mesh, 64, 128))


def attention_loss(w, ids):
    x = w["table"][ids[:, :-1]]
    for layer in w["layers"]:
        q, k, v = jnp.einsum("btd,cdhe->cbhte", norm(x), layer["qkv"])
        scores = jnp.where(jnp.tri(x.shape[1], dtype=bool), q @ k.swapaxes(-1, -2) / 8, -1e30)
        x = x + jnp.einsum("bhte,hed->btd", jax.nn.softmax(scores.astype(F32)).astype(x.dtype) @ v, layer["out"])
        x = x + jax.nn.silu(norm(x) @ layer["up"]) @ layer["down"]
    logits = jax.nn.log_softmax((norm(x) @ w["table"].T).astype(F32))
    return -jnp.mean(jnp.take_along_axis(logits, ids[:, 1:, None], -1))


def transformer(mesh, dtype, count):
    layer = {
        "qkv": array(mesh, (3, 128, 4, 32), None, None, "model", dtype=dtype),
        "out": array(mesh, (4, 32, 128), "model", dtype=dtype),
        "up": array(mesh, (128, 512), None, "model", dtype=dtype),
        "down": array(mesh, (512, 128), "model", dtype=dtype),
    }
    return {"table": array(mesh, (1000, 128), "model", dtype=dtype), "layers": [layer] * count}


def language(mesh):
    """A transformer, unrolled, with its table of words used twice; AdamW."""
    import optax

    return step_of(mesh, optax.adamw(1e-3), attention_loss, transformer(mesh, F32, 3), array(mesh, (16, 65), "data", dtype=I32))


def language_bf16(mesh):
    """The same in bfloat16 with the moments of Lamb."""
    import optax

    return step_of(mesh, optax.lamb(1e-3), attention_loss, transformer(mesh, BF16, 2), array(mesh, (8, 129), "data", dtype=I32))


def contrast(mesh):
    """Two towers whose pairs in a batch are compared with all others; SGD with weight decay."""
    import optax

    def loss(w, x, y):
        a, b = (v / jnp.linalg.norm(v, axis=-1, keepdims=True) for v in (perceptron(w["left"], x), perceptron(w["right"], y)))
        scores = cut(mesh, a @ b.T * 20, "data", None)
        return optax.softmax_cross_entropy_with_integer_labels(scores, jnp.arange(len(x))).mean()

    w = {"left": layers(mesh, 2, 96), "right": layers(mesh, 3, 96)}
    return step_of(mesh, optax.chain(optax.add_decayed_weights(1e-4), optax.sgd(0.1)), loss, w, rows(mesh, 128, 96), rows(mesh, 128, 96))


def speech(mesh):
    """Connectionist temporal classification: a dynamic program in a scan, and its gradient."""
    import optax

    def loss(w, x, labels):
        logits = perceptron(w, x)
        return optax.ctc_loss(logits, jnp.zeros(logits.shape[:2]), labels, jnp.zeros(labels.shape)).mean()

    return step_of(mesh, optax.adam(1e-3), loss, layers(mesh, 2, 64), array(mesh, (16, 80, 64), "data"), array(mesh, (16, 20), "data", dtype=I32))


def pictures(mesh):
    """A residual network of convolutions with batch normalisation; Adagrad."""
    import optax

    def loss(w, x, labels):
        for k, (first, second) in enumerate(w["blocks"]):
            y = lax.conv_general_dilated(jax.nn.relu(x), first, (1 + k % 2,) * 2, "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
            y = (y - y.mean((0, 1, 2))) * lax.rsqrt(y.var((0, 1, 2)) + 1e-5)
            y = lax.conv_general_dilated(jax.nn.relu(y), second, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
            x = y + (x if y.shape == x.shape else lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "SAME"))
        return optax.softmax_cross_entropy_with_integer_labels(x.mean((1, 2)) @ w["out"], labels).mean()

    w = {"blocks": [(array(mesh, (3, 3, 16, 16)), array(mesh, (3, 3, 16, 16)))] * 4, "out": array(mesh, (16, 10))}
    return step_of(mesh, optax.adagrad(0.1), loss, w, array(mesh, (32, 32, 32, 16), "data"), array(mesh, (32,), "data", dtype=I32))


def autoencoder(mesh):
    """A variational autoencoder: random numbers in the loss; Adam with an average of the weights."""
    import optax

    def loss(w, x, key):
        mean, spread = jnp.split(perceptron(w["in"], x) @ w["code"], 2, -1)
        z = mean + jnp.exp(spread) * jax.random.normal(key, mean.shape)
        return jnp.mean((perceptron(w["out"], z @ w["start"]) - x) ** 2) + 1e-3 * jnp.mean(mean**2 + jnp.exp(2 * spread) - 2 * spread)

    w = {"in": layers(mesh, 2, 144), "code": array(mesh, (144, 32)), "start": array(mesh, (16, 144)), "out": layers(mesh, 2, 144)}
    optimizer = optax.chain(optax.scale_by_adam(), optax.ema(0.9), optax.scale(-1e-3))
    return step_of(mesh, optimizer, loss, w, rows(mesh, 80, 144), array(mesh, (2,), dtype=jnp.uint32))
