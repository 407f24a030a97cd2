// The border of a device's program: arguments, results, and the memory that these share. Exact, by
// the shapes on the device, the aliases of the header and the arguments that it gives away.
//
//   DeviceMemory memory;
//   TESSERA_RETURN_IF_ERROR(AddArguments(device, &memory));   // arguments, argument_list
//   TESSERA_RETURN_IF_ERROR(AddResults(device, &memory));     // results, aliased
//
// Cost: linear in the arrays. Tested by device_memory_test.cc.

#ifndef TESSERA_COST_MEMORY_BOUNDARY_H_
#define TESSERA_COST_MEMORY_BOUNDARY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tessera/cost/memory/device_memory.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"

namespace tessera::cost {

// Of an element in the table of a tuple.
inline constexpr int64_t kPointerBytes = 8;

// kOverflow.
absl::Status AddArguments(const hlo::Module& device, DeviceMemory* memory);
absl::Status AddResults(const hlo::Module& device, DeviceMemory* memory);

// An array with its bytes and padding.
absl::StatusOr<DeviceBuffer> BufferOf(std::string name, const layout::Shape& array,
                                      hlo::InstructionId id);

// The largest first, equal ones in their order.
void SortBySize(std::vector<DeviceBuffer>* buffers);

}  // namespace tessera::cost

#endif  // TESSERA_COST_MEMORY_BOUNDARY_H_
