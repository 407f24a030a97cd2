#include "tessera/sharding/graph/import/annotations.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/opcode.h"
#include "tessera/sharding/frontend.h"
#include "tessera/sharding/graph/import/custom_calls.h"
#include "tessera/sharding/graph/import/func_results.h"
#include "tessera/sharding/graph/walk.h"
#include "tessera/text/error_list.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::graph {
namespace {

absl::Status ReadParameter(Frontend* frontend, absl::Span<Value* const> leaves,
                           hlo::InstructionId id) {
  TESSERA_ASSIGN_OR_RETURN(const ShardingId sharding, frontend->ParameterSharding(id));
  if (sharding == kNoSharding) return absl::OkStatus();
  if (leaves.size() != 1) {
    return frontend->ErrorAt(id, "a parameter of several arrays cannot have an xla.sdy.sharding");
  }
  TESSERA_RETURN_IF_ERROR(frontend->Check(sharding, *leaves[0], id));
  leaves[0]->set_sharding(sharding);
  return absl::OkStatus();
}

absl::Status ReadParameters(Graph* graph, Frontend* frontend, Function* f) {
  const LeafTable& table = *graph->TableOf(f->body);
  absl::Status found;
  for (hlo::InstructionId id : graph->module().computation(f->body->source).parameters) {
    text::Collect(ReadParameter(frontend, table.Get(id), id), &found);
  }
  return found;
}

// xla.sdy.tuple_args_shardings, xla.sdy.tuple_results_shardings.
absl::Status ReadEntryLists(Graph* graph, Frontend* frontend) {
  Function* entry = graph->entry();
  TESSERA_ASSIGN_OR_RETURN(const auto args, frontend->ModuleShardings(kTupleArgsAttribute));
  TESSERA_ASSIGN_OR_RETURN(const auto results, frontend->ModuleShardings(kTupleResultsAttribute));
  const auto check = [](size_t given, size_t wanted, absl::string_view what) {
    if (given == 0 || given == wanted) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("xla.sdy.tuple_", what, "_shardings has ", given,
                                                   " shardings for ", wanted, " arrays"));
  };
  TESSERA_RETURN_IF_ERROR(check(args.size(), entry->body->args.size(), "args"));
  TESSERA_RETURN_IF_ERROR(check(results.size(), entry->result_shardings.size(), "results"));
  for (size_t i = 0; i < args.size(); ++i) entry->body->args[i]->set_sharding(args[i]);
  if (!results.empty()) entry->result_shardings = results;
  return absl::OkStatus();
}

// Most ops do not; a look at the opcode says so.
bool MayCarrySharding(const Op& op) {
  return op.opcode == hlo::Opcode::kCustomCall || op.opcode == hlo::Opcode::kSend ||
         op.opcode == hlo::Opcode::kRecv || op.opcode == hlo::Opcode::kAfterAll;
}

absl::Status ReadOp(Graph* graph, Frontend* frontend, Function* f, Op* op) {
  if (MarkOf(graph->module(), *op) == Mark::kFuncResultSharding) {
    return ImportFuncResult(graph, frontend, f, op);
  }
  if (!CarriesSharding(graph->module(), *op)) return absl::OkStatus();
  TESSERA_ASSIGN_OR_RETURN(const auto list, frontend->ResultShardings(op->source));
  if (list.empty()) return absl::OkStatus();
  return SetResultShardings(graph, frontend, op, list);
}

absl::Status ReadFunction(Graph* graph, Frontend* frontend, Function* f) {
  absl::Status found = ReadParameters(graph, frontend, f);
  ForEachOpPostOrder(f->body, [&](Op* op) {
    if (MayCarrySharding(*op)) text::Collect(ReadOp(graph, frontend, f, op), &found);
  });
  return found;
}

}  // namespace

bool CarriesSharding(const hlo::Module& module, const Op& op) {
  if (op.kind != OpKind::kHlo || op.part != OpPart::kWhole) return false;
  switch (op.opcode) {
    case hlo::Opcode::kSend:
    case hlo::Opcode::kRecv:
    case hlo::Opcode::kAfterAll:
      return true;
    default: {
      const Mark mark = MarkOf(module, op);
      return mark == Mark::kSharding || mark == Mark::kPythonCallback;
    }
  }
}

// Of send, recv and callbacks without result one sharding may stand for the whole call.
absl::Status SetResultShardings(Graph* graph, Frontend* frontend, Op* op,
                                absl::Span<const ShardingId> list) {
  if (list.size() == 1 && op->results.empty()) {
    graph->NewPayload<CallSharding>(op)->sharding = list[0];
    return absl::OkStatus();
  }
  if (list.size() == 1 && op->num_results() != 1) {
    for (Value& result : op->results) result.set_sharding(list[0]);
    return absl::OkStatus();
  }
  if (list.size() != op->results.size()) {
    return frontend->ErrorAt(op->source,
                             absl::StrCat("xla.sdy.sharding has ", list.size(), " shardings for ",
                                          op->results.size(), " results"));
  }
  for (size_t i = 0; i < list.size(); ++i) {
    TESSERA_RETURN_IF_ERROR(frontend->Check(list[i], op->results[i], op->source));
    op->results[i].set_sharding(list[i]);
  }
  return absl::OkStatus();
}

absl::Status ReadSdyAnnotations(Graph* graph, Frontend* frontend) {
  TESSERA_RETURN_IF_ERROR(frontend->ReadMeshes());
  TESSERA_RETURN_IF_ERROR(ReadEntryLists(graph, frontend));
  absl::Status found;
  for (Function* f : graph->functions()) text::Collect(ReadFunction(graph, frontend, f), &found);
  return found;
}

}  // namespace tessera::sharding::graph
