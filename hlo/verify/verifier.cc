// Six kinds of checks, each a table or a loop. They are the number and kinds of operands, what an
// instruction's shape must be, what its callees must look like, and whether its sharding fits. Then
// come that each asynchronous start is ended, and what holds of the whole module (entry layout,
// aliases, schedule, threads).
//
// The rules of one instruction look at its opcode, shapes, attributes and the signatures of its
// callees. Of instructions that are equal in all of these only the first is checked. A rule may
// trust what the rules before it have found: operands are of the right number and kind, shapes are
// valid.
//
// A result shape is compared with the inferred one without layouts, as XLA does outside of its
// layout-sensitive mode; float types may differ in precision. Opcodes whose shape does not follow
// from the operands have rows of their own in verifier_shapes.cc.

#include "tessera/hlo/verifier.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/call_limits.h"
#include "tessera/hlo/opcode.h"
#include "tessera/hlo/order.h"
#include "tessera/hlo/print/checked_forms.h"
#include "tessera/hlo/verify/inference_context.h"
#include "tessera/hlo/verify/verifier_rules.h"
#include "tessera/layout/shape_equal.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/validate.h"
#include "tessera/text/status_macros.h"

namespace tessera::hlo {

using layout::Shape;

namespace {

// The role of an opcode in the checks: bits.
enum OpcodeRole : uint8_t {
  kStartsPair = 1,
  kReducesAll = 2,
  kHasSharded = 4,  // its sharding and those in its computations have to agree
  kHasCalleeRules = 8,
  kHasRules = 16,
  kHasGroupRules = 32,
};
// Of checks that go over more than one instruction.
constexpr uint8_t kOfModule = kStartsPair | kReducesAll | kHasSharded;

uint8_t RolesOf(Opcode opcode) {
  const bool has_sharded = opcode == Opcode::kWhile || opcode == Opcode::kConditional;
  return static_cast<uint8_t>(
      (StartsPair(opcode) ? kStartsPair : 0) | (IsAllReduce(opcode) ? kReducesAll : 0) |
      (has_sharded ? kHasSharded : 0) | (HasCalleeRules(opcode) ? kHasCalleeRules : 0) |
      (HasInstructionRules(opcode) ? kHasRules : 0) | (HasGroupRules(opcode) ? kHasGroupRules : 0));
}

class Verifier {
 public:
  Verifier(const Module& module, const VerifierOptions& options)
      : module_(module),
        options_(options),
        checked_(module),
        valid_shapes_(module.num_shapes()),
        shardings_(module) {
    for (int i = 0; i < kNumOpcodes; ++i) roles_[i] = RolesOf(static_cast<Opcode>(i));
  }

  text::Diagnostics Run() {
    for (ComputationId c = 0; c < module_.num_computations(); ++c) {
      sites_.Begin();
      if (!module_.computation(c).removed) CheckComputation(c);
    }
    sites_.Begin();
    CheckModule(module_, sites_, all_reduces_, AsReporter());
    if (module_.entry_id() != kNoId) {
      CheckEntry();
      CheckAliases(module_, &found_);
    }
    CheckPartitions(module_, &found_);
    if (found_.ok()) CheckDepth();
    return std::move(found_);
  }

 private:
  Reporter AsReporter() {
    return [this](InstructionId id, const absl::Status& status) { Report(id, status); };
  }
  void Report(InstructionId id, const absl::Status& status) {
    if (!status.ok()) AddMistake(id, status);
  }
  void AddMistake(InstructionId id, const absl::Status& status) {
    const Instruction& i = module_.instruction(id);
    found_.Error(i.source.begin,
                 absl::StrCat(OpcodeName(i.opcode), " '", i.name, "': ", status.message()));
  }

  void CheckComputation(ComputationId c) {
    bool has_pairs = false;
    for (const InstructionId id : module_.computation(c).instructions) {
      const uint8_t kinds = KindsOf(module_.attributes(id));
      if (!checked_.Contains(id, kinds)) CheckNewForm(id, kinds);
      const Instruction& instruction = module_.instruction(id);
      if (instruction.called.size != 0) sites_.Add(id);
      if (const unsigned roles = kOfModule & roles_[static_cast<size_t>(instruction.opcode)]) {
        has_pairs |= (roles & kStartsPair) != 0;
        if (roles & kReducesAll) all_reduces_.push_back(id);
        if (roles & kHasSharded) Report(id, CheckShardings(module_, id, &shardings_));
      }
    }
    if (has_pairs) CheckAsyncPairs(module_, c, AsReporter());
  }

  void CheckNewForm(InstructionId id, uint8_t kinds) {
    const absl::Status status = CheckInstruction(id);
    const absl::Status fits = kinds & kShardingAttribute ? CheckSharding(id) : absl::OkStatus();
    if (status.ok() && fits.ok()) checked_.AddSought(id);
    Report(id, status);
    Report(id, fits);
  }

  absl::Status CheckInstruction(InstructionId id) {
    TESSERA_RETURN_IF_ERROR(ValidateShape(module_.shape_id(id)));
    TESSERA_RETURN_IF_ERROR(CheckOperands(module_, id));
    const uint8_t roles = roles_[static_cast<size_t>(module_.instruction(id).opcode)];
    if (roles & kHasCalleeRules) TESSERA_RETURN_IF_ERROR(CheckCallees(module_, id));
    TESSERA_RETURN_IF_ERROR(CheckResult(id));
    if (roles & kHasRules) TESSERA_RETURN_IF_ERROR(CheckInstructionRules(module_, id));
    if (roles & kHasGroupRules) TESSERA_RETURN_IF_ERROR(CheckCollective(module_, id, &groups_));
    return options_.strict_layouts ? CheckLayouts(module_, id) : absl::OkStatus();
  }

  absl::Status ValidateShape(ShapeId shape) {
    if (valid_shapes_[shape]) return absl::OkStatus();
    const absl::Status status = layout::Validate(module_.interned_shape(shape));
    valid_shapes_[shape] = status.ok();
    return status;
  }

  // Of loops and branches they are compared with those of their bodies, also where they have none.
  absl::Status CheckSharding(InstructionId id) {
    const Opcode opcode = module_.instruction(id).opcode;
    if (roles_[static_cast<size_t>(opcode)] & kHasSharded) return absl::OkStatus();
    return CheckShardingFits(module_, id, &shardings_);
  }

  absl::Status CheckResult(InstructionId id) {
    // The reader's shape of a broadcast is right for scalars only; verifier_shapes.cc knows.
    const Opcode opcode = module_.instruction(id).opcode;
    const Infer infer = InferenceOf(opcode);
    if (opcode == Opcode::kBroadcast || infer == nullptr) return absl::OkStatus();
    const InferenceContext context{module_, id, convolutions_};
    if (opcode == Opcode::kTuple && IsTupleOfOperands(context)) return absl::OkStatus();
    const ShapeOr shape = infer(context);
    if (!shape.ok()) return shape.status();
    const Shape& inferred = shape->get();
    if (layout::CompatibleIgnoringFloatPrecision(inferred, module_.shape(id))) {
      return absl::OkStatus();
    }
    if (IsContraction(opcode) &&
        layout::CompatibleIgnoringElementType(inferred, module_.shape(id))) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        absl::StrCat("the shape is ", layout::ShapeToString(module_.shape(id)), " but should be ",
                     layout::ShapeToString(inferred)));
  }

  // Costs and projections follow calls by recursion.
  void CheckDepth() {
    const absl::Status status = CheckNesting(module_, sites_);
    if (!status.ok()) found_.Error(text::ErrorOffset(status), std::string(status.message()));
  }

  void CheckEntry() {
    const Computation& entry = module_.entry();
    const auto& layout = module_.header().entry_layout;
    if (!layout.has_value()) return;
    const auto same = [&](ShapeId a, InstructionId id, absl::string_view what) {
      if (a == module_.shape_id(id)) return;
      const Shape& written = module_.interned_shape(a);
      // Tiles and memory spaces are not compared.
      if (options_.strict_layouts
              ? layout::Equal(written, module_.shape(id), layout::kMinorToMajorOnly)
              : layout::Compatible(written, module_.shape(id))) {
        return;
      }
      Report(id, absl::InvalidArgumentError(
                     absl::StrCat(what, " is ", layout::ShapeToString(module_.interned_shape(a)),
                                  " in entry_computation_layout")));
    };
    if (layout->parameters.size() != entry.parameters.size()) {
      found_.Error(
          module_.source().begin,
          absl::StrCat("entry_computation_layout has ", layout->parameters.size(),
                       " parameters, the entry '", entry.name, "' has ", entry.parameters.size(),
                       absl::StrContains(module_.source_text(), "ENTRY")
                           ? ""
                           : "; no computation is marked ENTRY: is the file cut off?"));
      return;
    }
    for (size_t i = 0; i < entry.parameters.size(); ++i) {
      same(layout->parameters[i], entry.parameters[i], "the parameter");
    }
    same(layout->result, entry.root, "the result");
  }

  const Module& module_;
  const VerifierOptions& options_;
  CheckedForms checked_;
  CallSites sites_;
  uint8_t roles_[kNumOpcodes];
  std::vector<InstructionId> all_reduces_;
  std::vector<bool> valid_shapes_;  // by ShapeId
  ConvolutionValues convolutions_;
  GroupSizes groups_;
  Shardings shardings_;
  text::Diagnostics found_;
};

}  // namespace

text::Diagnostics VerifyModule(const Module& module, const VerifierOptions& options) {
  return Verifier(module, options).Run();
}

}  // namespace tessera::hlo
