// Brings a program into the form of HLO; see hlo_form.h. Internal to the package.
//
// A frame is one computation that is being lowered: where new ops go, what values of outside became
// in it, and the axes that the shard_maps around it are manual on. Ops are met in their order, so
// what an op reads has its form already. An op that is an instruction as it stands stays; the
// others are made anew in front of the old op, which then goes (Rebuild). A value that has its form
// has its HLO sharding in its slot.
//
// The families of ops are in files of their own: in regions/ loops.cc, branches.cc, calls.cc (and
// barriers), manual.cc (shard_maps); unreduced.cc, feeds.cc, parts.cc (constants and parts of
// instructions), ordinary.cc (all others). nodes.cc makes single ops, sharding_texts.cc their
// shardings.

#ifndef TESSERA_SHARDING_PASSES_EMIT_LOWERING_H_
#define TESSERA_SHARDING_PASSES_EMIT_LOWERING_H_

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "tessera/hlo/side_effects.h"
#include "tessera/sharding/passes/emit/hlo_form.h"
#include "tessera/sharding/passes/program/hlo_program.h"
#include "tessera/sharding/passes/program/sharding_access.h"

namespace tessera::sharding::passes {

// The manual axes of the shard_maps around an instruction.
struct ManualContext {
  MeshId mesh = kNoMesh;
  std::vector<int> axes;  // outermost first

  friend bool operator<(const ManualContext& a, const ManualContext& b) {
    return std::tie(a.mesh, a.axes) < std::tie(b.mesh, b.axes);
  }
};

struct Frame {
  int computation = 0;
  ManualContext manual;
  InsertPoint at;  // of what is made now
  // Of a region: the elements of its parameter that hold values of outside which it captures. All
  // other values that a frame reads were made in it.
  absl::flat_hash_map<const Value*, Value*> captured;
};

// An instruction that is made.
struct NewNode {
  hlo::Opcode opcode = hlo::Opcode::kTuple;
  HloRole role = HloRole::kPacking;
  const layout::Shape* shape = nullptr;
  HloShardingId sharding = kNoHloSharding;
  hlo::InstructionId source = hlo::kNoId;
};

class Lowering {
 public:
  Lowering(HloProgram& program, const LoweringOptions& options)
      : program_(program), options_(options) {}

  HloForm Run();

 private:
  friend class ConversionBody;
  using Values = std::vector<Value*>;

  // --- computations
  int NewComputation(std::string name, Block* block);
  HloComputation& At(int computation) {
    return form_.computations[static_cast<size_t>(computation)];
  }
  int FunctionComputation(Function* function);
  // A copy of a computation that is no region of the program: a reducer, a fusion body.
  int VerbatimComputation(const Frame& frame, hlo::ComputationId source);
  void LowerEntryParameters(Frame& frame, Function* function);
  // The ops of the block from `first` on.
  void LowerOps(Frame& frame, Op* first);
  void LowerOp(Frame& frame, Op* op);
  // Says where the leaves of the source's parameters went, for blocks whose arguments they are.
  std::vector<LeafMap> ParameterLeaves(const Block* block);
  // Makes the root from the operands of the return; `wanted` are the required result shardings.
  void LowerReturn(Frame& frame, Block* block, const std::vector<HloShardingId>& wanted,
                   absl::Span<Value* const> more = {});
  void LayOutResults(const Frame& frame, const Block* block,
                     const std::vector<HloShardingId>& wanted, Values* results);
  // The result, as an element of a tuple if it has to show another sharding than its own.
  Value* Shown(const Frame& frame, Value* result, const std::vector<HloShardingId>& wanted);
  void CloseComputation(int computation);
  bool HasEffect(absl::Span<const int> called);
  // Of a computation that is closed.
  const Value* RootOf(int computation) { return At(computation).block->terminator()->operand(0); }

  // --- ops
  Value* Add(const Frame& frame, const NewNode& node, absl::Span<Value* const> operands);
  HloInfo& InfoOf(Value* value);
  // The form of an op that has no effect.
  static void Set(Value* value, hlo::Opcode opcode, HloRole role, HloShardingId sharding);
  // An argument of the block.
  Value* AddParameter(Block* block, const layout::Shape* shape, HloShardingId sharding);
  Value* AddTuple(const Frame& frame, absl::Span<Value* const> elements, HloShardingId sharding);
  Value* AddElement(const Frame& frame, Value* tuple, int64_t index, HloShardingId sharding);
  Value* AddCopy(const Frame& frame, Value* of, HloShardingId sharding, HloRole role,
                 hlo::InstructionId source);
  Value* AddConstant(const Frame& frame, NewNode node, std::string literal);
  // The value itself for one element, else a tuple of all.
  Value* Pack(const Frame& frame, absl::Span<Value* const> elements,
              const std::vector<HloShardingId>& shardings);
  // An op like `op` with one result, which takes over its blocks.
  Value* Rebuild(const Frame& frame, Op* op, hlo::Opcode opcode, absl::Span<Value* const> operands,
                 const layout::Shape* shape, HloShardingId sharding);
  // The values of the results of `op` after it became `made`: `made` itself, or its elements.
  Values ResultsOf(const Frame& frame, const Op* op, Value* made,
                   const std::vector<HloShardingId>& shardings);
  // As the frame sees it.
  static Value* Here(const Frame& frame, Value* value) {
    if (frame.captured.empty()) return value;
    const auto it = frame.captured.find(value);
    return it == frame.captured.end() ? value : it->second;
  }
  // Maps the operands of the op to the values of the frame.
  static void SeeOperands(const Frame& frame, Op* op);
  static Values OperandsOf(const Op* op);

  // --- kinds of ops
  void LowerOrdinary(Frame& frame, Op* op);
  void LowerToTuple(Frame& frame, Op* op);
  bool IsPure(const Op* op);
  void Finish(const Frame& frame, Value* value, bool pure);
  HloShardingId GivenText(hlo::InstructionId source);
  void LowerInfeed(Frame& frame, Op* op);
  void LayOutFed();
  void LowerOutfeed(Frame& frame, Op* op);
  bool TakesTuples(const Op* op) const;
  Values PackedOperands(const Frame& frame, const Op* op);
  bool ReturnsTuple(const Op* op) const;
  void LayOut(Value* value);
  void LowerConstant(const Frame& frame, Op* op);
  // `text`: the text between the brackets of the constant.
  void LowerSplat(const Frame& frame, Op* op, HloRole role, absl::string_view text);
  void LowerPart(const Frame& frame, Op* op);
  void LowerReshard(const Frame& frame, Op* op);
  void LowerWhile(Frame& frame, Op* op);
  struct LoopState;
  LoopState StateOf(const Frame& frame, const Op* op);
  int LoopRegion(const Frame& frame, Block* block, const LoopState& state);
  void SetLoopLeaves(HloComputation& region, const Op* op, const LoopState& state);
  // An element of a region's parameter, with its sharding inside.
  struct Element {
    const layout::Shape* shape;
    HloShardingId sharding;
  };
  // Replaces the block's arguments by one parameter: a tuple of `elements`, or the only element
  // itself. Returns the values of the elements.
  Values UnpackParameter(const Frame& inner, Block* block, const std::vector<Element>& elements,
                         HloShardingId sharding, bool packed);
  void LowerConditional(Frame& frame, Op* op);
  // Appends the operands of the branch to `operands`; returns its computation.
  int LowerBranch(const Frame& frame, const Op* op, size_t branch,
                  const std::vector<HloShardingId>& results, Values* operands);
  int BranchRegion(const Frame& frame, Block* block, const Values& captured,
                   const std::vector<HloShardingId>& results);
  void LowerCall(Frame& frame, Op* op);
  void LowerOptBarrier(Frame& frame, Op* op);
  void LowerManual(Frame& frame, Op* op);
  int ManualBody(Op* op, const ManualContext& inside);
  // Which parameter of the body in the module an argument is: unused ones are gone.
  int64_t OriginalNumber(const Value* arg);
  Value* IntoManual(const Frame& frame, Value* operand, const Value* arg,
                    const ManualContext& inside);
  // Of the results of a manual computation, as its body sees them.
  std::vector<HloShardingId> InnerShardings(const Op* op, const ManualContext& inside);
  void OutOfManual(const Frame& frame, const Op* op, hlo::InstructionId source,
                   const std::vector<HloShardingId>& inner, Values* results);
  static bool HasBorderShardings(const Op* op);
  // Replaces `op` by its body, not yet lowered. Returns the next op.
  Op* InlineManual(Op* op);
  // A custom call of `target` between global and local shapes.
  Value* AddBoundary(const Frame& frame, const char* target, HloRole role,
                     hlo::InstructionId source, Value* operand, const layout::Shape* shape,
                     HloShardingId sharding);
  void NoteConversions();
  void LowerConversion(Frame& frame, Op* op);
  // Manual on all axes of the mesh.
  ManualContext AllManual(const Frame& frame, MeshId mesh) const;
  struct Conversion;
  Value* WriteConversion(Frame& frame, const Conversion& change);
  // The operand of a change, padded if necessary; `sharding`: the sharding of the padding.
  Value* AddPadding(Frame& frame, const Conversion& change, HloShardingId sharding);
  Value* AddConverted(Frame& frame, const Conversion& change, Value* end, HloShardingId sharding);
  int ConversionComputation(const Conversion& change);
  int AddCombiner(const Frame& frame, hlo::Opcode opcode, layout::ElementType type);
  int64_t NextChannel();

  // --- shardings
  HloShardingId Text(const Frame& frame, ShardingId id, int rank) {
    return Text(frame.manual, id, rank);
  }
  HloShardingId Text(const Frame& frame, const Value* value) {
    return Text(frame.manual, value, value->sharding());
  }
  // The sharding of `value` inside of the shard_maps if it has `id` there.
  HloShardingId Text(const ManualContext& manual, const Value* value, ShardingId id);
  HloShardingId Text(const ManualContext& manual, ShardingId id, int rank) {
    return manual.axes.empty() ? PlainText(id) : ManualText(manual, id, rank);
  }
  HloShardingId PlainText(ShardingId id);  // outside of shard_maps
  HloShardingId ManualText(const ManualContext& manual, ShardingId id, int rank);
  HloSharding ToHlo(const ManualContext& manual, const TensorSharding& s) const;
  // {replicated}, in named form with the empty mesh.
  HloShardingId WithoutAxes();
  // Of all results, missing ones WithoutAxes().
  std::vector<HloShardingId> ControlShardings(const Frame& frame, const Op* op);
  std::vector<HloShardingId> ResultTexts(const Frame& frame, const Op* op);
  HloShardingId OneOrTuple(const std::vector<HloShardingId>& shardings, bool tuple);

  // The shape itself, or one that is laid out row-major.
  const layout::Shape* RowMajor(const layout::Shape* shape);
  // Of these elements; one that is there already if the last with as many is equal.
  const layout::Shape* KeepTuple(std::vector<layout::Shape> elements);

  HloProgram& program_;
  const LoweringOptions options_;
  HloForm form_;
  // By change of unreduced axes, of its operand.
  absl::flat_hash_map<const Op*, ShardingId> sharding_read_;
  absl::flat_hash_map<const Function*, int> functions_;
  // The copies inside of these shard_maps, by computation of the module; -1: not made.
  std::map<ManualContext, std::vector<int>> verbatim_;
  // Of shardings outside of shard_maps, by id; and inside.
  std::vector<HloShardingId> plain_texts_;
  std::map<std::tuple<ManualContext, ShardingId, int>, HloShardingId> texts_;
  // Elements of infeeds, and the shapes that they have in the end.
  std::vector<std::pair<Value*, const layout::Shape*>> fed_;
  // By number of elements, the tuple that was kept last. That of a large loop is made six times.
  absl::flat_hash_map<size_t, const layout::Shape*> last_tuples_;
  hlo::SideEffects effects_{program_.module()};
  int64_t next_channel_ = 0;  // the last one in use; 0: not looked for yet
};

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_EMIT_LOWERING_H_
