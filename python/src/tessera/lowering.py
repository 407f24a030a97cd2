"""Programs of jax to HLO text: functions with their arguments, exported and compiled programs.

    lower(f, (x, w), "data=4,model=2", None).as_text("hlo")

Nothing here imports jax by itself: a caller with a function to lower, or an object of jax, has it already. Without devices, on an AbstractMesh,
jax wants to know the platform: "cpu" then, or that of `platform`.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
from typing import Any, ContextManager, Sequence

from tessera import jax_types

# What jax says of a program whose mesh has no devices.
_WANTS_PLATFORM = "lowering_platforms"


def is_stage(module: Any) -> bool:
    """Is it something that jax made of a function, rather than a function?"""
    return any(hasattr(module, member) for member in ("output_shardings", "jaxpr", "mlir_module_serialized", "compiler_ir"))


def takes_nothing(function: Any) -> bool:
    """Can it be called without arguments?"""
    try:
        inspect.signature(function).bind()
    except (TypeError, ValueError):
        return False
    return True


def lower(function: Any, arguments: Sequence[Any], mesh: Any, platform: str | None) -> Any:
    """`jax.jit(function).lower(*arguments)`, with the mesh as the mesh at hand, so that constraints may name its axes."""
    jax = importlib.import_module("jax")
    jitted = function if hasattr(function, "trace") else jax.jit(function)
    with _mesh_at_hand(jax, mesh):
        return lower_traced(jitted.trace(*arguments), platform)


def lower_traced(traced: Any, platform: str | None) -> Any:
    if platform is not None:
        return traced.lower(lowering_platforms=(platform,))
    try:
        return traced.lower()
    except ValueError as error:
        if _WANTS_PLATFORM not in str(error):
            raise
        return traced.lower(lowering_platforms=("cpu",))


def result_paths(out_info: Any) -> tuple[str, ...]:
    """out['w1'] and so on, in order."""
    tree_util = importlib.import_module("jax").tree_util
    leaves, _ = tree_util.tree_flatten_with_path(out_info)
    return tuple("out" + tree_util.keystr(path) for path, _ in leaves)


def exported_text(exported: Any) -> str:
    """As jaxlib makes HLO of a module before it compiles it."""
    computation = importlib.import_module("jaxlib._jax").mlir.mlir_module_to_xla_computation(exported.mlir_module(), use_tuple_args=False,
                                                                                            return_tuple=False)
    return str(computation.as_hlo_module().to_string(_print_options()))


def exported_results(exported: Any) -> tuple[str, ...]:
    tree = exported.out_tree
    return result_paths(tree.unflatten(range(tree.num_leaves)))


def compiled_text(compiled: Any) -> str:
    """TypeError where the back end does not show what it made."""
    text = compiled.as_text()
    if text is None:
        raise TypeError("this back end does not show the HLO that it compiled: dump it with --xla_dump_to, and give the folder")
    return str(text)


def _print_options() -> Any:
    # A module of its own since jaxlib 0.12.
    home = "jaxlib._hlo" if importlib.util.find_spec("jaxlib._hlo") else "jaxlib._jax"
    options = importlib.import_module(home).HloPrintOptions.short_parsable()
    options.print_metadata = True
    return options


def _mesh_at_hand(jax: Any, mesh: Any) -> ContextManager[Any]:
    if mesh is None:
        return contextlib.nullcontext()
    abstract = getattr(mesh, "abstract_mesh", mesh)
    if not isinstance(abstract, jax.sharding.AbstractMesh):
        from tessera.settings import mesh_axes
        abstract = jax_types.abstract_mesh(mesh_axes(mesh))
    context: ContextManager[Any] = jax.sharding.use_abstract_mesh(abstract)
    return context
