// Windows that take in all elements up to each one, as cumsum and its like make them.
//
//   reduce-window(x: f32[16,512]), window={size=1x512 pad=0_0x511_0}
//       // PrefixOf: along dimension 1, not from the end

#ifndef TESSERA_TARGET_SIMPLIFY_PREFIX_WINDOWS_H_
#define TESSERA_TARGET_SIMPLIFY_PREFIX_WINDOWS_H_

#include <cstdint>
#include <optional>

#include "tessera/layout/shape.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

struct Prefix {
  int64_t dimension = 0;
  bool is_from_end = false;  // each element and all behind it
};

// Nothing for other windows, and for those of several arrays.
std::optional<Prefix> PrefixOf(const DeviceProgram& program, InstructionId window);

// Windows of `size` along the last dimension of x, with so many elements in front of it and behind
// it; they add up as those of `like` do.
struct LastWindow {
  int64_t size = 0, in_front = 0, behind = 0;
};
InstructionId WindowsOfLast(DeviceProgram& program, InstructionId like, InstructionId x,
                            const LastWindow& last);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SIMPLIFY_PREFIX_WINDOWS_H_
