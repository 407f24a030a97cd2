#include "tessera/pipeline/report/device_rows.h"

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/opcode.h"
#include "tessera/layout/shape_text.h"
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

class Writer {
 public:
  Writer(const hlo::Module& module, const Rows& rows, TextTable* texts, text::JsonWriter* json)
      : module_(module), rows_(rows), texts_(*texts), json_(*json), names_(module) {}

  void Write() {
    json_.BeginObject();
    Column("row", [&](const Entry& e) { json_.Int(e.row); });
    Column("name", [&](const Entry& e) { json_.String(names_.Of(e.array->place)); });
    TextColumn("computation", [&](const Entry& e) {
      return std::string(module_.computation(InstructionOf(e).computation).name);
    });
    TextColumn("opcode", [&](const Entry& e) {
      return std::string(hlo::OpcodeName(InstructionOf(e).opcode));
    });
    TextColumn("shape", [&](const Entry& e) {
      return layout::ShapeToString(e.array->shape->WithoutLayout());
    });
    Numbers("values", [&](const Entry& e) { return e.is_value; });
    Numbers("collectives",
            [&](const Entry& e) { return target::IsCollective(InstructionOf(e).opcode); });
    WriteLeftOff();
    json_.EndObject();
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

  void Column(absl::string_view key, absl::FunctionRef<void(const Entry&)> write) {
    json_.Key(key).BeginArray();
    ForEach(write);
    json_.EndArray();
  }
  // Of numbers of texts.
  void TextColumn(absl::string_view key, absl::FunctionRef<std::string(const Entry&)> text) {
    Column(key, [&](const Entry& entry) { json_.Int(texts_.Add(text(entry))); });
  }
  // Of the entries that are so.
  void Numbers(absl::string_view key, absl::FunctionRef<bool(const Entry&)> is_so) {
    int64_t number = 0;
    Column(key, [&](const Entry& entry) {
      if (is_so(entry)) json_.Int(number);
      ++number;
    });
  }

  void WriteLeftOff() {
    json_.Key("left_off").BeginArray();
    for (size_t row = 0; row < rows_.left_off.size(); ++row) {
      if (rows_.left_off[row] == 0) continue;
      json_.BeginObject().Key("row").Int(static_cast<int64_t>(row));
      json_.Key("count").Int(rows_.left_off[row]).EndObject();
    }
    json_.EndArray();
  }

  const hlo::Module& module_;
  const Rows& rows_;
  TextTable& texts_;
  text::JsonWriter& json_;
  ArrayNames names_;
};

}  // namespace

void WriteDevice(const TracedDevice& device, const PartitionerInput& input,
                 const TensorTable& table, TextTable* texts, text::JsonWriter* json) {
  const std::vector<DeviceArray> arrays = ListDeviceArrays(device, input);
  const Rows rows = FindRows(arrays, table);
  Writer(device.module, rows, texts, json).Write();
}

}  // namespace tessera::pipeline
