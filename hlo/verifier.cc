// Six kinds of checks, each a table or a loop: what holds of the whole module (names, entry
// layout, schedule), what an instruction's shape must be, what its callees must look like, whether
// its sharding fits, and that each asynchronous start is ended.
//
// A result shape is compared with the inferred one without layouts, as XLA does outside of its
// layout-sensitive mode; float types may differ in precision. Opcodes whose shape does not follow
// from the operands have rows of their own in verifier_shapes.cc.

#include "tessera/hlo/verifier.h"

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/shape_inference.h"
#include "tessera/hlo/verifier_rules.h"
#include "tessera/layout/shape_equal.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/validate.h"

namespace tessera::hlo {

using layout::Shape;

namespace {

class Verifier {
 public:
  Verifier(const Module& module, const VerifierOptions& options)
      : module_(module), options_(options) {}

  text::Diagnostics Run() {
    for (ComputationId c = 0; c < module_.num_computations(); ++c) {
      if (!module_.computation(c).removed) CheckComputation(c);
    }
    CheckModule(module_, AsReporter());
    if (module_.entry_id() != kNoId) CheckEntry();
    return std::move(found_);
  }

 private:
  Reporter AsReporter() {
    return [this](InstructionId id, const absl::Status& status) { Report(id, status); };
  }
  void Report(InstructionId id, const absl::Status& status) {
    if (status.ok()) return;
    const Instruction& i = module_.instruction(id);
    found_.Error(i.source.begin,
                 absl::StrCat(OpcodeName(i.opcode), " '", i.name, "': ", status.message()));
  }

  void CheckComputation(ComputationId c) {
    for (InstructionId id : module_.computation(c).instructions) {
      Report(id, layout::Validate(module_.shape(id)));
      Report(id, CheckResult(id));
      Report(id, CheckInstructionRules(module_, id));
      Report(id, CheckCallees(module_, id));
      Report(id, CheckShardings(module_, id));
      if (options_.strict_layouts) Report(id, CheckLayouts(module_, id));
    }
    CheckAsyncPairs(module_, c, AsReporter());
  }

  absl::Status CheckResult(InstructionId id) {
    // What the reader infers for a broadcast is right for scalars only; verifier_shapes.cc knows.
    if (module_.instruction(id).opcode == Opcode::kBroadcast) return absl::OkStatus();
    const auto inferred = InferResultShape(module_, id);
    if (absl::IsUnimplemented(inferred.status())) return absl::OkStatus();
    if (!inferred.ok()) return inferred.status();
    if (layout::CompatibleIgnoringFloatPrecision(*inferred, module_.shape(id))) {
      return absl::OkStatus();
    }
    // dot and convolution may give another type than their operands have.
    const Opcode opcode = module_.instruction(id).opcode;
    const bool own_type = opcode == Opcode::kDot || opcode == Opcode::kConvolution ||
                          opcode == Opcode::kRaggedDot || opcode == Opcode::kScaledDot;
    if (own_type && layout::CompatibleIgnoringElementType(*inferred, module_.shape(id))) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        absl::StrCat("the shape is ", layout::ShapeToString(module_.shape(id)), " but should be ",
                     layout::ShapeToString(*inferred)));
  }

  void CheckEntry() {
    const Computation& entry = module_.entry();
    const auto& layout = module_.header().entry_layout;
    if (!layout.has_value()) return;
    const auto same = [&](ShapeId a, InstructionId id, absl::string_view what) {
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
      found_.Error(module_.source().begin,
                   absl::StrCat("entry_computation_layout has ", layout->parameters.size(),
                                " parameters, the entry ", entry.parameters.size()));
      return;
    }
    for (size_t i = 0; i < entry.parameters.size(); ++i) {
      same(layout->parameters[i], entry.parameters[i], "the parameter");
    }
    same(layout->result, entry.root, "the result");
  }

  const Module& module_;
  const VerifierOptions& options_;
  text::Diagnostics found_;
};

}  // namespace

text::Diagnostics VerifyModule(const Module& module, const VerifierOptions& options) {
  return Verifier(module, options).Run();
}

}  // namespace tessera::hlo
