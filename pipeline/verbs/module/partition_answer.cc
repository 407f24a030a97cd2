#include "tessera/pipeline/verbs/module/partition_answer.h"

#include <string>

#include "google/protobuf/repeated_field.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/opcode.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/schema/partition_answer.pb.h"
#include "tessera/pipeline/verbs/costs/input/device_arrays.h"
#include "tessera/text/message_json/message_json.h"

namespace tessera::pipeline {
namespace {

void AddNames(const ArrayPlaces& places, ArrayNames* names,
              google::protobuf::RepeatedPtrField<std::string>* to) {
  for (const ArrayPlace place : places) *to->Add() = names->Of(place);
}

}  // namespace

std::string PartitionAnswer(const TracedDevice& device, const PartitionerInput& input,
                            absl::string_view text) {
  const hlo::Module& module = device.module;
  ArrayNames names(module), tensors(NamingModule(input));
  answers::PartitionAnswer answer;
  answer.set_module(std::string(module.header().name));
  answer.set_num_partitions(module.header().num_partitions);
  answer.set_text(std::string(text));
  for (const DeviceArray& array : ListDeviceArrays(device, input)) {
    const hlo::Instruction& instruction = module.instruction(array.place.instruction);
    answers::DeviceTensor* tensor = answer.add_tensors();
    tensor->set_name(names.Of(array.place));
    tensor->set_computation(std::string(module.computation(instruction.computation).name));
    tensor->set_opcode(std::string(hlo::OpcodeName(instruction.opcode)));
    tensor->set_shape(layout::ShapeToString(array.shape->WithoutLayout()));
    AddNames(array.value_of, &tensors, tensor->mutable_value_of());
    AddNames(array.made_for, &tensors, tensor->mutable_made_for());
  }
  return text::JsonOf(answer);
}

}  // namespace tessera::pipeline
