#include "tessera/hlo/printer.h"

#include "tessera/hlo/print/module_printer.h"

namespace tessera::hlo {

std::string PrintModule(const Module& module, const PrintOptions& options) {
  return ModulePrinter(module, options).Print();
}

void PrintModuleTo(const Module& module, const PrintOptions& options,
                   absl::FunctionRef<void(absl::string_view piece)> write) {
  ModulePrinter(module, options).PrintTo(write);
}

absl::StatusOr<std::string> PrintModuleWithin(const Module& module, const PrintOptions& options,
                                              size_t most_bytes) {
  ModulePrinter printer(module, options, most_bytes);
  std::string text = printer.Print();
  if (printer.status().ok()) return text;
  return printer.status();
}

std::string PrintInstruction(const Module& module, InstructionId id, const PrintOptions& options) {
  return ModulePrinter(module, options).PrintOne(id);
}

}  // namespace tessera::hlo
