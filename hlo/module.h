// An HLO module in memory. The parser makes it; printers, edits and passes work on it.
//
//   ParsedText parsed = ParseModules(source);                 // parser.h
//   const Module& module = parsed.modules[0];
//   for (InstructionId id : module.entry().instructions) {
//     const Instruction& i = module.instruction(id);
//     if (i.opcode != Opcode::kDot) continue;
//     const layout::Shape& lhs = module.shape(module.operands(id)[0]);
//     DotDimensions dims = GetDotDimensions(module, id);      // attributes.h
//   }
//
// The parts:
//
//   source buffer   the text of the file, kept alive by every module made from it; names, values
//                   of attributes and literals are views into it, never copies
//   instructions    one dense array for the whole module, numbered from 0: an InstructionId stays
//                   valid while the module lives, also after the instruction left its
//                   computation
//   lists           operands, attributes, called computations and control predecessors are runs in
//                   four flat pools
//   shapes          interned by text and by value: equal ShapeIds <=> equal shapes
//
// A module can be changed: see the mutators here and the larger steps in builder.h. Text that is
// new (names, attribute values) lives in an arena of the module. A mutator invalidates spans that
// were read before it; ids and string_views stay valid. Copies share the source, the shapes and the
// old part of the arena.
//
// Nothing here checks that a module is valid: the parser refuses the texts that XLA's parser refuses,
// verifier.h checks the rest.

#ifndef TESSERA_HLO_MODULE_H_
#define TESSERA_HLO_MODULE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/hlo/attribute_name.h"
#include "tessera/hlo/opcode.h"
#include "tessera/layout/shape.h"
#include "tessera/text/source.h"

namespace tessera::hlo {

class KnownShardings;

using InstructionId = uint32_t;
using ComputationId = uint32_t;
using ShapeId = uint32_t;

inline constexpr uint32_t kNoId = 0xffffffffu;

// Bytes [begin, end) of the source buffer; empty for text that is not in the source.
struct SourceRange {
  uint32_t begin = 0;
  uint32_t end = 0;

  bool empty() const { return begin == end; }
  uint32_t size() const { return end - begin; }
};

// One attribute: its name and the text of its value, exactly as written (`{1,0}`, `"f\n"`, `true`).
// Typed values come from attributes.h.
class Attribute {
 public:
  Attribute(AttributeName name, absl::string_view value, uint32_t name_distance)
      : data_(value.data()),
        size_(static_cast<uint32_t>(value.size())),
        name_distance_(name_distance),
        name_(name) {}

  AttributeName name() const { return name_; }
  absl::string_view value() const { return absl::string_view(data_, size_); }
  // Bytes from the start of the name to the value, if the attribute is in the source.
  uint32_t name_distance() const { return name_distance_; }

  static constexpr uint32_t kMaxNameDistance = (1u << 24) - 1;

 private:
  const char* data_;
  uint32_t size_;
  uint32_t name_distance_ : 24;
  AttributeName name_;
};

// A run in one of the pools of the module.
struct PoolRange {
  uint32_t begin = 0;
  uint32_t size = 0;
};

// Whether the source line of an instruction equals the text that XLA would print for it.
enum class SpellingState : uint8_t {
  kOther,    // no, or not known: another spelling, or changed since it was read
  kValues,   // yes, if its attribute values and its literal are in XLA's form
  kPrinted,  // yes
};

struct Instruction {
  absl::string_view name;  // without '%'
  Opcode opcode = Opcode::kParameter;
  bool is_root = false;           // of its computation
  bool has_written_shape = true;  // false: the text left the shape out and it was inferred
  bool is_async_sugar = false;    // written as OP-start, OP-update or OP-done
  bool is_implied = false;        // not a line of the text: made from `x#1`, async sugar, or nested
  SpellingState form = SpellingState::kOther;  // set by the parser, taken back by every mutator
  // Id of the attribute text before `metadata=`. Equal non-zero ids (same opcode) mean equal text
  // without references to instructions or computations. 0: not known. Reset by every mutator.
  uint16_t attributes_alike = 0;
  ShapeId shape = 0;
  ComputationId computation = kNoId;
  uint32_t parameter_number = 0;  // kParameter only
  uint32_t literal = 0;           // kConstant only: read it with Module::LiteralText
  PoolRange operands;             // read them with Module::operands
  PoolRange attributes;
  PoolRange called;
  PoolRange control_predecessors;
  // From `ROOT` or the name to the last byte of the last attribute; empty when not in the source.
  SourceRange source;
  uint32_t operands_open = 0;   // offset of the '(' of the operands
  uint32_t operands_close = 0;  // offset of the ')' of the operands
};

struct Computation {
  absl::string_view name;                   // without '%'
  std::vector<InstructionId> instructions;  // in order of the text
  std::vector<InstructionId> parameters;    // by parameter number
  InstructionId root = kNoId;
  std::string execution_thread = "main";
  std::string backend_config;     // decoded; empty if there is none
  bool is_inline = false;         // written in braces in place of a name
  bool names_elements = false;    // has operands such as `x#1`, see ProgramOrder in order.h
  bool is_async_wrapper = false;  // made from async sugar, has no text of its own
  bool removed = false;
  SourceRange source;       // from `ENTRY` or the name to the closing brace or last attribute
  uint32_t body_open = 0;   // offset of '{'
  uint32_t body_close = 0;  // offset of '}'
  // The text between the name and '{': "(p: f32[2]) -> f32[2]", or empty.
  SourceRange program_shape;
};

struct AliasEntry {
  enum class Kind : uint8_t { kMayAlias, kMustAlias };
  std::vector<int64_t> output_index;
  int64_t parameter_number = 0;
  std::vector<int64_t> parameter_index;
  Kind kind = Kind::kMayAlias;
};

struct BufferDonor {
  int64_t parameter_number = 0;
  std::vector<int64_t> parameter_index;
};

struct EntryLayout {
  std::vector<ShapeId> parameters;
  ShapeId result = 0;
};

// The first line of the module. Fields that the text leaves out have XLA's defaults.
struct ModuleHeader {
  absl::string_view name;
  bool has_header_line = true;  // false: the text starts with a computation or an instruction
  bool is_scheduled = false;
  int64_t replica_count = 1;
  int64_t num_partitions = 1;
  bool alias_passthrough_params = false;
  std::vector<AliasEntry> input_output_alias;
  std::vector<BufferDonor> buffer_donor;
  std::optional<EntryLayout> entry_layout;  // nullopt: not written, XLA infers it from the entry
  // Decoded, in order of the text; later duplicates win.
  std::vector<std::pair<std::string, std::string>> frontend_attributes;
  std::vector<bool> spmd_propagation_to_parameters = {false};
  std::vector<bool> spmd_propagation_to_output = {false};
  absl::string_view origin_recovery_table;  // as written, braces included
  absl::string_view debug_attributes;       // as written, braces included
  std::string backend_config;               // decoded; empty if there is none
  absl::string_view stack_frames;  // from `FileNames` to the last entry, see stack_frames.h
};

// The place of one header attribute in the source, for edits.
struct HeaderAttribute {
  absl::string_view name;
  SourceRange source;  // name, '=' and value
  SourceRange value;
};

class Module {
 public:
  Module();
  Module(const Module& other);
  Module& operator=(const Module& other);
  Module(Module&&) noexcept;
  Module& operator=(Module&&) noexcept;
  ~Module();

  // --- Reading ---------------------------------------------------------------------------------

  const ModuleHeader& header() const { return header_; }
  ModuleHeader& mutable_header() { return header_; }
  absl::Span<const HeaderAttribute> header_attributes() const { return header_attributes_; }

  // The text this module was read from, the whole file; empty for a module made by hand.
  absl::string_view source_text() const {
    return text_ == nullptr ? absl::string_view() : text_->text();
  }
  const std::shared_ptr<const text::Source>& text() const { return text_; }
  // The part of it that is this module: from `HloModule` to the last closing brace.
  SourceRange source() const { return source_; }
  // The place of `view` in the source; nullopt for other text.
  std::optional<SourceRange> RangeOf(absl::string_view view) const;

  // Computations in the order in which XLA adds them to a module: by the end of their bodies.
  size_t num_computations() const { return computations_.size(); }
  const Computation& computation(ComputationId id) const { return computations_[id]; }
  ComputationId entry_id() const { return entry_; }
  const Computation& entry() const { return computations_[entry_]; }
  // Linear in the number of computations; kNoId when there is none of this name.
  ComputationId FindComputation(absl::string_view name) const;

  size_t num_instructions() const { return instructions_.size(); }
  const Instruction& instruction(InstructionId id) const { return instructions_[id]; }
  // First of that name in the module in order of ids; kNoId if none. Linear.
  InstructionId FindInstruction(absl::string_view name) const;

  absl::Span<const InstructionId> operands(InstructionId id) const {
    return Slice(id_pool_, instructions_[id].operands);
  }
  // In order of the text.
  absl::Span<const Attribute> attributes(InstructionId id) const {
    return Slice(attribute_pool_, instructions_[id].attributes);
  }
  // The computations that an instruction names, in XLA's order. while: body, condition;
  // select-and-scatter: select, scatter; conditional: branches (true, false); else as written.
  absl::Span<const ComputationId> called(InstructionId id) const {
    return Slice(id_pool_, instructions_[id].called);
  }
  absl::Span<const InstructionId> control_predecessors(InstructionId id) const {
    return Slice(id_pool_, instructions_[id].control_predecessors);
  }

  // The text of one attribute's value; nullopt when it is not there.
  std::optional<absl::string_view> FindAttribute(InstructionId id, AttributeName name) const;
  bool HasAttribute(InstructionId id, AttributeName name) const {
    return FindAttribute(id, name).has_value();
  }
  // The text between the round brackets of a constant (literal.h).
  absl::string_view LiteralText(InstructionId id) const;

  const layout::Shape& shape(InstructionId id) const { return *shapes_[instructions_[id].shape]; }
  ShapeId shape_id(InstructionId id) const { return instructions_[id].shape; }
  const layout::Shape& interned_shape(ShapeId id) const { return *shapes_[id]; }
  size_t num_shapes() const { return shapes_.size(); }

  // The parsed shardings by their text; null in a module that the parser did not make.
  const KnownShardings* known_shardings() const { return known_shardings_.get(); }

  // Bytes held beside the source buffer and known_shardings().
  size_t MemoryBytes() const;

  // --- Changing --------------------------------------------------------------------------------

  // Keeps the text alive; `range` is the part of it that is this module.
  void SetSource(std::shared_ptr<const text::Source> text, SourceRange range);

  // A view of a copy of `text` that lives as long as the module.
  absl::string_view Keep(absl::string_view text);
  // Likewise, but a text that stands in the source needs no copy.
  absl::string_view Held(absl::string_view text);
  // The same without a copy: room for at most `size` characters, and the text that ends there.
  char* RoomForText(size_t size);
  absl::string_view KeepWritten(char* end);
  ShapeId InternShape(const layout::Shape& shape);

  ComputationId AddComputation(absl::string_view name);
  // Removes the computation from the list; its id stays in use (removed == true).
  void RemoveComputation(ComputationId id);
  void SetEntry(ComputationId id) { entry_ = id; }
  Computation& mutable_computation(ComputationId id) { return computations_[id]; }

  // Adds an instruction at the end of `computation`. A parameter must come in order of its number.
  // The name is Held().
  // The texts of attributes belong to the module already.
  InstructionId AddInstruction(ComputationId computation, Opcode opcode, absl::string_view name,
                               ShapeId shape, absl::Span<const InstructionId> operands,
                               absl::Span<const Attribute> attributes = {});
  // The same of a name that belongs to the module already; metadata comes last, if it is not empty.
  InstructionId AddHeld(ComputationId computation, Opcode opcode, absl::string_view name,
                        ShapeId shape, absl::Span<const InstructionId> operands,
                        absl::Span<const Attribute> attributes, absl::string_view metadata);
  // For parsers and other producers: adds without putting it into its computation's list.
  InstructionId AddDetached(Instruction instruction);
  Instruction& mutable_instruction(InstructionId id) {
    instructions_[id].form = SpellingState::kOther;
    instructions_[id].attributes_alike = 0;
    return instructions_[id];
  }

  void SetRoot(ComputationId computation, InstructionId root);
  void SetName(InstructionId id, absl::string_view name);  // copies the name
  void SetShape(InstructionId id, const layout::Shape& shape);
  void SetOperands(InstructionId id, absl::Span<const InstructionId> operands);
  void SetOperand(InstructionId id, size_t index, InstructionId operand);
  void SetCalled(InstructionId id, absl::Span<const ComputationId> called);
  void SetControlPredecessors(InstructionId id, absl::Span<const InstructionId> predecessors);
  // Adds the attribute or gives it a new value; `value` is copied.
  void SetAttribute(InstructionId id, AttributeName name, absl::string_view value);
  // After those that it has; the text belongs to the module already.
  void AddAttribute(InstructionId id, const Attribute& attribute);
  void RemoveAttribute(InstructionId id, AttributeName name);
  void SetAttributes(InstructionId id, absl::Span<const Attribute> attributes);
  // `text` as between the round brackets of `constant(..)`; copied.
  void SetLiteralText(InstructionId id, absl::string_view text);
  // The same, of a text that the module already holds.
  void SetKeptLiteralText(InstructionId id, absl::string_view text);
  // Removes the instruction from its computation's list. Users are not checked.
  void RemoveInstruction(InstructionId id);

  // Reserves room for this many instructions, and for this many attributes of all of them.
  void Reserve(size_t instructions, size_t attributes);
  void Reserve(size_t instructions) { Reserve(instructions, instructions + instructions / 2); }

 private:
  friend class ModuleParser;
  class Arena;

  template <typename T>
  static absl::Span<const T> Slice(const std::vector<T>& pool, PoolRange range) {
    return absl::Span<const T>(pool.data() + range.begin, range.size);
  }
  // Pointers to shapes hash and compare as the shapes.
  struct ShapeHash {
    using is_transparent = void;
    size_t operator()(const layout::Shape& shape) const;
    size_t operator()(const layout::Shape* shape) const { return (*this)(*shape); }
  };
  struct ShapeEqual {
    using is_transparent = void;
    bool operator()(const layout::Shape* a, const layout::Shape* b) const { return *a == *b; }
    bool operator()(const layout::Shape* a, const layout::Shape& b) const { return *a == b; }
    bool operator()(const layout::Shape& a, const layout::Shape* b) const { return a == *b; }
  };

  bool IsInSource(absl::string_view text) const {
    const absl::string_view all = source_text();
    return text.data() >= all.data() && text.data() + text.size() <= all.data() + all.size();
  }
  PoolRange PutIds(absl::Span<const uint32_t> ids);
  uint32_t PutLiteral(absl::string_view text);
  PoolRange PutAttributes(absl::Span<const Attribute> attributes);
  void ReplaceIds(PoolRange* range, absl::Span<const uint32_t> ids);

  ModuleHeader header_;
  std::vector<HeaderAttribute> header_attributes_;
  std::shared_ptr<const text::Source> text_;
  SourceRange source_;
  std::vector<Computation> computations_;
  ComputationId entry_ = kNoId;
  std::vector<Instruction> instructions_;
  std::vector<uint32_t> id_pool_;
  std::vector<Attribute> attribute_pool_;
  std::vector<absl::string_view> literals_;
  std::vector<std::shared_ptr<const layout::Shape>> shapes_;
  absl::flat_hash_map<const layout::Shape*, ShapeId, ShapeHash, ShapeEqual> shape_ids_;
  std::shared_ptr<Arena> arena_;
  std::shared_ptr<const KnownShardings> known_shardings_;
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_MODULE_H_
