// Lists of buffers of a device, with the place of each in the user's program.
//
//   std::vector<BufferRow> rows = RowsOf(memory.at_peak, origin_of);
//   Keep(filter, &rows, &arguments);            // --match, --axis, --min-bytes
//   BufferRowsText(rows, filter.top());
//   FillBufferRows(rows, 0, answer.mutable_at_peak());   // memory_answer.proto
//
// Tested by memory_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_MEMORY_BUFFER_ROWS_H_
#define TESSERA_PIPELINE_VERBS_COSTS_MEMORY_BUFFER_ROWS_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "google/protobuf/repeated_field.h"
#include "tessera/cost/memory/device_memory.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/schema/memory_answer.pb.h"
#include "tessera/pipeline/verbs/costs/fixes/cost_fixes.h"

namespace tessera::pipeline {

// In the user's words; empty where the module does not say.
struct BufferOrigin {
  std::string op_name, location, sharding;
  std::vector<std::string> axes;  // of the mesh, that the sharding uses
  std::string stacked;  // of a stack that a loop fills: the instruction of op_name and location
};

using MemoryBuffers = google::protobuf::RepeatedPtrField<answers::Buffer>;

struct BufferRow {
  cost::DeviceBuffer buffer;
  BufferOrigin origin;
  std::vector<CostFix> fixes;  // best first
};

std::vector<BufferRow> RowsOf(
    std::vector<cost::DeviceBuffer> buffers,
    const std::function<BufferOrigin(const cost::DeviceBuffer&)>& origin_of);

// The four flags, with the words of this list.
std::vector<Flag> BufferFlags();

// Takes away from the lists what does not pass, but for --top; the note where nothing is left.
std::string Keep(const ListFilter& filter, std::initializer_list<std::vector<BufferRow>*> lists);

// The first `top` of a list, the largest first; 0: all. `below` has the lines after a row.
std::string BufferRowsText(const std::vector<BufferRow>& rows, int64_t top,
                           const std::function<std::string(const BufferRow&)>& below = nullptr);
void FillBufferRows(const std::vector<BufferRow>& rows, int64_t top, MemoryBuffers* to);

// "   2.5 KiB  arguments\n"
std::string SizeRow(int64_t bytes, absl::string_view what);

// In front of the lines after a row.
inline constexpr char kBelowRow[] = "              ";

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_MEMORY_BUFFER_ROWS_H_
