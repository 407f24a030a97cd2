// What a device runs for the rows of the page.
//
//   WriteDevice(traced, input, table, &texts, &json);    // a message ReportDevice of report.proto
//
// Entries of a row stand together, in the order of the device's program. A row has at most
// kMostOfRow entries, and the number of the others. Cost: linear in the arrays of the device.
// Tested by report_test.cc.

#ifndef TESSERA_PIPELINE_REPORT_DEVICE_ROWS_H_
#define TESSERA_PIPELINE_REPORT_DEVICE_ROWS_H_

#include <cstddef>

#include "tessera/pipeline/report/tensor_table.h"
#include "tessera/pipeline/report/text_table.h"
#include "tessera/pipeline/verbs/costs/input/cleaned_device.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/text/formats/json.h"

namespace tessera::pipeline {

inline constexpr size_t kMostOfRow = 30;

// Arrays whose tensors have no row are left out.
void WriteDevice(const TracedDevice& device, const PartitionerInput& input,
                 const TensorTable& table, TextTable* texts, text::JsonWriter* json);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_REPORT_DEVICE_ROWS_H_
