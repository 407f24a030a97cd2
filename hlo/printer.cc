#include "tessera/hlo/printer.h"

#include "tessera/hlo/module_printer.h"

namespace tessera::hlo {

std::string PrintModule(const Module& module, const PrintOptions& options) {
  return ModulePrinter(module, options).Print();
}

std::string PrintInstruction(const Module& module, InstructionId id, const PrintOptions& options) {
  return ModulePrinter(module, options).PrintOne(id);
}

}  // namespace tessera::hlo
