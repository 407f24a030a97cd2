// The value of an index on each device.
//
//   DeviceOffsets offsets(&program, num_devices);
//   const DeviceOffsets::Value& v = offsets.Of(index);
//   v.known;        // false: it depends on data, or on a loop
//   v.by_device;    // {0, 128, 256, 384, ..}
//
// Known are the forms in which the partitioner writes offsets. These are the number of the
// partition, integer constants, an element of a constant list at such an index, products with
// constants, differences, and clamps. Reshapes, copies and widening conversions are looked through.
// Cost: devices times instructions that are asked for; each is looked at once.
//
// A list that the text leaves out (`{...}`, as XLA prints more than ten elements) is not known: it
// is taken as the partitioner's own, and counted. Tested by device_offsets_test.cc.

#ifndef TESSERA_TARGET_PROGRAM_DEVICE_OFFSETS_H_
#define TESSERA_TARGET_PROGRAM_DEVICE_OFFSETS_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

class DeviceOffsets {
 public:
  struct Value {
    bool known = false;
    bool left_out = false;           // made from a list that the text leaves out
    std::vector<int64_t> by_device;  // empty where it is left out
  };

  DeviceOffsets(DeviceProgram* program, int64_t num_devices)
      : program_(*program), num_devices_(num_devices) {}

  const Value& Of(InstructionId index);
  // It is 0 on every device, whatever it is made of.
  bool IsZero(InstructionId index);

 private:
  Value Compute(InstructionId id);
  Value Same(int64_t number) const;
  Value OfConstant(InstructionId id) const;
  Value Element(InstructionId slice);
  Value Product(InstructionId id);
  Value Difference(InstructionId id);
  Value Clamp(InstructionId id);

  DeviceProgram& program_;
  const int64_t num_devices_;
  int depth_ = 0;  // of the recursion in Of()
  absl::flat_hash_map<InstructionId, Value> values_;
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PROGRAM_DEVICE_OFFSETS_H_
