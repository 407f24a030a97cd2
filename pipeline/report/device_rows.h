// The instructions of a device for the rows of the page.
//
//   FillDevice(traced, input, table, &texts, answer.mutable_device());
//
// Entries of a row stand together, in the order of the device's program. A row has at most
// kMostOfRow entries, and the number of the others. Cost: linear in the arrays of the device.
// Tested by report_test.cc.

#ifndef TESSERA_PIPELINE_REPORT_DEVICE_ROWS_H_
#define TESSERA_PIPELINE_REPORT_DEVICE_ROWS_H_

#include <cstddef>
#include <string>

#include "tessera/pipeline/report/tensor_table.h"
#include "tessera/pipeline/schema/report_answer.pb.h"
#include "tessera/pipeline/verbs/costs/input/cleaned_device.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/text/interner.h"

namespace tessera::pipeline {

inline constexpr size_t kMostOfRow = 30;

// Arrays whose tensors have no row are left out.
void FillDevice(const TracedDevice& device, const PartitionerInput& input, const TensorTable& table,
                text::Interner<std::string>* texts, answers::ReportDevice* to);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_REPORT_DEVICE_ROWS_H_
