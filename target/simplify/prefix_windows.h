// Windows that take in all elements up to each one, as cumsum and its like make them.
//
//   reduce-window(x: f32[16,512]), window={size=1x512 pad=0_0x511_0}
//       // PrefixOf: along dimension 1, not from the end

#ifndef TESSERA_TARGET_SIMPLIFY_PREFIX_WINDOWS_H_
#define TESSERA_TARGET_SIMPLIFY_PREFIX_WINDOWS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "tessera/layout/shape.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

struct Prefix {
  int64_t dimension = 0;
  bool is_from_end = false;  // each element and all after it
};

// Nothing for other windows, and for those of several arrays.
std::optional<Prefix> PrefixOf(const DeviceProgram& program, InstructionId window);

// Windows of `size` along one dimension, with so many elements in front of it and after it.
struct WindowAlong {
  int64_t size = 0, in_front = 0, after = 0;
};
// The attribute: {size=1x16 pad=0_0x15_0} of rank 2 along dimension 1.
std::string WindowText(int64_t rank, int64_t dimension, const WindowAlong& along);
// Along the last dimension of x; they add up as those of `like` do.
InstructionId WindowsOfLast(DeviceProgram& program, InstructionId like, InstructionId x,
                            const WindowAlong& along);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SIMPLIFY_PREFIX_WINDOWS_H_
