#include "tessera/pipeline/verbs/module/partition_answer.h"

#include "tessera/hlo/module.h"
#include "tessera/hlo/opcode.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/verbs/costs/input/device_arrays.h"
#include "tessera/text/formats/json.h"

namespace tessera::pipeline {
namespace {

// Absent where there are none.
void PutNames(absl::string_view key, const ArrayPlaces& places, ArrayNames* names,
              text::JsonWriter* json) {
  if (places.empty()) return;
  json->Key(key).BeginArray();
  for (const ArrayPlace place : places) json->String(names->Of(place));
  json->EndArray();
}

}  // namespace

std::string PartitionAnswer(const TracedDevice& device, const PartitionerInput& input,
                            absl::string_view text) {
  const hlo::Module& module = device.module;
  ArrayNames names(module), tensors(NamingModule(input));
  text::JsonWriter json;
  json.BeginObject().Key("module").String(module.header().name);
  json.Key("num_partitions").Int(module.header().num_partitions);
  json.Key("text").String(text).Key("tensors").BeginArray();
  for (const DeviceArray& array : ListDeviceArrays(device, input)) {
    const hlo::Instruction& instruction = module.instruction(array.place.instruction);
    json.BeginObject().Key("name").String(names.Of(array.place));
    json.Key("computation").String(module.computation(instruction.computation).name);
    json.Key("opcode").String(hlo::OpcodeName(instruction.opcode));
    json.Key("shape").String(layout::ShapeToString(array.shape->WithoutLayout()));
    PutNames("value_of", array.value_of, &tensors, &json);
    PutNames("made_for", array.made_for, &tensors, &json);
    json.EndObject();
  }
  return json.EndArray().EndObject().text();
}

}  // namespace tessera::pipeline
