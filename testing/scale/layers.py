#!/usr/bin/env python3
"""A module of as many instructions as are wanted: layers of a small network, one after the other.

    python3 testing/scale/layers.py 40000 > small.hlo
    python3 testing/scale/layers.py 1000000 > large.hlo
    TESSERA_BENCHMARK_HLO=small.hlo:large.hlo bazel-bin/pipeline/shard_benchmark

What one instruction costs in each phase is to be much the same in both (docs/speed.md). A layer is 21 instructions, two of
them its weights, and two reducers of three; each has names, weights and a source line of its own, and the weights are
sharded in two ways by turns. No clean-up finds anything to do.
"""

import sys

HEADER = """HloModule scale, num_partitions=8, frontend_attributes={{xla.sdy.meshes={{mesh = #sdy.mesh<["data"=4, "model"=2]>}}}}
"""

REDUCER = """%{name}.{i} (a.{name}.{i}: f32[], b.{name}.{i}: f32[]) -> f32[] {{
  %a.{name}.{i} = f32[] parameter(0)
  %b.{name}.{i} = f32[] parameter(1)
  ROOT %sum.{name}.{i} = f32[] add(%a.{name}.{i}, %b.{name}.{i})
}}

"""

ENTRY = """ENTRY %main {{
  %x.0 = f32[64,256]{{1,0}} parameter(0), frontend_attributes={{xla.sdy.sharding="#sdy.sharding<@mesh, [{{\\"data\\"}}, {{}}]>"}}
  %zero = f32[] constant(0)
  %scale = f32[] constant(0.00390625)
"""

LAYER = """  %up.{i} = f32[256,1024]{{1,0}} parameter({p}), {up}
  %down.{i} = f32[1024,256]{{1,0}} parameter({q}), {down}
  %square.{i} = f32[64,256]{{1,0}} multiply(%x.{h}, %x.{h}), {m}
  %norm.{i} = f32[64]{{0}} reduce(%square.{i}, %zero), dimensions={{1}}, to_apply=%squares.{i}, {m}
  %factor.{i} = f32[64]{{0}} broadcast(%scale), dimensions={{}}, {m}
  %mean.{i} = f32[64]{{0}} multiply(%norm.{i}, %factor.{i}), {m}
  %rsqrt.{i} = f32[64]{{0}} rsqrt(%mean.{i}), {m}
  %spread.{i} = f32[64,256]{{1,0}} broadcast(%rsqrt.{i}), dimensions={{0}}, {m}
  %normal.{i} = f32[64,256]{{1,0}} multiply(%x.{h}, %spread.{i}), {m}
  %hidden.{i} = f32[64,1024]{{1,0}} dot(%normal.{i}, %up.{i}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}, {m}
  %tanh.{i} = f32[64,1024]{{1,0}} tanh(%hidden.{i}), {m}
  %heads.{i} = f32[64,8,128]{{2,1,0}} reshape(%tanh.{i}), {m}
  %turned.{i} = f32[8,64,128]{{2,1,0}} transpose(%heads.{i}), dimensions={{1,0,2}}, {m}
  %exp.{i} = f32[8,64,128]{{2,1,0}} exponential(%turned.{i}), {m}
  %total.{i} = f32[8,64]{{1,0}} reduce(%exp.{i}, %zero), dimensions={{2}}, to_apply=%powers.{i}, {m}
  %whole.{i} = f32[8,64,128]{{2,1,0}} broadcast(%total.{i}), dimensions={{0,1}}, {m}
  %part.{i} = f32[8,64,128]{{2,1,0}} divide(%exp.{i}, %whole.{i}), {m}
  %back.{i} = f32[64,8,128]{{2,1,0}} transpose(%part.{i}), dimensions={{1,0,2}}, {m}
  %flat.{i} = f32[64,1024]{{1,0}} reshape(%back.{i}), {m}
  %out.{i} = f32[64,256]{{1,0}} dot(%flat.{i}, %down.{i}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}, {m}
  %x.{i} = f32[64,256]{{1,0}} add(%out.{i}, %x.{h}), {m}
"""


def sharding(dims):
    return 'frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [%s]>"}' % dims


UP = [sharding('{}, {\\"model\\"}'), sharding('{\\"data\\"}, {\\"model\\"}')]
DOWN = [sharding('{\\"model\\"}, {}'), sharding('{\\"model\\"}, {\\"data\\"}')]


def main():
    layers = max(1, (int(sys.argv[1]) - 4) // 27)
    out = sys.stdout
    out.write(HEADER.format())
    for i in range(1, layers + 1):
        for name in ("squares", "powers"):
            out.write(REDUCER.format(name=name, i=i))
    out.write(ENTRY.format())
    for i in range(1, layers + 1):
        metadata = 'metadata={op_name="jit(step)/layer_%d/block" source_file="model.py" source_line=%d}' % (i, 40 + i % 60)
        out.write(LAYER.format(i=i, h=i - 1, p=2 * i - 1, q=2 * i, up=UP[i % 2], down=DOWN[i % 2], m=metadata))
    out.write("  ROOT %%result = f32[64,256]{1,0} copy(%%x.%d)\n}\n" % layers)


if __name__ == "__main__":
    main()
