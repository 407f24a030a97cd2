"""The MLIR module of a program in Shardy's operations, as JAX hands it to the compiler.

HLO text has shardings as attributes `xla.sdy.*` and as custom calls. Of these the compiler would make lists of tiles, and its partitioner then moves some
arrays by other collectives than for the named axes of JAX. In their place:

    stablehlo.custom_call @Sharding(%x) {sdy.sharding = ..}        ->  sdy.sharding_constraint %x
    custom_call @xla.sdy.GlobalToLocalShape, call @body, custom_call @xla.sdy.LocalToGlobalShape
                                                                   ->  sdy.manual_computation with the operations of the body
    custom_call @xla.sdy.ShardingGroup, @xla.sdy.PropagationBarrier  ->  sdy.sharding_group, sdy.propagation_barrier
"""

IMPORT = "builtin.module(symbol-dce,xla-sdy-round-trip-import-shardy-attrs)"
BODY = "xla.sdy.manual_computation_body"
CUSTOM_CALL = "stablehlo.custom_call"
NO_SHARDINGS = "#sdy.sharding_per_value<[]>"


def operations_in(operation):
    for region in operation.regions:
        for block in region.blocks:
            for inner in list(block.operations):
                yield inner.operation
                yield from operations_in(inner.operation)


def frontend(operation):
    attributes = operation.attributes
    return {one.name: one.attr.value for one in attributes["mhlo.frontend_attributes"]} if "mhlo.frontend_attributes" in attributes else {}


def replace(old, results):
    for result, value in zip(old.results, results):
        result.replace_all_uses_with(value)
    old.erase()


def take_apart(call, ir):
    """A custom call with several results has one, a tuple, in HLO."""
    types = [result.type for result in call.results]
    if len(types) != 1 or not isinstance(types[0], ir.TupleType):
        return
    types = [types[0].get_type(index) for index in range(types[0].num_types)]
    elements = [use.owner.operation for use in call.results[0].uses]
    if any(element.name != "stablehlo.get_tuple_element" for element in elements):
        return
    attributes = {name: call.attributes[name] for name in call.attributes}
    made = ir.Operation.create(call.name, types, list(call.operands), attributes, ip=ir.InsertionPoint(call), loc=call.location)
    for element in elements:
        replace(element, [made.results[element.attributes["index"].value]])
    call.erase()


class ShardyForm:
    def __init__(self, module, ir, sdy):
        self.ir, self.sdy = ir, sdy
        self.functions = {self.name_of(function, "sym_name"): function.operation for function in module.body.operations if "sym_name" in function.attributes}

    def name_of(self, operation, attribute):
        return operation.attributes[attribute].value

    def constrain(self, call):
        if "sdy.sharding" in call.attributes:
            sharding = self.sdy.TensorShardingPerValueAttr(call.attributes["sdy.sharding"]).shardings[0]
            replace(call, [self.sdy.ShardingConstraintOp(call.operands[0], sharding, ip=self.ir.InsertionPoint(call), loc=call.location).result])

    def group(self, call):
        number = self.ir.Attribute.parse(frontend(call)["xla.sdy.sharding_group_id"])
        self.sdy.ShardingGroupOp(call.operands[0], number, ip=self.ir.InsertionPoint(call), loc=call.location)
        call.erase()

    def bar(self, call):
        direction = self.ir.Attribute.parse(frontend(call)["xla.sdy.allowed_direction"])
        replace(call, [self.sdy.PropagationBarrierOp(call.operands[0], direction, ip=self.ir.InsertionPoint(call), loc=call.location).result])

    def fill(self, manual, function):
        copy = function.clone()
        block = copy.regions[0].blocks[0]
        block.append_to(manual.body)
        end = list(block.operations)[-1]
        self.sdy.ReturnOp(list(end.operands), ip=self.ir.InsertionPoint(end), loc=end.location)
        end.operation.erase()
        copy.erase()

    def compute_by_hand(self, call):
        """The call of the body, between the two changes of shape; each is missing where the body has no arguments or results."""
        into = call.operands[0].owner if len(call.operands) else None
        out = next(iter(call.results[0].uses)).owner.operation if len(call.results) else None
        said = {**(frontend(into) if into else {}), **(frontend(out) if out else {})}
        shardings = [self.ir.Attribute.parse(said.get(f"xla.sdy.{side}_shardings", NO_SHARDINGS)) for side in ("in", "out")]
        manual = self.sdy.ManualComputationOp(
            [result.type for result in out.results] if out else [],
            list(into.operands) if into else [],
            *shardings,
            self.ir.Attribute.parse(said["xla.sdy.manual_axes"]),
            ip=self.ir.InsertionPoint(call),
            loc=call.location,
        )
        self.fill(manual, self.functions[self.name_of(call, "callee")])
        if out:
            replace(out, list(manual.results))
        call.erase()
        if into:
            into.erase()

    def rewrite_of(self, operation):
        if operation.name == "func.call" and self.name_of(operation, "callee").startswith(BODY):
            return self.compute_by_hand
        if operation.name != CUSTOM_CALL:
            return None
        rewrites = {"Sharding": self.constrain, "xla.sdy.ShardingGroup": self.group, "xla.sdy.PropagationBarrier": self.bar}
        return rewrites.get(self.name_of(operation, "call_target_name"))

    def run(self):
        for function in self.functions.values():
            found = [(operation, self.rewrite_of(operation)) for operation in operations_in(function)]
            for operation, rewrite in found:
                if rewrite:
                    rewrite(operation)
        for name, function in self.functions.items():
            if name.startswith(BODY):
                function.erase()


def to_shardy(module):
    """Nothing changes for a program without shardings of Shardy, or where this jaxlib has no such pass."""
    from jax.extend.mlir import ir
    from jax.extend.mlir.dialects import sdy
    from jaxlib.mlir import passmanager

    if "xla.sdy.meshes" not in frontend(module.operation):
        return
    try:
        passes = passmanager.PassManager.parse(IMPORT)
    except ValueError:
        return
    for operation in list(operations_in(module.operation)):
        if operation.name == CUSTOM_CALL:
            take_apart(operation, ir)
    passes.run(module.operation)
    ShardyForm(module, ir, sdy).run()
