// Writes the instructions of one computation of the per-device module.
//
//   BodyWriter body(&output, computation);
//   body.Begin("all-gather", metadata);             // name and metadata of what follows
//   InstructionId start = body.Number(table);       // s32[] with a value for each device
//   body.Add(Opcode::kNegate, shape, {x});
//
// XLA: SpmdBuilder. A number that differs between devices is made once a computation.

#ifndef TESSERA_SHARDING_PARTITION_EMIT_BODY_WRITER_H_
#define TESSERA_SHARDING_PARTITION_EMIT_BODY_WRITER_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/opcode.h"
#include "tessera/hlo/unique_names.h"
#include "tessera/layout/element_type.h"
#include "tessera/layout/shape.h"
#include "tessera/sharding/partition/device_text.h"
#include "tessera/sharding/partition/emit/kept_computations.h"
#include "tessera/sharding/partition/reshard/recipe_store.h"

namespace tessera::sharding::partition {

// An array without a layout. XLA: ShapeUtil::MakeShape.
layout::Shape MakeShape(layout::ElementType type, absl::Span<const int64_t> dims);

// The module that is written to, beside that which is read.
struct Output {
  const hlo::Module* input = nullptr;
  hlo::Module* module = nullptr;
  KeptComputations* kept = nullptr;
  const Recipes* recipes = nullptr;
  // Larger than the number at the end of any name of the module.
  int64_t next_number = 1;
  hlo::UniqueNames computation_names = {};
  std::vector<absl::string_view> table_texts = {};  // of those that were asked for
  std::array<std::optional<hlo::ShapeId>, layout::kNumElementTypes> scalar_shapes = {};

  // One text of each table: many computations have a constant of it.
  absl::string_view TextOf(TableId table) {
    const auto number = static_cast<size_t>(table);
    if (number >= table_texts.size()) table_texts.resize(number + 1);
    absl::string_view& text = table_texts[number];
    if (text.empty()) text = module->Keep(recipes->table(table).text);
    return text;
  }

  // Of `type[]`.
  hlo::ShapeId ScalarShape(layout::ElementType type) {
    std::optional<hlo::ShapeId>& shape = scalar_shapes[static_cast<size_t>(type)];
    if (!shape.has_value()) shape = module->InternShape(MakeShape(type, {}));
    return *shape;
  }
  // Kept by the module.
  absl::string_view NewName(absl::string_view key) {
    constexpr size_t kDotAndNumber = 25;
    char* const name = module->RoomForText(key.size() + kDotAndNumber);
    char* const dot = std::copy(key.begin(), key.end(), name);
    *dot = '.';
    return module->KeepWritten(PutNumber(next_number++, dot + 1));
  }
  std::string NewComputationName(absl::string_view key) {
    return computation_names.Unique(hlo::SanitizeName(key));
  }
};

hlo::ShapeId InternWithoutLayout(const layout::Shape& shape, hlo::Module* module);

class BodyWriter {
 public:
  using Id = hlo::InstructionId;
  using Ids = absl::Span<const Id>;
  struct AttributeText {
    hlo::AttributeName name;
    absl::string_view value;  // is copied
  };
  using Attributes = absl::Span<const AttributeText>;

  BodyWriter(Output* output, hlo::ComputationId computation)
      : output_(output), module_(*output->module), computation_(computation) {}

  hlo::ComputationId computation() const { return computation_; }
  // Sets the metadata of the instructions added from now on: as written, empty for none.
  void Begin(absl::string_view metadata) { metadata_ = metadata; }
  absl::string_view metadata() const { return metadata_; }

  Id Add(hlo::Opcode opcode, const layout::Shape& shape, Ids operands, Attributes attributes = {});
  // The same of an interned shape.
  Id Add(hlo::Opcode opcode, hlo::ShapeId shape, Ids operands, Attributes attributes = {});
  // The same with texts that the module already holds.
  Id AddKept(hlo::Opcode opcode, hlo::ShapeId shape, Ids operands,
             absl::Span<const hlo::Attribute> attributes);
  // The same with a free name that the module already holds.
  Id AddNamed(absl::string_view name, hlo::Opcode opcode, hlo::ShapeId shape, Ids operands,
              absl::Span<const hlo::Attribute> attributes);
  // A constant of the shape `type[]`.
  Id Scalar(layout::ElementType type, absl::string_view literal);
  // All elements are the scalar.
  Id Spread(const layout::Shape& shape, Id scalar);
  Id Zeros(const layout::Shape& shape);
  // s32[], or u32[] of an id: the device's number of the table, as it is found there.
  Id Number(TableId table);
  // pred[]: whether it is this device.
  Id IsDevice(int64_t device);
  // u32[]
  Id PartitionId();
  // All arrays zero; tokens are new ones.
  Id ZeroOf(const layout::Shape& shape);
  Id Element(Id tuple, int64_t index);
  // s32 indices of `shape` along `dim`, counted from the number of the device on.
  Id Indices(const layout::Shape& shape, int64_t dim, TableId start);

  const layout::Shape& shape(Id id) const { return module_.shape(id); }
  hlo::Module& module() { return module_; }

 private:
  // The element of a constant list that the device takes.
  Id ElementOf(TableId list);

  Output* output_;
  hlo::Module& module_;
  const hlo::ComputationId computation_;
  absl::string_view metadata_;
  Id partition_id_ = hlo::kNoId;
  absl::flat_hash_map<TableId, Id> numbers_;
  absl::flat_hash_map<std::pair<int, absl::string_view>, Id> scalars_;  // by type and literal
};

// The text of zero of this type.
std::string ZeroText(layout::ElementType type);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_EMIT_BODY_WRITER_H_
