// Blocks of all sizes around the bounds of the lists, freed with their size and without, on two
// threads: none overlaps another, and what was freed comes again.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace tessera::pipeline {
namespace {

struct Piece {
  unsigned char* block;
  size_t size;
  unsigned char mark;
};

Piece Allocate(size_t size, unsigned char mark) {
  auto* const block = static_cast<unsigned char*>(::operator new(size));
  std::memset(block, mark, size);
  return {block, size, mark};
}

bool IsWhole(const Piece& piece) {
  for (size_t i = 0; i < piece.size; ++i) {
    if (piece.block[i] != piece.mark) return false;
  }
  return reinterpret_cast<uintptr_t>(piece.block) % alignof(std::max_align_t) == 0;
}

void Free(const Piece& piece) {
  if (piece.mark % 2 == 0) {
    ::operator delete(piece.block);
  } else {
    ::operator delete(piece.block, piece.size);
  }
}

// Every third piece is freed in between, so that lists run full and empty.
void AllocateAndFree() {
  std::vector<Piece> pieces;
  for (int i = 0; i < 30000; ++i) {
    pieces.push_back(Allocate(i % 600, static_cast<unsigned char>(i % 251)));
    if (i % 3 != 0) continue;
    const size_t freed = static_cast<size_t>(i) * 7 % pieces.size();
    ASSERT_TRUE(IsWhole(pieces[freed]));
    Free(pieces[freed]);
    pieces[freed] = pieces.back();
    pieces.pop_back();
  }
  for (const Piece& piece : pieces) {
    EXPECT_TRUE(IsWhole(piece));
    Free(piece);
  }
}

TEST(SmallBlocksTest, NoBlockOverlapsAnother) {
  AllocateAndFree();
  AllocateAndFree();
}

TEST(SmallBlocksTest, EachThreadHasItsOwn) {
  std::thread other(AllocateAndFree);
  AllocateAndFree();
  other.join();
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(SmallBlocksTest, TheLastFreedOfASizeComesFirst) {
  void* const block = ::operator new(512);
  ::operator delete(block, 500);  // both up to 512
  void* const again = ::operator new(497);
  EXPECT_EQ(again, block);
  ::operator delete(again, 497);
}
#endif

TEST(SmallBlocksTest, AnUnknownSizeIsFreed) {
  ::operator delete(nullptr);
  ::operator delete(nullptr, 16);
  ::operator delete(::operator new(0), size_t{0});
}

}  // namespace
}  // namespace tessera::pipeline
