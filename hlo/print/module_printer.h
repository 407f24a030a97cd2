// The printer of one module; see printer.h for what callers use.

#ifndef TESSERA_HLO_PRINT_MODULE_PRINTER_H_
#define TESSERA_HLO_PRINT_MODULE_PRINTER_H_

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/order.h"
#include "tessera/hlo/print/attribute_texts.h"
#include "tessera/hlo/print/shape_texts.h"
#include "tessera/hlo/print/source_reuse.h"
#include "tessera/hlo/print/uniquified_names.h"
#include "tessera/hlo/print_options.h"

namespace tessera::hlo {

class ModulePrinter {
 public:
  ModulePrinter(const Module& module, const PrintOptions& options,
                size_t most_bytes = std::numeric_limits<size_t>::max());

  // Cut off where status() says.
  std::string Print();
  using Write = absl::FunctionRef<void(absl::string_view piece)>;
  void PrintTo(Write write);
  const absl::Status& status() const { return status_; }
  std::string PrintOne(InstructionId id);

 private:
  // --- header_printer.cc ---
  void Header();
  void Aliases();
  void Donors();
  void IndexText(const std::vector<int64_t>& index);
  void EntryLayout();
  void BoolList(absl::string_view name, const std::vector<bool>& values);
  void RecoveryTable();

  // --- module_printer.cc ---
  void WholeText();
  void HandOver();
  void ComputationText(ComputationId id);
  // After the closing brace.
  void ComputationAttributes(const Computation& c);
  void BackendConfig(const std::string& config);
  void ProgramShape(const Computation& c);
  void Instructions(ComputationId id, int indent);
  // Adds the instruction to the pending run of copies; false if it must be formatted.
  bool TryExtendCopyRun(InstructionId id);
  void FinishRun();
  std::vector<InstructionId> PrintOrder(ComputationId id);
  // Hidden: printed as the short form of the async start that calls it.
  size_t LikelyBytes() const;
  void FindSpecialComputations();

  // --- instruction_printer.cc ---
  void InstructionText(InstructionId id, int indent);
  void Name(InstructionId id);
  // Texts of shapes are made once for each distinct shape.
  void ShapeText(ShapeId id) { Append(shape_texts_.Of(id)); }
  void PlainShapeText(ShapeId id) { Append(plain_shape_texts_.Of(id)); }
  void Append(absl::string_view text) { out_.append(text.data(), text.size()); }
  // Whether it is named by what it is an element of.
  bool IsCompact(InstructionId id) const {
    return options_.compact_get_tuple_elements &&
           module_.instruction(id).opcode == Opcode::kGetTupleElement;
  }
  void OperandName(InstructionId id);
  void Operands(InstructionId id);
  void Constant(InstructionId id);
  void Attributes(InstructionId id, int indent);
  // The opcode's own attributes and called computations.
  void OpcodeAttributes(InstructionId id, int indent);
  void Async(InstructionId id, int indent);
  void Called(InstructionId id, int indent);
  void CalledList(absl::string_view name, absl::Span<const ComputationId> ids, int indent);
  void CalledOne(absl::string_view name, ComputationId id, int indent);
  void Body(ComputationId id, int indent);
  // True once the text is too long or too deep: nothing more is printed then.
  bool IsOver(InstructionId id);
  void Common(InstructionId id);
  void Add(const std::optional<std::string>& attribute);
  void AddNamed(InstructionId id, AttributeName name);
  // The common attributes but metadata that the instruction has none of cost one look.
  bool HasCommonAttribute(InstructionId id) const;
  void AddMetadata(InstructionId id);
  void OpcodeText(InstructionId id);
  // The wrapped operation of an async instruction that is printed in its short form.
  InstructionId SugarOf(InstructionId id) const;
  bool CanBeSugar(ComputationId id) const;

  const Module& module_;
  const PrintOptions& options_;
  UniquifiedNames names_;
  LoadedFrames frames_;
  std::vector<bool> hidden_, fusion_body_;  // by ComputationId
  ShapeTexts shape_texts_, plain_shape_texts_;
  AttributeTexts attribute_texts_;
  SourceReuse source_form_;
  const CallSites call_sites_;
  PostOrderWalk post_order_;
  const bool may_copy_;
  absl::string_view run_;  // of the source: instructions not yet copied to out_
  std::string out_;
  const Write* write_ = nullptr;  // who gets out_ piece by piece; null: it is the whole text
  const size_t most_bytes_;
  int depth_ = 0;  // bodies around the instruction that is printed
  absl::Status status_;
  absl::flat_hash_map<InstructionId, int> canonical_;  // tmp_k of the body being printed
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PRINT_MODULE_PRINTER_H_
