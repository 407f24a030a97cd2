// The arrays that one device computes, and the tensors of the program that each one comes from.
//
//   for (const DeviceArray& array : ListDeviceArrays(traced, input)) {
//     array.value_of;     // the tensors whose shards it is
//     array.made_for;     // the tensors for which the partitioner inserted it
//   }
//
//   x = f32[8,4] parameter(0)                               value of x
//   all-gather.4 = f32[8,16] all-gather(x)                  made for y
//   y = f32[8,16] negate(all-gather.4)                      value of y
//   constant.5 = s32[4] constant({0, 2, 4, 6})              neither
//   partition-id.6 = u32[] partition-id()                   neither
//   dynamic-slice.7 = dynamic-slice(y, ..)                  made for z
//
// Neither is an array that depends on the number of the device alone, as offsets and masks do: all
// tensors share them. An inserted array is made for the instruction whose visit inserted it, if
// that is one tensor. Otherwise (tuples, loops, results) it is made for the tensor that it reads. A
// tensor in another sharding, as a result may want it, is made for the tensor.
//
// Cost: linear in the instructions and in the arrays of their shapes. Tested by device_arrays_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_INPUT_DEVICE_ARRAYS_H_
#define TESSERA_PIPELINE_VERBS_COSTS_INPUT_DEVICE_ARRAYS_H_

#include <string>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"
#include "tessera/pipeline/verbs/costs/input/cleaned_device.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/costs/input/tensor_finder.h"

namespace tessera::pipeline {

struct DeviceArray {
  ArrayPlace place;  // in the per-device module
  const layout::Shape* shape = nullptr;
  ArrayPlaces value_of, made_for;  // in NamingModule(input), in its order
};

// In the order in which the module is printed. Tuples, and what takes them apart, are left out.
std::vector<DeviceArray> ListDeviceArrays(const TracedDevice& device,
                                          const PartitionerInput& input);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_INPUT_DEVICE_ARRAYS_H_
