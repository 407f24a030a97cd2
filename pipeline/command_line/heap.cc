// A heap that is touched for the first time costs a page fault for every 4 KiB: 10,500 for a module
// of 5.5 MB, a third of the process's time. So the heap begins with address space for most modules,
// for which huge pages are asked; and it keeps what is freed. Memory is taken as it is touched, 2
// MB at a time.
//
//   without: 10,700 faults, 105 ms of CPU       with: 970, 73 ms
//
// Cost: two system calls. Seen in docs/speed.md; no output depends on it.

#include "tessera/pipeline/command_line/heap.h"

#include <cstdlib>  // says which C library it is

#if defined(__linux__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace tessera::pipeline {
namespace {

constexpr size_t kReserved = size_t{256} << 20;
constexpr uintptr_t kHugePage = uintptr_t{2} << 20;
// Larger blocks are mapped on their own: as much as the C library allows.
constexpr int kOwnMapping = 32 << 20;
constexpr int kGrowth = 1 << 20;  // behind what is reserved

}  // namespace

void PrepareHeap() {
  mallopt(M_TRIM_THRESHOLD, -1);  // never
  mallopt(M_MMAP_THRESHOLD, kOwnMapping);
  mallopt(M_TOP_PAD, static_cast<int>(kReserved));
  void* const block = std::malloc(kGrowth);  // more than is left: the heap grows
  mallopt(M_TOP_PAD, kGrowth);
  const uintptr_t begin = reinterpret_cast<uintptr_t>(block) & ~(kHugePage - 1);
  const uintptr_t end = reinterpret_cast<uintptr_t>(sbrk(0)) & ~(kHugePage - 1);
  std::free(block);
  const bool has_grown = block != nullptr && begin < end && end - begin <= 2 * kReserved;
  if (has_grown) {
    const uintptr_t first = begin + kHugePage;
    madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
  }
}

}  // namespace tessera::pipeline

#else

namespace tessera::pipeline {

void PrepareHeap() {}

}  // namespace tessera::pipeline

#endif
