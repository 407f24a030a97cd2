#include "tessera/sharding/passes/import/annotations/annotations.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/opcode.h"
#include "tessera/sharding/frontend.h"
#include "tessera/sharding/passes/import/annotations/func_results.h"
#include "tessera/sharding/passes/import/custom_calls.h"
#include "tessera/sharding/passes/queries/op_error.h"
#include "tessera/sharding/passes/queries/transfers.h"
#include "tessera/sharding/program/walk.h"
#include "tessera/text/error_list.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::passes {
namespace {

absl::Status ReadParameter(SdyAttributeReader* frontend, absl::Span<Value* const> leaves,
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

absl::Status ReadParameters(HloProgram* program, SdyAttributeReader* frontend, Function* f) {
  const InstructionValues& table = *program->TableOf(f->body);
  absl::Status found;
  for (hlo::InstructionId id : program->module().computation(f->body->source).parameters) {
    text::Collect(ReadParameter(frontend, table.Get(id), id), &found);
  }
  return found;
}

std::vector<hlo::InstructionId> ParameterOfEachArg(HloProgram& program, const Block* body) {
  const hlo::Computation& computation = program.module().computation(body->source);
  std::vector<hlo::InstructionId> parameters(body->args.size(), computation.root);
  for (hlo::InstructionId id : computation.parameters) {
    for (const Value* leaf : program.TableOf(body)->Get(id)) {
      const bool is_arg = leaf != nullptr && leaf->owner() == body;
      if (is_arg) parameters[static_cast<size_t>(leaf->index())] = id;
    }
  }
  return parameters;
}

// xla.sdy.tuple_args_shardings, xla.sdy.tuple_results_shardings.
absl::Status ReadEntryLists(HloProgram* program, SdyAttributeReader* frontend) {
  Function* entry = program->entry();
  TESSERA_ASSIGN_OR_RETURN(const auto args, frontend->ModuleShardings(kTupleArgsAttribute));
  TESSERA_ASSIGN_OR_RETURN(const auto results, frontend->ModuleShardings(kTupleResultsAttribute));
  const auto check = [](size_t given, size_t wanted, absl::string_view what) {
    if (given == 0 || given == wanted) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("xla.sdy.tuple_", what, "_shardings has ", given,
                                                   " shardings for ", wanted, " arrays"));
  };
  TESSERA_RETURN_IF_ERROR(check(args.size(), entry->body->args.size(), "args"));
  TESSERA_RETURN_IF_ERROR(check(results.size(), entry->result_shardings.size(), "results"));
  const std::vector<hlo::InstructionId> parameters = ParameterOfEachArg(*program, entry->body);
  const auto check_value = [&](ShardingId sharding, const Value* value) {
    const hlo::InstructionId place = value->def() != nullptr
                                         ? PlaceOf(*program, value->def())
                                         : parameters[static_cast<size_t>(value->index())];
    return frontend->Check(sharding, *value, place);
  };
  for (size_t i = 0; i < args.size(); ++i) {
    TESSERA_RETURN_IF_ERROR(check_value(args[i], entry->body->args[i]));
    entry->body->args[i]->set_sharding(args[i]);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const Value* value = entry->body->terminator()->operand(static_cast<int>(i));
    TESSERA_RETURN_IF_ERROR(check_value(results[i], value));
  }
  if (!results.empty()) entry->result_shardings = results;
  return absl::OkStatus();
}

// Most ops cannot, which their opcode shows.
bool MayCarrySharding(const Op& op) {
  return op.opcode == hlo::Opcode::kCustomCall || op.opcode == hlo::Opcode::kSend ||
         op.opcode == hlo::Opcode::kRecv || op.opcode == hlo::Opcode::kAfterAll;
}

absl::Status ReadOp(HloProgram* program, SdyAttributeReader* frontend, Function* f, Op* op) {
  if (MarkOf(program->module(), *op) == Mark::kFuncResultSharding) {
    return ImportFuncResult(program, frontend, f, op);
  }
  if (!CarriesSharding(program->module(), *op)) return absl::OkStatus();
  TESSERA_ASSIGN_OR_RETURN(const auto list, frontend->ResultShardings(op->source));
  if (list.empty()) return absl::OkStatus();
  return SetResultShardings(program, frontend, op, list);
}

// JAX lowers `with_sharding_constraint` of the only result to a root that carries the sharding. Between its compiler's
// front end and Shardy, named shardings (V3) take the place of attributes, and that of a root is the result's, too. A
// module that already says its devices has gone through there.
void ReadLoweredRoot(HloProgram* program, Function* f) {
  const hlo::Module& module = program->module();
  if (!f->is_entry || f->result_shardings.size() != 1 || f->result_shardings[0] != kNoSharding ||
      module.header().num_partitions > 1 || !program->behaviors().named_shardings_by_default) {
    return;
  }
  const Value* result = f->body->terminator()->operand(0);
  const Op* def = result->def();
  if (def != nullptr && MarkOf(module, *def) == Mark::kSharding) {
    f->result_shardings[0] = result->sharding();
  }
}

absl::Status ReadFunction(HloProgram* program, SdyAttributeReader* frontend, Function* f) {
  absl::Status found = ReadParameters(program, frontend, f);
  ForEachOpPostOrder(f->body, [&](Op* op) {
    if (MayCarrySharding(*op)) text::Collect(ReadOp(program, frontend, f, op), &found);
  });
  ReadLoweredRoot(program, f);
  return found;
}

}  // namespace

bool CarriesSharding(const hlo::Module& module, const Op& op) {
  if (op.kind != OpKind::kHlo || op.part != OpPart::kWhole) return false;
  switch (op.opcode) {
    case hlo::Opcode::kSend:
    case hlo::Opcode::kRecv:
      return true;
    case hlo::Opcode::kAfterAll:
      return !op.operands.empty();
    default: {
      const Mark mark = MarkOf(module, op);
      return mark == Mark::kSharding || mark == Mark::kPythonCallback;
    }
  }
}

absl::Status SetResultShardings(HloProgram* program, SdyAttributeReader* frontend, Op* op,
                                absl::Span<const ShardingId> list) {
  if (BeginsTransfer(*op)) {
    Op* end = EndOfTransfer(*op);
    return end == nullptr ? absl::OkStatus() : SetResultShardings(program, frontend, end, list);
  }
  if (list.size() == 1 && op->results.empty()) {
    program->NewPayload<CallSharding>(op)->sharding = list[0];
    return absl::OkStatus();
  }
  if (list.size() == 1 && op->num_results() != 1) {
    for (Value& result : op->results) {
      TESSERA_RETURN_IF_ERROR(frontend->Check(list[0], result, op->source));
      result.set_sharding(list[0]);
    }
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

absl::Status ReadSdyAnnotations(HloProgram* program, SdyAttributeReader* frontend) {
  TESSERA_RETURN_IF_ERROR(frontend->ReadMeshes());
  TESSERA_RETURN_IF_ERROR(ReadEntryLists(program, frontend));
  absl::Status found;
  for (Function* f : program->functions())
    text::Collect(ReadFunction(program, frontend, f), &found);
  return frontend->WithMissingAxes(found);
}

}  // namespace tessera::sharding::passes
