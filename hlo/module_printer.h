// File: module_printer.h
//
// The printer of one module; see printer.h for what callers use.

#ifndef TESSERA_HLO_MODULE_PRINTER_H_
#define TESSERA_HLO_MODULE_PRINTER_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/loaded_names.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/print_options.h"

namespace tessera::hlo {

class ModulePrinter {
 public:
  ModulePrinter(const Module& module, const PrintOptions& options);

  std::string Print();
  std::string PrintOne(InstructionId id);

 private:
  // --- module_printer.cc ---
  void Header();
  void Aliases();
  void Donors();
  void EntryLayout();
  void BoolList(absl::string_view name, const std::vector<bool>& values);
  void ComputationText(ComputationId id);
  void ProgramShape(const Computation& c);
  void Instructions(ComputationId id, int indent);
  std::vector<InstructionId> PrintOrder(ComputationId id) const;
  // Hidden: printed as the short form of the async start that calls it.
  void FindSpecialComputations();

  // --- instruction_printer.cc ---
  void InstructionText(InstructionId id, int indent);
  std::string NameOf(InstructionId id);
  void Operands(InstructionId id);
  void Constant(InstructionId id);
  void Attributes(InstructionId id, int indent);
  // The opcode's own attributes and called computations.
  void OwnAttributes(InstructionId id, int indent);
  void Async(InstructionId id, int indent);
  void Called(InstructionId id, int indent);
  void CalledList(absl::string_view name, absl::Span<const ComputationId> ids, int indent);
  void CalledOne(absl::string_view name, ComputationId id, int indent);
  void Body(ComputationId id, int indent);
  void Common(InstructionId id);
  void Add(const std::optional<std::string>& attribute);
  void AddNamed(InstructionId id, AttributeName name);
  std::string OpcodeText(InstructionId id) const;
  // The wrapped operation of an async instruction that is printed in its short form.
  InstructionId SugarOf(InstructionId id) const;
  bool CanBeSugar(ComputationId id) const;

  const Module& module_;
  const PrintOptions& options_;
  LoadedNames names_;
  LoadedFrames frames_;
  std::vector<bool> hidden_, fusion_body_;  // by ComputationId
  std::string out_;
  absl::flat_hash_map<InstructionId, int> canonical_;  // tmp_k of the body being printed
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_MODULE_PRINTER_H_
