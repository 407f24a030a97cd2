#include "tessera/pipeline/report/device_rows.h"

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/opcode.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/verbs/costs/input/array_names.h"
#include "tessera/pipeline/verbs/costs/input/device_arrays.h"
#include "tessera/target/program/collectives.h"

namespace tessera::pipeline {
namespace {

struct Entry {
  int row = 0;
  const DeviceArray* array = nullptr;
  bool is_value = false;  // has the shards of the row's tensor; else it is a step to it
};

// By row: the first entries, and how many more there are.
struct Rows {
  std::vector<std::vector<Entry>> entries;
  std::vector<int64_t> left_off;
};

Rows FindRows(const std::vector<DeviceArray>& arrays, const TensorTable& table) {
  Rows rows;
  rows.entries.resize(static_cast<size_t>(table.size()));
  rows.left_off.resize(rows.entries.size());
  const auto add = [&](const DeviceArray& array, const ArrayPlaces& places, bool is_value) {
    for (const ArrayPlace place : places) {
      const int row = table.row(place.instruction, place.leaf);
      if (row == kNoRow) continue;
      auto& entries = rows.entries[static_cast<size_t>(row)];
      if (entries.size() < kMostOfRow) {
        entries.push_back({row, &array, is_value});
      } else {
        ++rows.left_off[static_cast<size_t>(row)];
      }
    }
  };
  for (const DeviceArray& array : arrays) {
    add(array, array.value_of, /*is_value=*/true);
    add(array, array.made_for, /*is_value=*/false);
  }
  return rows;
}

class DeviceFiller {
 public:
  DeviceFiller(const hlo::Module& module, const Rows& rows, text::Interner<std::string>* texts)
      : module_(module), rows_(rows), texts_(*texts), names_(module) {}

  void Fill(answers::ReportDevice* to) {
    int number = 0;
    ForEach([&](const Entry& e) {
      to->add_row(e.row);
      to->add_name(names_.Of(e.array->place));
      if (e.is_value) to->add_values(number);
      if (target::IsCollective(InstructionOf(e).opcode)) to->add_collectives(number);
      ++number;
    });
    TextColumn(
        [&](const Entry& e) {
          return std::string(module_.computation(InstructionOf(e).computation).name);
        },
        to->mutable_computation());
    TextColumn(
        [&](const Entry& e) { return std::string(hlo::OpcodeName(InstructionOf(e).opcode)); },
        to->mutable_opcode());
    TextColumn(
        [&](const Entry& e) { return layout::ShapeToString(e.array->shape->WithoutLayout()); },
        to->mutable_shape());
    FillLeftOff(to);
  }

 private:
  const hlo::Instruction& InstructionOf(const Entry& entry) const {
    return module_.instruction(entry.array->place.instruction);
  }

  void ForEach(absl::FunctionRef<void(const Entry&)> visit) const {
    for (const std::vector<Entry>& entries : rows_.entries) {
      for (const Entry& entry : entries) visit(entry);
    }
  }

  // Of numbers of texts.
  void TextColumn(absl::FunctionRef<std::string(const Entry&)> text,
                  google::protobuf::RepeatedField<int32_t>* to) const {
    ForEach([&](const Entry& entry) { to->Add(static_cast<int32_t>(texts_.Intern(text(entry)))); });
  }

  void FillLeftOff(answers::ReportDevice* to) const {
    for (size_t row = 0; row < rows_.left_off.size(); ++row) {
      if (rows_.left_off[row] == 0) continue;
      answers::ReportLeftOff* one = to->add_left_off();
      one->set_row(static_cast<int32_t>(row));
      one->set_count(rows_.left_off[row]);
    }
  }

  const hlo::Module& module_;
  const Rows& rows_;
  text::Interner<std::string>& texts_;
  ArrayNames names_;
};

}  // namespace

void FillDevice(const TracedDevice& device, const PartitionerInput& input, const TensorTable& table,
                text::Interner<std::string>* texts, answers::ReportDevice* to) {
  const std::vector<DeviceArray> arrays = ListDeviceArrays(device, input);
  const Rows rows = FindRows(arrays, table);
  DeviceFiller(device.module, rows, texts).Fill(to);
}

}  // namespace tessera::pipeline
