// Any bytes as binary HLO. What is taken for a module must be text that can be parsed or refused;
// what parses must go to binary and back and print as before.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/printer.h"
#include "tessera/hlo/proto.h"

namespace tessera::hlo {
namespace {

void Check(absl::string_view bytes) {
  LooksLikeProto(bytes);
  const auto text = ProtoToText(bytes);
  if (!text.ok()) return;
  const auto module = ParseModule(*text);
  if (!module.ok()) return;
  const auto again = ModuleToProto(*module);
  if (!again.ok()) return;
  const auto second = ProtoToText(*again);
  const absl::StatusOr<Module> back = second.ok() ? ParseModule(*second) : second.status();
  const PrintOptions options = PrintOptions::ShortParsable();
  if (back.ok() && PrintModule(*back, options) == PrintModule(*module, options)) return;
  std::fprintf(stderr, "%s\nthrough binary:\n%s\n%s\n", text->c_str(),
               second.ok() ? second->c_str() : "", back.status().ToString().c_str());
  std::abort();
}

}  // namespace
}  // namespace tessera::hlo

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tessera::hlo::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
