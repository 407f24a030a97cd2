#include "tessera/sharding/graph/run/number_graph.h"

#include "absl/strings/str_cat.h"
#include "tessera/layout/shape_text.h"
#include "tessera/sharding/graph/queries/op_error.h"
#include "tessera/sharding/graph/run/hlo_view.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/error_list.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::graph {
namespace {

using propagation::NumberedProgram;

// The reference refuses a module in which an op has such a result; parameters may be dynamic.
absl::Status CheckResults(const Graph& graph, const NumberedProgram& numbered) {
  absl::Status found;
  for (const propagation::ValueId v : numbered.dynamic_results()) {
    const Value& value = numbered.value(v);
    const hlo::InstructionId source = value.def()->source;
    const bool has_place = source != hlo::kNoId;
    const size_t place = has_place ? graph.module().instruction(source).source.begin : 0;
    text::Collect(
        text::ErrorAt(place, absl::StrCat("a result has the dynamic shape ",
                                          layout::ShapeToString(value.shape()),
                                          "; Shardy propagates through static shapes only")),
        &found);
  }
  return found;
}

}  // namespace

absl::StatusOr<NumberedProgram> NumberGraph(Graph* graph) {
  NumberedProgram numbered(graph, [graph](const Op& op) {
    const rules::OpTraits traits = TraitsOf(*graph, op);
    return propagation::OpTraits{traits.element_wise, traits.flow};
  });
  TESSERA_RETURN_IF_ERROR(CheckResults(*graph, numbered));
  if (const propagation::OpId reader = numbered.lost_reader(); reader != propagation::kNone) {
    return ErrorAtOp(*graph, numbered.op(reader), "an operand is made by no op before it");
  }
  return numbered;
}

}  // namespace tessera::sharding::graph
