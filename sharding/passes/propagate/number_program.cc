#include "tessera/sharding/passes/propagate/number_program.h"

#include "absl/strings/str_cat.h"
#include "tessera/layout/shape_text.h"
#include "tessera/sharding/passes/propagate/hlo_view.h"
#include "tessera/sharding/passes/queries/op_error.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/error_list.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::passes {
namespace {

using propagation::NumberedProgram;

// The reference refuses a module in which an op has such a result; parameters may be dynamic.
absl::Status CheckResults(const HloProgram& program, const NumberedProgram& numbered) {
  absl::Status found;
  for (const propagation::ValueId v : numbered.dynamic_results()) {
    const Value& value = numbered.value(v);
    const hlo::InstructionId source = value.def()->source;
    const bool has_place = source != hlo::kNoId;
    const size_t place = has_place ? program.module().instruction(source).source.begin : 0;
    text::Collect(
        text::ErrorAt(place, absl::StrCat("a result has the dynamic shape ",
                                          layout::ShapeToString(value.shape()),
                                          "; Shardy propagates through static shapes only")),
        &found);
  }
  return found;
}

}  // namespace

absl::StatusOr<NumberedProgram> NumberProgram(HloProgram* program) {
  NumberedProgram numbered(program, [&](const Op& op) { return TraitsOf(*program, op); });
  TESSERA_RETURN_IF_ERROR(CheckResults(*program, numbered));
  if (const propagation::OpId reader = numbered.lost_reader(); reader != propagation::kNone) {
    return ErrorAtOp(*program, numbered.op(reader), "an operand is made by no op before it");
  }
  return numbered;
}

}  // namespace tessera::sharding::passes
