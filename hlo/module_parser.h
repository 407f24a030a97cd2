// File: module_parser.h
//
// The parser of one module; see parser.h for what callers use.
//
// One pass over the text, in the order of the text. The parser is one class in several files, a
// part of the grammar each:
//
//   module_parser.cc        the module: header line, stack frames, computations
//   header_parser.cc        values of the header's attributes
//   computation_parser.cc   one computation: parameters, body, attributes
//   instruction_parser.cc   one instruction: name, shape, opcode
//   operand_parser.cc       its operands
//   attribute_parser.cc     `, name=value` behind the operands
//   callee_parser.cc        attributes that name computations and instructions
//   async_parser.cc         OP-start, OP-update, OP-done
//   opcode_checks.cc        what an opcode asks of its operands and attributes
//   opcode_shapes.cc        shapes that are made from parts of the written one
//   parser_recovery.cc      how to go on after a mistake
//
// Productions return false on error; the reader keeps the first. The loop over
// instructions reports it, remembers the instruction's name as poisoned, and goes on at the next
// line that looks like an instruction.

#ifndef TESSERA_HLO_MODULE_PARSER_H_
#define TESSERA_HLO_MODULE_PARSER_H_

#include <bitset>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/opcode_attributes.h"
#include "tessera/hlo/reader.h"
#include "tessera/hlo/scope.h"
#include "tessera/hlo/shape_cache.h"
#include "tessera/hlo/text_form.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/source.h"

namespace tessera::hlo {

inline constexpr size_t kMostNestedComputations = 100;

// Which word an async instruction was written with.
enum class AsyncStage : uint8_t { kNone, kStart, kUpdate, kDone };

// An instruction while it is being read.
struct Draft {
  const char* begin = nullptr;  // ROOT or name
  const char* name_at = nullptr;
  absl::string_view name;
  bool root = false;
  bool has_shape = false;
  ShapeId shape = 0;
  Opcode opcode = Opcode::kParameter;
  AsyncStage sugar = AsyncStage::kNone;  // `opcode` is then the wrapped one
  const char* open = nullptr;            // '(' of the operands
  const char* close = nullptr;           // ')' of the operands
  const char* attributes_at = nullptr;   // right behind that ')'
  int64_t parameter_number = 0;
  absl::string_view literal;
  absl::InlinedVector<InstructionId, 8> operands;
  absl::InlinedVector<Attribute, 8> attributes;
  absl::InlinedVector<std::pair<AttributeName, ComputationId>, 4> called;
  absl::InlinedVector<InstructionId, 2> control_predecessors;
  std::bitset<kNumAttributeNames> seen;
  FormWatch form;

  bool Has(AttributeName name) const { return seen[static_cast<size_t>(name)]; }
};

class ModuleParser {
 public:
  // Reads from `begin` on; nothing behind `end` is looked at.
  ModuleParser(std::shared_ptr<const text::Source> source, size_t begin, size_t end,
               text::Diagnostics* diagnostics);

  // One module. With `several`, a second `HloModule` ends it; otherwise that is a mistake.
  Module Parse(bool several);
  // The next token behind the module.
  uint32_t offset() const { return in_.offset(); }
  bool AtEnd() const { return in_.AtEnd(); }
  bool AtNextModule() const { return in_.PeekWord("HloModule"); }

 private:
  // --- module_parser.cc ---
  void ParseComputations(bool several);
  bool ParseSingleInstruction();
  bool LooksLikeModule(bool several);
  bool ReadStackFrames();
  bool CheckAliases();
  bool CheckAsyncCallers();
  void CloseScope() { --depth_; }
  Scope& scope() { return *scopes_[depth_ - 1]; }
  InstructionId FindInstruction(absl::string_view name, uint32_t hash) {
    return scope().names.Find(name, hash,
                              [this](InstructionId id) { return module_.instructions_[id].name; });
  }

  // --- computation_parser.cc ---
  bool ParseComputation();
  bool ReadParameterList(Computation* c, ShapeId* result, const char** result_at);
  bool ReadBody(Computation* c);
  void ReadInstructions();
  bool CheckParameters(const Computation& c);
  bool ReadComputationAttributes(Computation* c);
  ComputationId AddComputation(Computation c, const Scope& scope);
  Scope& OpenScope();
  ComputationId FindComputation(absl::string_view name) const;

  // --- parser_recovery.cc ---
  void Report();
  bool SkipToInstruction(const char* from);
  void SkipToComputation();

  // --- header_parser.cc ---
  bool ReadHeader();
  bool ReadHeaderAttribute();
  bool ReadHeaderValue(absl::string_view name);
  bool ReadShapeIndex(std::vector<int64_t>* index);
  bool ReadAliases();
  bool ReadDonors();
  bool ReadEntryLayout();
  bool ReadFrontend();
  bool ReadConfig(std::string* config);
  bool ReadBoolOrList(std::vector<bool>* values);
  bool ReadRecoveryTable();
  bool ReadDebugAttributes();

  // --- instruction_parser.cc ---
  bool ReadInstruction();
  // Behind `name =`: shape, opcode, operands, attributes. Adds the instruction.
  bool ReadRightSide(Draft& d, InstructionId* id);
  bool ReadOpcode(Draft& d);
  InstructionId AddDraft(Draft& d);
  bool Register(const Draft& d, InstructionId id);
  bool InferShape(InstructionId id, const Draft& d);

  // --- operand_parser.cc ---
  bool ReadOperands(Draft& d);
  bool ReadOperandList(Draft& d);
  bool ReadOperand(Draft& d);
  bool ReadReference(InstructionId* id);
  bool ReadNested(InstructionId* id);
  bool ReadElementPath(InstructionId* id, absl::string_view name);
  bool ReadUnnamedOperand(ShapeId shape, InstructionId* id);
  bool CheckOperandShape(ShapeId written, InstructionId id, const char* at);
  bool ReadParameterNumber(Draft& d);
  bool ReadConstant(Draft& d);
  bool CheckOperandCount(const Draft& d);
  InstructionId AddElement(InstructionId tuple, int64_t index);
  InstructionId AddImplied(Instruction i, absl::Span<const InstructionId> operands);

  // --- attribute_parser.cc ---
  bool ReadAttributes(Draft& d);
  bool ReadAttribute(Draft& d);
  bool ReadValue(AttributeName name, AttributeSyntax syntax, Draft& d);
  bool ReadMetadataValue();
  bool ReadWordValue(AttributeName name, bool list, Opcode opcode);
  bool ReadShapesValue(absl::string_view what);
  bool ReadSharding();
  bool ReadLiteralValue();
  bool IsAllowed(AttributeName name, const Draft& d) const;
  bool CheckRequired(const Draft& d);
  bool FailWithAttributes(const char* at, absl::string_view text, const Draft& d);

  // --- callee_parser.cc ---
  bool ReadCallee(AttributeName name, Draft& d);
  bool ReadCallees(AttributeName name, Draft& d);
  bool ReadComputationName(ComputationId* id);
  bool ReadInlineComputation(ComputationId* id);
  bool ReadControlPredecessors(Draft& d);

  // --- async_parser.cc ---
  bool ReadAsyncSugar(absl::string_view word, Draft& d);
  bool AddAsyncSugar(Draft& d, InstructionId* id);
  bool WrapOperation(Draft& d, const layout::Shape& shape, ComputationId* wrapper);
  bool CheckAsync(InstructionId id, const Draft& d);
  InstructionId AsyncStartOf(InstructionId id) const;

  // --- opcode_checks.cc ---
  bool CheckOpcode(InstructionId id, const Draft& d);
  using OpcodeCheck = bool (ModuleParser::*)(InstructionId id, const Draft& d);
  static OpcodeCheck CheckOf(Opcode opcode);
  bool CheckConditionalIndex(const Draft& d);
  bool CheckConditional(InstructionId id, const Draft& d);
  bool CheckOneDimension(InstructionId id, const Draft& d);
  bool CheckEvenOperands(InstructionId id, const Draft& d);
  bool CheckOddOperands(InstructionId id, const Draft& d);
  bool CheckDynamicSlice(InstructionId id, const Draft& d);
  bool CheckDynamicReshape(InstructionId id, const Draft& d);
  bool CheckReshape(InstructionId id, const Draft& d);
  bool CheckCollectivePermute(InstructionId id, const Draft& d);
  bool CheckGlobalIds(InstructionId id, const Draft& d);
  bool CheckReduceScatter(InstructionId id, const Draft& d);
  bool CheckCustomCall(InstructionId id, const Draft& d);
  bool CheckBroadcast(InstructionId id, const Draft& d);
  bool CheckTuple(InstructionId id, const Draft& d);
  bool CheckTwoOperands(InstructionId id, const Draft& d);
  bool CheckOneOperand(InstructionId id, const Draft& d);
  bool CheckScan(InstructionId id, const Draft& d);
  bool CheckPartitionId(InstructionId id, const Draft& d);
  bool CheckReplication(InstructionId id, const Draft& d);
  bool FixAfterAll(InstructionId id, const Draft& d);
  bool FixAddDependency(InstructionId id, const Draft& d);
  bool FixInfeed(InstructionId id, const Draft& d);
  bool FixOutfeed(InstructionId id, const Draft& d);
  bool FixSend(InstructionId id, const Draft& d);
  bool FixRecv(InstructionId id, const Draft& d);
  bool FixSendDone(InstructionId id, const Draft& d);
  bool FixRecvDone(InstructionId id, const Draft& d);
  bool CheckSameChannel(InstructionId id);

  std::shared_ptr<const text::Source> source_;
  Reader in_;
  text::Diagnostics* diagnostics_;
  Module module_;
  ShapeCache shapes_;
  std::vector<std::unique_ptr<Scope>> scopes_;
  size_t depth_ = 0;
  int nesting_ = 0;  // of operands
  bool too_deep_ = false;
  NameIds computation_ids_;
  absl::flat_hash_set<absl::string_view> poisoned_computations_;
  absl::flat_hash_set<absl::string_view> good_shardings_;
  const char* entry_at_ = nullptr;
  bool single_ = false;     // the text is one instruction
  bool cascading_ = false;  // the mistake follows from one reported before
  bool had_errors_ = false;
  bool has_async_start_ = false;
  TextForm metadata_form_ = TextForm::kOther;  // of the metadata that was read last
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_MODULE_PARSER_H_
