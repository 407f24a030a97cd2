// Functions on a program as passes. Internal to the package.
//
//   {"sdy-close-shardings", kExport, "sdy-close-shardings", "..", OnProgram(CloseShardings)}

#ifndef TESSERA_SHARDING_PASSES_PROGRAM_PASSES_H_
#define TESSERA_SHARDING_PASSES_PROGRAM_PASSES_H_

#include <functional>

#include "absl/status/status.h"
#include "tessera/sharding/passes/context.h"

namespace tessera::sharding::passes {

using RunFunction = std::function<absl::Status(Context&)>;

inline RunFunction OnProgram(void (*change)(HloProgram*)) {
  return [change](Context& c) {
    change(c.program.get());
    return absl::OkStatus();
  };
}

inline RunFunction OnProgram(void (*change)(HloProgram&)) {
  return [change](Context& c) {
    change(*c.program);
    return absl::OkStatus();
  };
}

inline RunFunction OnProgram(absl::Status (*change)(HloProgram*)) {
  return [change](Context& c) { return change(c.program.get()); };
}

inline RunFunction OnProgram(absl::Status (*change)(HloProgram&)) {
  return [change](Context& c) { return change(*c.program); };
}

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_PROGRAM_PASSES_H_
