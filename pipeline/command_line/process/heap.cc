// A heap that is touched for the first time costs a page fault for every 4 KiB: 10,500 for a module
// of 5.5 MB, a third of the process's time. So the heap begins with address space for most modules,
// for which huge pages are asked; and it keeps what is freed. Memory is taken as it is touched, 2
// MB at a time.
//
//   without: 10,700 faults, 105 ms of CPU       with: 970, 73 ms
//
// Of the last huge page a part stays unused: for a small text as much as the text itself. Where the
// heap of such a text is likely to end it has ordinary pages.
//
//   text of 0.5 MB        | 2 MB: huge | 4 MB: ordinary | .. 256 MB: huge |
//
// Free pages in the middle are given back once, in front of the result. A text of megabytes needs
// one piece, which many small pieces that became free do not make.
//
//   text, module, [free: program, form], edits | result
//
// Cost: three system calls. Seen in notes/speed.md; no output depends on it.

#include "tessera/pipeline/command_line/process/heap.h"

#include <algorithm>
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
constexpr int kGrowth = 1 << 20;  // after what is reserved
// A text below this is small; its heap ends somewhere between these multiples of it.
constexpr size_t kSmallText = 2 << 20;
constexpr size_t kLeast = 4, kMost = 12;
// Above this a huge page is little beside the text.
constexpr size_t kMiddleText = 8 << 20;

bool is_prepared = false, may_end_with_ordinary_pages = false;

// Gives back the free end of the heap, down to the last block: the huge page there may be empty but for
// its beginning. From now on the heap grows by ordinary pages.
void EndWithOrdinaryPages() {
#if __GLIBC_PREREQ(2, 33)
  constexpr uintptr_t kPage = 4096;
  const auto end = reinterpret_cast<uintptr_t>(sbrk(0));
  const uintptr_t free = (end - mallinfo2().keepcost + kPage) & ~(kPage - 1);
  if (free >= end) return;
  madvise(reinterpret_cast<void*>(free), end - free, MADV_DONTNEED);
  madvise(reinterpret_cast<void*>(free), end - free, MADV_NOHUGEPAGE);
#endif
}

void AskForHugePages(uintptr_t begin, uintptr_t end) {
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace

void PrepareHeap(size_t text_bytes) {
  mallopt(M_TRIM_THRESHOLD, -1);  // never
  mallopt(M_MMAP_THRESHOLD, kOwnMapping);
  mallopt(M_TOP_PAD, static_cast<int>(kReserved));
  void* const block = std::malloc(kGrowth);  // more than is left: the heap grows
  mallopt(M_TOP_PAD, kGrowth);
  const uintptr_t begin = reinterpret_cast<uintptr_t>(block) & ~(kHugePage - 1);
  const uintptr_t end = reinterpret_cast<uintptr_t>(sbrk(0)) & ~(kHugePage - 1);
  std::free(block);
  const bool has_grown = block != nullptr && begin < end && end - begin <= 2 * kReserved;
  is_prepared = has_grown;
  may_end_with_ordinary_pages = has_grown && text_bytes > 0 && text_bytes < kMiddleText;
  if (has_grown) {
    const uintptr_t first = begin + kHugePage;
    const bool is_small = text_bytes > 0 && text_bytes < kSmallText;
    const size_t ordinary = is_small ? kLeast * text_bytes / kHugePage * kHugePage : 0;
    const size_t huge_again = is_small ? (kMost * text_bytes / kHugePage + 1) * kHugePage : 0;
    AskForHugePages(first, first + ordinary);
    AskForHugePages(std::min(first + huge_again, end), end);
  }
}

void GiveBackFreePages() {
  if (is_prepared) malloc_trim(kReserved);
  if (may_end_with_ordinary_pages) EndWithOrdinaryPages();
}

}  // namespace tessera::pipeline

#else

namespace tessera::pipeline {

void PrepareHeap(size_t /*text_bytes*/) {}
void GiveBackFreePages() {}

}  // namespace tessera::pipeline

#endif
