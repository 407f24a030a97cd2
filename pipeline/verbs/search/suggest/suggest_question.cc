#include "tessera/pipeline/verbs/search/suggest/suggest_question.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tessera/cost/network/machine.h"
#include "tessera/cost/network/target_machine.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/time/kernel_costs.h"
#include "tessera/pipeline/verbs/search/variants/confirmed.h"
#include "tessera/pipeline/verbs/search/variants/target_cost.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {

absl::StatusOr<std::optional<int64_t>> LimitOf(const SuggestQuestion& asked,
                                               const sharding::Mesh& mesh) {
  TESSERA_ASSIGN_OR_RETURN(const cost::Machine machine,
                           asked.target.has_value()
                               ? cost::MachineOf(asked.target->target)
                               : cost::ReadMachine(asked.topology, mesh, mesh.num_devices()));
  if (asked.said_limit.has_value()) return std::optional<int64_t>(asked.said_limit->bytes);
  const int64_t bytes = machine.topology.device().hbm_bytes();
  return bytes > 0 ? std::optional<int64_t>(bytes) : std::nullopt;
}

absl::StatusOr<SuggestQuestion> ReadSuggestQuestion(const Arguments& arguments) {
  SuggestQuestion asked;
  TESSERA_ASSIGN_OR_RETURN(asked.options, ReadPropagationOptions(arguments));
  TESSERA_ASSIGN_OR_RETURN(asked.said_limit, ReadMemoryLimit(arguments));
  TESSERA_ASSIGN_OR_RETURN(asked.tries, arguments.Count("tries", 1));
  TESSERA_ASSIGN_OR_RETURN(asked.groups, arguments.Count("groups", 1));
  TESSERA_ASSIGN_OR_RETURN(asked.target, ReadTargetOfSearch(arguments));
  TESSERA_ASSIGN_OR_RETURN(asked.calls, ReadKernelCosts(arguments));
  TESSERA_RETURN_IF_ERROR(CheckKernelsHaveTimes(asked.calls, asked.target.has_value()));
  TESSERA_ASSIGN_OR_RETURN(asked.confirm, ReadConfirm(arguments, asked.target));
  const std::string& format = arguments.Get("format");
  if (format != "flags" && format != "python" && format != "diff") {
    return absl::InvalidArgumentError(
        absl::StrCat("--format=", format, ": expected flags, python or diff"));
  }
  if (!asked.target.has_value()) asked.topology = arguments.Get("target");
  if (asked.topology.empty() && !asked.target.has_value()) {
    return absl::InvalidArgumentError(
        "the fastest step depends on the machine: give --target=tpu-v5e:4x4, or a file");
  }
  return asked;
}

}  // namespace tessera::pipeline
