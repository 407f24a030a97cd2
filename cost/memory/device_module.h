// The module with the shapes that its values have on one device.
//
//   // x = f32[16,64] parameter(0), sharding={devices=[4,2]<=[8]}
//   TESSERA_RETURN_IF_ERROR(ShrinkToDevice(&module));      // x = f32[4,32] ..
//
// Shapes only: operands and attributes stay, so that the result is good for counting bytes and for
// nothing else. Cost: linear; each text of a sharding is read once.

#ifndef TESSERA_COST_MEMORY_DEVICE_MODULE_H_
#define TESSERA_COST_MEMORY_DEVICE_MODULE_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"

namespace tessera::cost {

// What has no sharding keeps its shape, as does what is in manual code; an element of a tuple is as
// the tuple says. The largest tile counts.
absl::Status ShrinkToDevice(hlo::Module* module);

// The same for one instruction, without a change.
absl::StatusOr<layout::Shape> DeviceShapeOf(const hlo::Module& module, hlo::InstructionId id);

}  // namespace tessera::cost

#endif  // TESSERA_COST_MEMORY_DEVICE_MODULE_H_
