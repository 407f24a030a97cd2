#include "tessera/target/passes/sums/scatter_sums.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/passes/made_collectives.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/device_offsets.h"
#include "tessera/target/program/walk.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

// The operand, without what g does not divide.
InstructionId WithoutRest(DeviceProgram& program, InstructionId operand, int64_t dimension,
                          int64_t size) {
  layout::Shape shape = program.shape(operand);
  if (shape.dim(dimension) == size) return operand;
  shape.set_dim(dimension, size);
  return AddSlice(program, operand, shape.dims());
}

void Scatter(Context& context, absl::string_view pass, InstructionId all_reduce,
             const KeptPart& split) {
  DeviceProgram& program = context.program;
  const int64_t dimension = split.dimension;
  const InstructionId operand = WithoutRest(program, program.operand(all_reduce, 0), dimension,
                                            split.parts * split.part_size);
  layout::Shape shape = program.shape(operand);
  shape.set_dim(dimension, split.part_size);
  const InstructionId scatter = program.Add(program.computation(all_reduce), Opcode::kReduceScatter,
                                            "reduce-scatter", shape, {operand});
  CopyCollectiveAttributes(context, all_reduce, scatter);
  program.SetAttribute(scatter, hlo::AttributeName::kDimensions, absl::StrCat("{", dimension, "}"));
  context.origins.Set(pass, program, scatter, {all_reduce});
  InstructionId result = scatter;
  if (split.reshape != kNoId) {
    result = AddReshape(program, scatter, program.shape(split.slice));
  }
  program.ReplaceUses(split.slice, result);
  program.RemoveDead(split.slice);
}

}  // namespace

absl::Status ScatterSums(Context& context, absl::string_view pass,
                         absl::FunctionRef<bool(const SplitSum&)> is_wanted) {
  DeviceProgram& program = context.program;
  DeviceOffsets offsets(&program, context.groups.num_devices());
  for (const InstructionId id : AllInstructions(program)) {
    if (program.opcode(id) != Opcode::kAllReduce) continue;
    TESSERA_ASSIGN_OR_RETURN(const GroupsId groups, context.groups.Of(program.module(), id));
    const std::optional<KeptPart> split = FindKeptPart(context, &offsets, id, groups);
    if (!split.has_value() || !is_wanted({id, groups, *split})) continue;
    Scatter(context, pass, id, *split);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
