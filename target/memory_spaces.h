// The memories of a device by the numbers of a layout: S(1) is VMEM.

#ifndef TESSERA_TARGET_MEMORY_SPACES_H_
#define TESSERA_TARGET_MEMORY_SPACES_H_

#include <cstdint>
#include <string>

namespace tessera::target {

constexpr int64_t kMainMemory = 0, kVmem = 1, kHost = 5;

// "HBM", "VMEM", "SMEM", "host"; "memory space 6" for one that is not known.
std::string MemorySpaceName(int64_t space);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_MEMORY_SPACES_H_
