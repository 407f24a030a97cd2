#include "tessera/pipeline/verbs/costs/memory/memory_report.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/input/source_locations.h"
#include "tessera/pipeline/verbs/costs/fixes/cost_fixes.h"
#include "tessera/pipeline/verbs/costs/fixes/memory_fixes.h"
#include "tessera/pipeline/verbs/costs/input/spec_reader.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using cost::DeviceBuffer;

// `device`: the module of the buffers, made of `input`.
void AddRows(const PartitionerInput& input, const hlo::Module& device, MemoryReport* report) {
  const SourceLocations locations(device);
  SpecReader specs(input);
  const auto origin_of = [&](const DeviceBuffer& buffer) {
    return BufferOrigin{
        hlo::GetOpName(device, buffer.instruction), locations.UsersOwn(buffer.instruction),
        specs.SpecOf(buffer.source, buffer.leaf), specs.AxesOf(buffer.source, buffer.leaf)};
  };
  report->at_peak = RowsOf(std::move(report->memory.at_peak), origin_of);
  report->arguments = RowsOf(std::move(report->memory.argument_list), origin_of);
}

// The pass calls them anew.
void NameArguments(const hlo::Module& module, const std::vector<EntryArgument>& known,
                   MemoryReport* report) {
  if (known.size() != module.entry().parameters.size()) return;
  for (BufferRow& row : report->arguments) {
    const hlo::Instruction& i = module.instruction(row.buffer.instruction);
    const EntryArgument& argument = known[i.parameter_number];
    row.buffer.name = argument.name + row.buffer.name.substr(i.name.size());
    row.origin.op_name = argument.op_name;
    row.origin.location = argument.location;
  }
}

}  // namespace

absl::StatusOr<MemoryReport> MeasureMemory(const PartitionedProgram& program,
                                           std::optional<MemoryLimit> limit) {
  MemoryReport report;
  report.limit = std::move(limit);
  const PartitionerInput& input = program.input;
  auto memory = cost::MemoryOf(program.device, /*timeline=*/nullptr, report.tiles());
  if (!memory.ok()) return LocatedInInput(memory.status(), input);
  report.memory = *std::move(memory);
  AddRows(input, program.device.module, &report);
  NameArguments(program.device.module, program.entry_arguments, &report);
  return report;
}

absl::StatusOr<MemoryReport> MeasureFinalMemory(const PartitionerInput& input,
                                                std::optional<MemoryLimit> limit) {
  MemoryReport report;
  report.is_final = true;
  report.limit = std::move(limit);
  if (report.limit) report.limit->tiles.reset();  // the layouts have theirs
  auto memory = cost::MemoryOfCompiled(input.module);
  if (!memory.ok()) return LocatedInInput(memory.status(), input);
  report.reported_peak = cost::ReportedPeak(*memory);
  report.memory = std::move(memory->device);
  report.others = std::move(memory->others);
  AddRows(input, input.module, &report);
  report.in_no_row = absl::c_accumulate(
      report.at_peak, report.memory.temporaries,
      [](int64_t rest, const BufferRow& row) { return rest - row.buffer.bytes; });
  return report;
}

absl::Status AddFixes(const PartitionedProgram& program, const ShardOptions& options,
                      MemoryReport* report) {
  std::vector<BufferRow*> rows;
  for (BufferRow& row : report->at_peak) rows.push_back(&row);
  for (BufferRow& row : report->arguments) rows.push_back(&row);
  absl::c_stable_sort(rows, [](const BufferRow* a, const BufferRow* b) {
    return a->buffer.bytes > b->buffer.bytes;
  });
  std::vector<DeviceBuffer> buffers;
  for (const BufferRow* row : rows) buffers.push_back(row->buffer);
  TESSERA_ASSIGN_OR_RETURN(CostFixes fixes, FindMemoryFixes(program.input, program.device, options,
                                                            report->tiles(), buffers));
  for (size_t k = 0; k < rows.size(); ++k) rows[k]->fixes = std::move(fixes.of[k]);
  report->sent = fixes.before.sent;
  report->tried = fixes.tried;
  return absl::OkStatus();
}

}  // namespace tessera::pipeline
