// Small modules on the mesh a=2, b=2, c=4, as text.
//
//   ModuleText(absl::StrCat("  %x = f32[8] parameter(0), ", Said("{'a', ?}"),
//                           "\n  ROOT %y = f32[8] sine(%x)\n"))

#ifndef TESSERA_TESTING_EXPLAIN_MODULE_TEXT_H_
#define TESSERA_TESTING_EXPLAIN_MODULE_TEXT_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace tessera::sharding::explain {

// The lines of the entry.
inline std::string ModuleText(const std::string& entry) {
  return absl::StrCat(
      "HloModule m, frontend_attributes={xla.sdy.meshes=\"{mesh = #sdy.mesh<[\\\"a\\\"=2, "
      "\\\"b\\\"=2, \\\"c\\\"=4]>}\"}\n\nENTRY %main {\n",
      entry, "}\n");
}

// A frontend attribute: the sharding of a parameter. Axes in single quotes.
inline std::string Said(const std::string& dims) {
  return absl::StrCat("frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, [",
                      absl::StrReplaceAll(dims, {{"'", "\\\""}}), "]>\"}");
}

// The same of an instruction, which may have several results.
inline std::string SaidOfResult(const std::string& dims) {
  return absl::StrCat("frontend_attributes={xla.sdy.sharding=\"#sdy.sharding_per_value<[<@mesh, [",
                      absl::StrReplaceAll(dims, {{"'", "\\\""}}), "]>]>\"}");
}

}  // namespace tessera::sharding::explain

#endif  // TESSERA_TESTING_EXPLAIN_MODULE_TEXT_H_
