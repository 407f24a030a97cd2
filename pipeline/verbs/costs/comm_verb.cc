#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tessera/cost/network/machine.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/command_line/format_seconds.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/schema/comm_answer.pb.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/collective_words.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"
#include "tessera/pipeline/verbs/costs/comm_bill.h"
#include "tessera/pipeline/verbs/costs/input/partitioned_program.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/costs/work_bill.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/projection/cost/network/topology.h"
#include "tessera/text/message_json/message_json.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

// Empty without a machine.
std::string TimeText(const BillSum& sum, bool has_machine) {
  if (!has_machine) return "";
  const std::string time = sum.without_time == sum.count ? "?" : FormatSeconds(sum.seconds);
  return absl::StrCat(time, sum.without_time > 0 && sum.without_time < sum.count ? "+" : "");
}

std::string Headline(const Bill& bill, const cost::Machine* machine) {
  std::string out =
      absl::StrCat(bill.lines.size(), bill.lines.size() == 1 ? " collective" : " collectives",
                   ", each device sends ", layout::FormatBytes(bill.total.sent));
  if (machine != nullptr && bill.total.without_time < bill.total.count) {
    absl::StrAppend(&out, " in ", FormatSeconds(bill.total.seconds), " if nothing overlaps, on ",
                    machine->topology.name());
  }
  absl::StrAppend(&out, "\n");
  if (machine != nullptr && !machine->topology.source().empty()) {
    absl::StrAppend(&out, "bandwidths: ", machine->topology.source(), "\n");
  }
  if (machine != nullptr && bill.total.without_time > 0) {
    absl::StrAppend(&out, "no time for ", bill.total.without_time,
                    " of them, which the sums leave out: ?, +\n");
  }
  if (bill.counted_once > 0) {
    absl::StrAppend(&out, bill.counted_once,
                    " of them run in loops whose trip count is not in the module; these loops "
                    "count once: ?\n");
  }
  return out;
}

std::string SumsText(absl::string_view heading, const std::vector<BillSum>& sums,
                     bool has_machine) {
  std::string out = absl::StrCat("\n", heading, "\n");
  for (const BillSum& sum : sums) {
    absl::StrAppendFormat(&out, "%12s %10s %6d  %s\n", layout::FormatBytes(sum.sent),
                          TimeText(sum, has_machine), sum.count, Shortened(sum.name));
  }
  return out;
}

std::string LineText(const BillLine& entry, bool has_machine) {
  const CollectiveLine& line = entry.line;
  std::string out = absl::StrFormat("%12s x%s %s %s over %s: %s", layout::FormatBytes(line.sent),
                                    RunsText(line), line.op, line.shape, Shortened(AxesText(line)),
                                    line.consumer.empty() ? "a result" : line.consumer);
  if (line.given) absl::StrAppend(&out, ", the program's own");
  if (!line.op_name.empty()) absl::StrAppend(&out, ", ", line.op_name);
  if (!line.location.empty()) absl::StrAppend(&out, "  # ", line.location);
  absl::StrAppend(&out, "\n", std::string(14, ' '), entry.bytes_formula, "\n");
  if (!has_machine) return out;
  absl::StrAppend(&out, std::string(14, ' '),
                  entry.once.seconds.has_value()
                      ? absl::StrCat(FormatSeconds(*entry.once.seconds), ": ", entry.once.formula)
                      : absl::StrCat("no time: ", entry.once.why_unknown),
                  "\n");
  return out;
}

std::string BillText(const Bill& bill, const cost::Machine* machine) {
  const bool timed = machine != nullptr;
  std::string out = Headline(bill, machine);
  if (bill.lines.empty()) return out;
  out += SumsText("by collective", bill.by_op, timed);
  out += SumsText("by mesh axis", bill.by_axis, timed);
  out += SumsText("by line", bill.by_line, timed);
  absl::StrAppend(&out,
                  "\neach collective; V: bytes of the gathered array on a device, else of the "
                  "operand\n");
  for (const BillLine& line : bill.lines) out += LineText(line, timed);
  return out;
}

std::string AsText(const Bill& bill, const cost::Machine* machine,
                   const answers::CommAnswer& work) {
  const std::string computed = WorkText(work);
  return absl::StrCat(BillText(bill, machine), computed.empty() ? "" : "\n", computed);
}

void FillSum(const BillSum& sum, bool timed, answers::CommSum* to) {
  to->set_name(sum.name);
  to->set_count(sum.count);
  to->set_sent(sum.sent);
  if (!timed) return;
  to->set_seconds(sum.seconds);
  to->set_without_time(sum.without_time);
}

void FillLine(const BillLine& entry, answers::CommLine* to) {
  const CollectiveLine& line = entry.line;
  FillCall(line, to);
  to->set_bytes_formula(entry.bytes_formula);
  to->set_runs(line.runs);
  to->set_unknown_runs(line.unknown_runs);
  if (entry.once.seconds.has_value()) to->set_seconds_once(*entry.once.seconds);
  to->set_time_formula(entry.once.formula);
  to->set_why_unknown(entry.once.why_unknown);
  to->set_consumer(line.consumer);
  to->set_op_name(line.op_name);
  to->set_location(line.location);
}

// `answer` has the work already.
std::string AsJson(const Bill& bill, const cost::Machine* machine, answers::CommAnswer answer) {
  const bool timed = machine != nullptr;
  if (timed) {
    answer.set_machine(machine->topology.name());
    answer.set_source(machine->topology.source());
  }
  FillSum(bill.total, timed, answer.mutable_total());
  for (const BillSum& sum : bill.by_op) FillSum(sum, timed, answer.add_by_op());
  for (const BillSum& sum : bill.by_axis) FillSum(sum, timed, answer.add_by_axis());
  for (const BillSum& sum : bill.by_line) FillSum(sum, timed, answer.add_by_line());
  for (const BillLine& line : bill.lines) FillLine(line, answer.add_collectives());
  answer.set_counted_once(bill.counted_once);
  return text::JsonOf(answer) + "\n";
}

absl::StatusOr<VerbResult> Answer(const Arguments& arguments, const PartitionedProgram& program) {
  const PartitionerInput& input = program.input;
  std::optional<cost::Machine> machine;
  if (arguments.Has("target")) {
    TESSERA_ASSIGN_OR_RETURN(machine, cost::ReadMachine(arguments.Get("target"), input.mesh,
                                                        input.module.header().num_partitions));
  }
  TESSERA_ASSIGN_OR_RETURN(auto lines, ListCollectives(input, program.device.found));
  const cost::Machine* on = machine.has_value() ? &*machine : nullptr;
  if (on != nullptr) TESSERA_RETURN_IF_ERROR(TakeSentOn(*on, &lines));
  const Bill bill = MakeBill(std::move(lines), on);
  answers::CommAnswer work;
  if (on != nullptr) {
    TESSERA_RETURN_IF_ERROR(FillWork(input, program.device.module, *on, &work));
  }
  return InBothForms(
      arguments, [&] { return AsJson(bill, on, work); }, [&] { return AsText(bill, on, work); },
      absl::StrJoin(program.input.notes, ""));
}

VerbResult RunComm(const Arguments& arguments) {
  const auto options = ReadPropagationOptions(arguments);
  if (!options.ok()) return BadInput(options.status());
  const auto make = [&](hlo::Module module) {
    return PartitionProgram(std::move(module), arguments, *options);
  };
  const auto answer = [&](const PartitionedProgram& program) { return Answer(arguments, program); };
  return OnPrepared<PartitionedProgram>(arguments, PartitionKey(arguments), make, answer);
}

}  // namespace

Verb CommVerb() {
  Verb verb;
  verb.name = "comm";
  verb.instead = "collectives --formulas";
  verb.summary = "bytes and time of the collectives on a machine, with the formulas";
  verb.description =
      "Prices the collectives that `tessera collectives` lists: bytes that each device sends, "
      "multiplied by the trip counts of loops, summed by opcode, mesh axis and line of the "
      "program. With --target it adds the time of the links, and for every instruction of a "
      "device the slower of its arithmetic and its memory traffic. Nothing overlaps in this "
      "model, and later passes that combine collectives are not included. Presets: " +
      absl::StrJoin(projection::PresetNames(), ", ") +
      "; a torus takes its sizes, as in tpu-v5e:4x4, a cluster its devices in a node and its "
      "nodes, as in h100-infiniband:8x4. See docs/reshards.md.";
  verb.positionals = {{"FILE", kFileHelp}};
  verb.flags = PropagationFlags();
  verb.flags.push_back({"target", "FILE|CHIP:TOPOLOGY",
                        "the machine: a textproto (a name with a dot or a slash), or a preset", "",
                        false});
  AddAsIsFlag(&verb);
  verb.flags.push_back(ModuleFlag());
  verb.flags.push_back({"json", "", "the answer as JSON", "", false});
  verb.examples = {
      {"tessera comm step.hlo", "bytes of a training step"},
      {"tessera comm step.hlo --target=tpu-v5e:4x4", "bytes and time on 16 chips"},
      {"tessera comm step.hlo --target=lab.textproto", "on a machine of your own"},
  };
  verb.run = RunComm;
  return verb;
}

}  // namespace tessera::pipeline
