#include "tessera/hlo/module.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "tessera/text/text_arena.h"

namespace tessera::hlo {

// Text that is not in the source. A copy of a module starts an arena of its own and keeps the old
// one, so that two copies never write to one arena.
class Module::Arena {
 public:
  Arena() = default;
  // Keeps the texts of `older` alive. One that has none is passed over: a copy of a copy of a copy
  // makes no chain.
  explicit Arena(const std::shared_ptr<const Arena>& older)
      : older_(older->texts_.empty() ? older->older_ : older) {}

  text::TextArena& texts() { return texts_; }
  size_t bytes() const { return texts_.bytes(); }

 private:
  std::shared_ptr<const Arena> older_;
  text::TextArena texts_;
};

namespace {

// Of what tells most shapes apart: some machine instructions a dimension.
uint64_t Mixed(uint64_t hash, const layout::Shape& shape) {
  const auto mix = [&hash](uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  };
  mix(static_cast<uint64_t>(shape.kind()) << 8 | static_cast<uint64_t>(shape.element_type()) << 16 |
      static_cast<uint64_t>(shape.rank()) << 32 | uint64_t{shape.has_layout()});
  for (const int64_t dim : shape.dims()) mix(static_cast<uint64_t>(dim));
  if (shape.has_layout()) {
    uint64_t order = static_cast<uint64_t>(shape.layout().memory_space);
    for (const int64_t dim : shape.layout().minor_to_major) {
      order = 31 * order + static_cast<uint64_t>(dim);
    }
    mix(order);
  }
  for (const layout::Shape& element : shape.tuple_elements()) hash = Mixed(hash, element);
  return hash;
}

}  // namespace

size_t Module::ShapeHash::operator()(const layout::Shape& shape) const {
  return absl::Hash<uint64_t>()(Mixed(0, shape));
}

Module::Module() : arena_(std::make_shared<Arena>()) {}
Module::~Module() = default;
Module::Module(Module&&) noexcept = default;
Module& Module::operator=(Module&&) noexcept = default;

Module::Module(const Module& other)
    : header_(other.header_),
      header_attributes_(other.header_attributes_),
      text_(other.text_),
      source_(other.source_),
      computations_(other.computations_),
      entry_(other.entry_),
      instructions_(other.instructions_),
      id_pool_(other.id_pool_),
      attribute_pool_(other.attribute_pool_),
      literals_(other.literals_),
      shapes_(other.shapes_),
      shape_ids_(other.shape_ids_),
      arena_(std::make_shared<Arena>(other.arena_)),
      known_shardings_(other.known_shardings_) {}

Module& Module::operator=(const Module& other) {
  if (this != &other) *this = Module(other);
  return *this;
}

std::optional<SourceRange> Module::RangeOf(absl::string_view view) const {
  if (!IsInSource(view)) return std::nullopt;
  const uint32_t begin = static_cast<uint32_t>(view.data() - source_text().data());
  return SourceRange{begin, begin + static_cast<uint32_t>(view.size())};
}

ComputationId Module::FindComputation(absl::string_view name) const {
  for (ComputationId id = 0; id < computations_.size(); ++id) {
    if (!computations_[id].removed && computations_[id].name == name) return id;
  }
  return kNoId;
}

InstructionId Module::FindInstruction(absl::string_view name) const {
  for (InstructionId id = 0; id < instructions_.size(); ++id) {
    if (instructions_[id].name == name) return id;
  }
  return kNoId;
}

std::optional<absl::string_view> Module::FindAttribute(InstructionId id, AttributeName name) const {
  for (const Attribute& a : attributes(id)) {
    if (a.name() == name) return a.value();
  }
  return std::nullopt;
}

absl::string_view Module::LiteralText(InstructionId id) const {
  const Instruction& i = instructions_[id];
  return i.opcode == Opcode::kConstant ? literals_[i.literal] : absl::string_view();
}

size_t Module::MemoryBytes() const {
  size_t bytes = instructions_.capacity() * sizeof(Instruction) +
                 id_pool_.capacity() * sizeof(uint32_t) +
                 attribute_pool_.capacity() * sizeof(Attribute) +
                 literals_.capacity() * sizeof(absl::string_view) +
                 computations_.capacity() * sizeof(Computation) + arena_->bytes() +
                 shapes_.size() * (sizeof(layout::Shape) + 64);
  for (const Computation& c : computations_) {
    bytes += (c.instructions.capacity() + c.parameters.capacity()) * sizeof(InstructionId);
  }
  return bytes;
}

void Module::SetSource(std::shared_ptr<const text::Source> text, SourceRange range) {
  text_ = std::move(text);
  source_ = range;
}

absl::string_view Module::Keep(absl::string_view text) { return arena_->texts().Keep(text); }

char* Module::RoomForText(size_t size) { return arena_->texts().Room(size); }

absl::string_view Module::KeepWritten(char* end) { return arena_->texts().KeepWritten(end); }

absl::string_view Module::Held(absl::string_view text) {
  return text.empty() || IsInSource(text) ? text : Keep(text);
}

ShapeId Module::InternShape(const layout::Shape& shape) {
  const auto found = shape_ids_.find(shape);
  if (found != shape_ids_.end()) return found->second;
  const ShapeId id = static_cast<ShapeId>(shapes_.size());
  shapes_.push_back(std::make_shared<const layout::Shape>(shape));
  shape_ids_.emplace(shapes_.back().get(), id);
  return id;
}

ComputationId Module::AddComputation(absl::string_view name) {
  Computation& c = computations_.emplace_back();
  c.name = Keep(name);
  return static_cast<ComputationId>(computations_.size() - 1);
}

void Module::RemoveComputation(ComputationId id) {
  computations_[id].removed = true;
  computations_[id].instructions.clear();
  computations_[id].parameters.clear();
}

}  // namespace tessera::hlo
