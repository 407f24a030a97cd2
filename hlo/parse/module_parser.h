// The parser of one module; see parser.h for what callers use.
//
// One pass over the text, in the order of the text. The parser is one class in several files, a
// part of the grammar each:
//
//   module_parser.cc        the module: header line, stack frames, computations
//   header_parser.cc        values of the header's attributes
//   computation_parser.cc   one computation: parameters, body, attributes
//   instruction_parser.cc   one instruction: name, shape, opcode
//   straight_line.cc        a short way for instructions that are spelled as XLA prints them
//   operand_parser.cc       its operands
//   attribute_parser.cc     `, name=value` after the operands
//   callee_parser.cc        attributes that name computations and instructions
//   async_parser.cc         OP-start, OP-update, OP-done
//   opcode_checks.cc        what an opcode asks of its operands and attributes
//   opcode_shapes.cc        shapes that are made from parts of the written one
//   parser_recovery.cc      how to go on after a mistake
//
// Productions return false on error; the reader keeps the first. The loop over
// instructions reports it, remembers the instruction's name as poisoned, and goes on at the next
// line that looks like an instruction.

#ifndef TESSERA_HLO_PARSE_MODULE_PARSER_H_
#define TESSERA_HLO_PARSE_MODULE_PARSER_H_

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/parse/known/known_attributes.h"
#include "tessera/hlo/parse/known/known_heads.h"
#include "tessera/hlo/parse/known/known_shardings.h"
#include "tessera/hlo/parse/known/shape_cache.h"
#include "tessera/hlo/parse/reader.h"
#include "tessera/hlo/parse/scope.h"
#include "tessera/hlo/print/spelling_state.h"
#include "tessera/hlo/schema/opcode_attributes.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/source.h"

namespace tessera::hlo {

inline constexpr size_t kMaxNestedComputations = 100;

// Which word an async instruction was written with.
enum class AsyncStage : uint8_t { kNone, kStart, kUpdate, kDone };

// An instruction while it is being read.
struct ParsedInstruction {
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
  const char* attributes_at = nullptr;   // right after that ')'
  int64_t parameter_number = 0;
  absl::string_view literal;
  absl::InlinedVector<InstructionId, 8> operands;
  absl::InlinedVector<Attribute, 8> attributes;
  absl::InlinedVector<std::pair<AttributeName, ComputationId>, 4> called;
  absl::InlinedVector<InstructionId, 2> control_predecessors;
  AttributeNameSet seen;
  CanonicalFormTracker form;
  uint16_t attributes_alike = 0;

  bool Has(AttributeName name) const { return seen[static_cast<size_t>(name)]; }
};

// A name where it is defined.
struct InstructionName {
  absl::string_view text;
  const char* at = nullptr;  // of the text or the '%' in front of it
  uint64_t hash = 0;
  bool is_root = false;
};

// An instruction on the straight path, see straight_line.cc: up to the bracket after its operands,
// and then to its end.
struct StraightLine {
  const char* begin = nullptr;  // ROOT or name
  InstructionName name;
  const KnownHeads::Head* head = nullptr;
  const char* open = nullptr;
  const char* close = nullptr;
  uint32_t parameter_number = 0;
  uint32_t first_operand = 0;                   // in the pool; the last is the last there
  const KnownAttributes::List* list = nullptr;  // null: no attributes but metadata
  KnownAttributes::Guessed list_at;
  ComputationId callee = kNoId;  // that the list names
  absl::string_view metadata;    // its value; empty if there is none
  int64_t frame = 0;             // that it names
};

class ModuleParser {
 public:
  // Reads from `begin` on; nothing after `end` is looked at.
  ModuleParser(std::shared_ptr<const text::Source> source, size_t begin, size_t end,
               text::Diagnostics* diagnostics);

  // Reads every line by the full grammar. For tests: the result is the same.
  void LeaveOutStraightPath() { straight_ = false; }
  // Makes room for this many instructions.
  void Expect(size_t instructions) { module_.Reserve(instructions); }
  // One module. With `several`, a second `HloModule` ends it; otherwise that is a mistake.
  Module Parse(bool several);
  // The next token after the module.
  uint32_t offset() const { return in_.offset(); }
  bool AtEnd() const { return in_.AtEnd(); }
  bool AtNextModule() const { return in_.PeekWord("HloModule"); }

 private:
  // --- module_parser.cc ---
  void ParseComputations(bool several);
  void GiveBackRoom();
  bool ParseSingleInstruction();
  bool LooksLikeModule(bool several);
  bool ReadStackFrames();
  bool CheckAliases();
  bool CheckAsyncCallers();
  void CloseScope() { --depth_; }
  Scope& scope() { return *scopes_[depth_ - 1]; }
  InstructionId FindInstruction(absl::string_view name) {
    const NameIds& names = scope().names;
    return names.Find(name, names.HashOf(name),
                      [this](InstructionId id) { return module_.instructions_[id].name; });
  }

  // --- computation_parser.cc ---
  bool ReadNameOfComputation(absl::string_view* name);
  bool ParseComputation();
  bool ReadParameterList(Computation* c, ShapeId* result, const char** result_at);
  bool ReadBody(Computation* c);
  void ReadInstructions();
  bool CheckParameters(const Computation& c);
  bool ReadComputationAttributes(Computation* c);
  ComputationId AddComputation(Computation&& c, const Scope& scope);
  Scope& OpenScope();
  ComputationId FindComputation(absl::string_view name) const;

  // --- parser_recovery.cc ---
  void Report();
  uint32_t TextEnd();
  std::string EndText(uint32_t offset);
  bool BeginsComputation();
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
  bool FailAtName();
  bool ReadByGrammar();
  // After `name =`: shape, opcode, operands, attributes. Adds the instruction.
  bool ReadRightSide(ParsedInstruction& d, InstructionId* id);
  bool ReadHead(ParsedInstruction& d);
  bool ReadNewHead(ParsedInstruction& d);
  void AddKnownHead(absl::string_view text, const ParsedInstruction& d,
                    const CanonicalFormTracker& form);
  bool ReadAfterOperands(ParsedInstruction& d, InstructionId* id);
  bool ReadOpcode(ParsedInstruction& d);
  InstructionId AddDraft(ParsedInstruction& d);
  void AddParameter(uint32_t number, InstructionId id);
  bool Register(const InstructionName& name, InstructionId id);
  bool InferShape(InstructionId id, const ParsedInstruction& d);

  // --- straight_line.cc ---
  bool ReadStraightFront(StraightLine& line);
  bool ReadStraightOperands(StraightLine& line);
  bool ReadStraightParameter(StraightLine& line);
  bool ReadStraightAttributes(StraightLine& line);
  bool ReadStraightBack(StraightLine& line);
  bool FindStraightCallee(StraightLine& line);
  uint16_t AlikeOf(const StraightLine& line) const;
  bool AddStraight(const StraightLine& line, InstructionId* id);
  PoolRange AddStraightAttributes(const StraightLine& line);
  bool CheckStraight(const StraightLine& line, InstructionId id);
  bool ReadRestByGrammar(const StraightLine& line, InstructionId* id);

  // --- operand_parser.cc ---
  bool ReadOperands(ParsedInstruction& d);
  bool ReadOperandList(ParsedInstruction& d);
  bool ReadOperand(ParsedInstruction& d);
  bool ReadPlainReference(InstructionId* id);
  bool ReadReference(InstructionId* id);
  bool ReadNested(InstructionId* id);
  bool ReadElementPath(InstructionId* id);
  bool ReadUnnamedOperand(ShapeId shape, InstructionId* id);
  bool CheckOperandShape(ShapeId written, InstructionId id, const char* at);
  bool ReadParameterNumber(ParsedInstruction& d);
  int64_t MostAhead() const;
  bool ReadConstant(ParsedInstruction& d);
  bool CheckOperandCount(const ParsedInstruction& d);
  InstructionId AddElement(InstructionId tuple, int64_t index);
  InstructionId AddImplied(Instruction i, absl::Span<const InstructionId> operands);

  // --- attribute_parser.cc ---
  bool ReadAttributes(ParsedInstruction& d);
  bool ReadAttributeList(const KnownAttributes::Guessed& guess, ParsedInstruction& d);
  bool ReadAttributesUntil(const char* end, ParsedInstruction& d);
  void ReadPrintedMetadata(const char* comma, ParsedInstruction& d);
  bool ReadAttribute(ParsedInstruction& d);
  bool ReadValue(AttributeName name, AttributeSyntax syntax, ParsedInstruction& d);
  bool ReadStructuredValue(AttributeSyntax syntax);
  bool ReadWordValue(AttributeName name, bool list, Opcode opcode);
  bool ReadShapesValue(absl::string_view what);
  bool ReadSharding();
  bool ReadLiteralValue();
  bool IsAllowed(AttributeName name, const ParsedInstruction& d) const;
  bool CheckRequired(const ParsedInstruction& d);
  bool FailWithAttributes(const char* at, absl::string_view text, const ParsedInstruction& d);

  // --- callee_parser.cc ---
  bool ReadCallee(AttributeName name, ParsedInstruction& d);
  bool ReadCallees(AttributeName name, ParsedInstruction& d);
  bool ReadComputationName(ComputationId* id);
  bool ReadInlineComputation(ComputationId* id);
  bool ReadControlPredecessors(ParsedInstruction& d);

  // --- async_parser.cc ---
  bool ReadAsyncSugar(absl::string_view word, ParsedInstruction& d);
  void NoteWrappedStart(ParsedInstruction& d) const;
  void NoteWrappedDone(ParsedInstruction& d) const;
  bool AddAsyncSugar(ParsedInstruction& d, InstructionId* id);
  bool WrapOperation(ParsedInstruction& d, const layout::Shape& shape, ComputationId* wrapper);
  InstructionId AddAsyncParameter(const layout::Shape& shape, size_t number);
  bool BindLateOperands(InstructionId update);
  bool CheckAsync(InstructionId id, const ParsedInstruction& d);
  InstructionId AsyncStartOf(InstructionId id) const;

  // --- opcode_checks.cc ---
  using OpcodeCheck = bool (ModuleParser::*)(InstructionId id, const ParsedInstruction& d);
  static OpcodeCheck CheckOf(Opcode opcode);  // null: it needs none
  bool CheckOpcode(InstructionId id, const ParsedInstruction& d);
  struct OpcodeChecks;
  bool CheckConditionalIndex(const ParsedInstruction& d);
  bool CheckConditional(InstructionId id, const ParsedInstruction& d);
  bool CheckOneDimension(InstructionId id, const ParsedInstruction& d);
  bool CheckEvenOperands(InstructionId id, const ParsedInstruction& d);
  bool CheckOddOperands(InstructionId id, const ParsedInstruction& d);
  bool CheckDynamicSlice(InstructionId id, const ParsedInstruction& d);
  bool CheckDynamicReshape(InstructionId id, const ParsedInstruction& d);
  bool CheckReshape(InstructionId id, const ParsedInstruction& d);
  bool CheckCollectivePermute(InstructionId id, const ParsedInstruction& d);
  bool CheckGlobalIds(InstructionId id, const ParsedInstruction& d);
  bool CheckReduceScatter(InstructionId id, const ParsedInstruction& d);
  bool CheckCustomCall(InstructionId id, const ParsedInstruction& d);
  bool CheckBroadcast(InstructionId id, const ParsedInstruction& d);
  bool CheckTuple(InstructionId id, const ParsedInstruction& d);
  bool CheckTwoOperands(InstructionId id, const ParsedInstruction& d);
  bool CheckOneOperand(InstructionId id, const ParsedInstruction& d);
  bool CheckScan(InstructionId id, const ParsedInstruction& d);
  bool CheckPartitionId(InstructionId id, const ParsedInstruction& d);
  bool CheckReplication(InstructionId id, const ParsedInstruction& d);
  bool FixAfterAll(InstructionId id, const ParsedInstruction& d);
  bool FixAddDependency(InstructionId id, const ParsedInstruction& d);
  bool FixInfeed(InstructionId id, const ParsedInstruction& d);
  bool FixOutfeed(InstructionId id, const ParsedInstruction& d);
  bool FixSend(InstructionId id, const ParsedInstruction& d);
  bool FixRecv(InstructionId id, const ParsedInstruction& d);
  bool FixSendDone(InstructionId id, const ParsedInstruction& d);
  bool FixRecvDone(InstructionId id, const ParsedInstruction& d);
  bool CheckSameChannel(InstructionId id);

  std::shared_ptr<const text::Source> source_;
  Reader in_;
  text::Diagnostics* diagnostics_;
  Module module_;
  ShapeCache shapes_;
  KnownHeads known_heads_;
  KnownAttributes known_attributes_;
  ParsedInstruction checked_;  // what CheckOpcode gets from the straight path
  std::vector<std::unique_ptr<Scope>> scopes_;
  size_t depth_ = 0;
  int nesting_ = 0;  // of operands
  bool too_deep_ = false;
  NameIds computation_ids_;
  absl::flat_hash_set<absl::string_view> poisoned_computations_;
  const std::shared_ptr<KnownShardings> known_shardings_ = std::make_shared<KnownShardings>();
  const char* entry_at_ = nullptr;
  bool single_ = false;     // the text is one instruction
  bool straight_ = true;    // lines may take the straight path
  bool cascading_ = false;  // the mistake follows from one reported before
  bool had_errors_ = false;
  uint32_t text_end_ = 0;        // 0: not known yet
  bool cut_off_ = false;         // the last mistake is the end of the text
  absl::string_view body_name_;  // of the computation that is being read
  bool has_async_start_ = false;
  // The last values of a syntax, see ReadStructuredValue.
  struct RecentValues {
    std::array<absl::string_view, 4> texts;
    size_t count = 0;  // of all that were read
  };
  std::array<RecentValues, static_cast<size_t>(AttributeSyntax::kSparsity) + 1> recent_values_;
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PARSE_MODULE_PARSER_H_
