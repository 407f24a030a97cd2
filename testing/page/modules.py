"""Modules that the page tests need."""

SHARDED = 'frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [%s]>"}'
HEADER = 'frontend_attributes={xla.sdy.meshes="{mesh = #sdy.mesh<[\\"x\\"=4, \\"y\\"=2]>}"}, num_partitions=8'


def chain(instructions):
    """A chain of matrix products after a sine and an addition, annotated at both ends."""
    lines = [
        "  %d.0 = f32[64,64] parameter(0), " + SHARDED % '{\\"x\\"}, {}',
        "  %w = f32[64,64] parameter(1), " + SHARDED % '{}, {\\"y\\"}',
    ]
    layers = instructions // 3
    for i in range(1, layers + 1):
        place = 'metadata={op_name="layer%d/dot" source_file="model.py" source_line=%d}' % (i, i % 500 + 1)
        lines.append("  %%s.%d = f32[64,64] sine(%%d.%d)" % (i, i - 1))
        lines.append("  %%a.%d = f32[64,64] add(%%s.%d, %%d.%d)" % (i, i, i - 1))
        lines.append("  %s%%d.%d = f32[64,64] dot(%%a.%d, %%w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, %s"
                     % ("ROOT " if i == layers else "", i, i, place))
    return "HloModule chain, " + HEADER + "\n\nENTRY %e {\n" + "\n".join(lines) + "\n}\n"


# Names of every kind that HTML and scripts could take for their own.
BREAKOUT = '</script><script>window.broken=1</script><!--<img src=x onerror=window.broken=2>'
HOSTILE = ("HloModule hostile, " + HEADER + "\n\nENTRY %e {\n"
           "  %x = f32[8,6] parameter(0), " + SHARDED % '{\\"x\\"}, {}' +
           ', metadata={op_name="' + BREAKOUT + '" source_file="' + BREAKOUT + '.py" source_line=3}\n'
           '  ROOT %y = f32[8,6] custom-call(%x), custom_call_target="' + BREAKOUT + '"\n}\n')

# 6 heads over 4 devices; the gather drops 'x'.
PADDED = ("HloModule padded, " + HEADER + "\n\nENTRY %e {\n"
          "  %x = f32[8,6,16] parameter(0), " + SHARDED % '{\\"y\\"}, {\\"x\\"}, {}' + "\n"
          "  %s = f32[8,6,16] sine(%x)\n"
          "  ROOT %t = f32[8,6,16] custom-call(%s), custom_call_target=\"mine\"\n}\n")

# Twelve axes with long names, as of a framework; three of them have size 1.
AXES = ["data", "stage", "fsdp_axis", "fsdp_transpose", "sequence_parallel", "context_autoregressive", "tensor_parallel", "tensor_transpose",
        "tensor_sequence", "expert_parallel", "autoregressive", "replica_group"]
SIZES = ", ".join('\\"%s\\"=%d' % (axis, 1 if k % 4 == 1 else 2) for k, axis in enumerate(AXES))
MANY_AXES = ("HloModule axes, num_partitions=512, " + HEADER.split(", num_partitions")[0].replace('\\"x\\"=4, \\"y\\"=2', SIZES) +
             "\n\nENTRY %e {\n  %x = f32[512,512] parameter(0), " +
             SHARDED % '{\\"data\\", \\"fsdp_axis\\", \\"fsdp_transpose\\", \\"sequence_parallel\\"}, {\\"tensor_parallel\\", \\"tensor_transpose\\"}' +
             "\n  ROOT %y = f32[512,512] sine(%x)\n}\n")
