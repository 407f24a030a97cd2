// The program's operator new and delete: lists of small blocks that were freed, in front of the C
// library's heap. That one hands out quickly only the last seven of a size.
//
//   size 1..16 17..32 33..48 .. 497..512 | larger
//   list   0      1      2   ..    31    | malloc
//
// A list holds at most kMostBytes, so that all hold 1 MB; each block was allocated by malloc, and
// may be freed without its size. Each thread has lists of its own; what is in them
// when it ends is lost, and the program has two threads at most.
//
// Cost: a load and a store for each call. The partitioner gains 6 of 100, notes/speed.md. Linked into
// the program and into benchmarks of what it does, never into a library; not beside sanitizers,
// which see each block by itself. Tested in small_blocks_test.cc.

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

constexpr size_t kStep = alignof(std::max_align_t);
constexpr size_t kLists = 32;
constexpr size_t kMostBytes = size_t{32} << 10;

struct Block {
  Block* next;
};

struct List {
  Block* first;
  size_t bytes;
};

thread_local List lists[kLists];

size_t ListOf(size_t size) { return (size - 1) / kStep; }  // kLists and more: none; 0 is huge

void* Allocate(size_t size) {
  while (true) {
    if (void* const block = std::malloc(size)) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void* Take(List* list) {
  Block* const block = list->first;
  list->first = block->next;
  return block;
}

void Keep(void* block, List* list) { list->first = new (block) Block{list->first}; }

// All blocks of a list have this size.
size_t SizeIn(size_t index) { return (index + 1) * kStep; }

}  // namespace

void* operator new(size_t size) {
  const size_t index = ListOf(size);
  if (index >= kLists) return Allocate(size == 0 ? 1 : size);
  List& list = lists[index];
  if (list.first == nullptr) return Allocate(SizeIn(index));
  list.bytes -= SizeIn(index);
  return Take(&list);
}

void operator delete(void* block) noexcept { std::free(block); }

void operator delete(void* block, size_t size) noexcept {
  const size_t index = ListOf(size);
  if (block == nullptr || index >= kLists || lists[index].bytes >= kMostBytes) {
    std::free(block);
    return;
  }
  lists[index].bytes += SizeIn(index);
  Keep(block, &lists[index]);
}

#endif
