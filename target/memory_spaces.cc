#include "tessera/target/memory_spaces.h"

#include "absl/strings/str_cat.h"

namespace tessera::target {
namespace {

struct NamedSpace {
  int64_t space;
  const char* name;
};
constexpr NamedSpace kSpaces[] = {
    {kMainMemory, "HBM"}, {kVmem, "VMEM"}, {2, "SMEM"}, {kHost, "host"}};

}  // namespace

std::string MemorySpaceName(int64_t space) {
  for (const NamedSpace& named : kSpaces) {
    if (named.space == space) return named.name;
  }
  return absl::StrCat("memory space ", space);
}

}  // namespace tessera::target
