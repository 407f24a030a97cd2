#include "tessera/target/buffers/heap/heap_packing.h"

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tessera/target/buffers/heap/heap_arrays.h"

namespace tessera::target {
namespace {

// "416: 0 256 256": bytes of the heap, offsets.
std::string TextOf(const HeapPacking& heap) {
  return absl::StrCat(heap.bytes, ": ", absl::StrJoin(heap.offsets, " "));
}

// The slow and obvious way: each buffer goes through all that lie already.
class SlowHeap {
 public:
  explicit SlowHeap(const std::vector<HeapBuffer>& buffers) : buffers_(buffers) {}

  HeapPacking Pack(std::vector<size_t> order) {
    HeapPacking heap = {0, std::vector<int64_t>(buffers_.size())};
    std::vector<size_t> placed;
    for (const size_t k : order) {
      std::vector<std::pair<int64_t, int64_t>> taken;
      for (const size_t other : placed) {
        if (!Meet(buffers_[k].spans, buffers_[other].spans)) continue;
        taken.push_back(
            {heap.offsets[other], heap.offsets[other] + Aligned(buffers_[other].bytes)});
      }
      absl::c_sort(taken);
      taken.push_back({std::numeric_limits<int64_t>::max(), 0});
      int64_t free = 0, smallest = std::numeric_limits<int64_t>::max();
      heap.offsets[k] = -1;
      for (const auto& [begin, end] : taken) {
        const int64_t gap = begin - free;
        if (gap >= buffers_[k].bytes && (heap.offsets[k] < 0 || gap < smallest)) {
          heap.offsets[k] = free;
          smallest = gap;
        }
        free = std::max(free, end);
      }
      placed.push_back(k);
      heap.bytes = std::max(heap.bytes, heap.offsets[k] + buffers_[k].bytes);
    }
    return heap;
  }

  HeapPacking Best() {
    std::vector<size_t> sized(buffers_.size());
    for (size_t k = 0; k < sized.size(); ++k) sized[k] = k;
    std::vector<size_t> timed = sized;
    absl::c_stable_sort(sized, [this](size_t a, size_t b) {
      const HeapBuffer &x = buffers_[a], &y = buffers_[b];
      return x.bytes != y.bytes ? x.bytes > y.bytes : x.first_lives > y.first_lives;
    });
    absl::c_stable_sort(timed, [this](size_t a, size_t b) {
      const HeapBuffer &x = buffers_[a], &y = buffers_[b];
      return x.all_live != y.all_live ? x.all_live > y.all_live : x.bytes > y.bytes;
    });
    const HeapPacking by_size = Pack(sized), by_lifetime = Pack(timed);
    return by_lifetime.bytes < by_size.bytes ? by_lifetime : by_size;
  }

 private:
  static bool Meet(const Spans& a, const Spans& b) {
    for (const auto& x : a) {
      for (const auto& y : b) {
        if (x.first <= y.second && y.first <= x.second) return true;
      }
    }
    return false;
  }

  const std::vector<HeapBuffer>& buffers_;
};

TEST(HeapPackingTest, TheExample) {
  EXPECT_EQ(TextOf(PackHeap({{200, {{0, 3}}, 6, 6}, {100, {{0, 1}}, 2, 2}, {160, {{2, 3}}, 2, 2}})),
            "416: 0 256 256");
  EXPECT_EQ(TextOf(PackHeap({})), "0: ");
}

// The last one fits into gaps of 640 and 512 bytes, and goes into the smaller one.
TEST(HeapPackingTest, TheSmallestGapThatIsLargeEnough) {
  EXPECT_EQ(TextOf(PackHeap({{640, {{0, 0}}, 9, 9},
                             {576, {{0, 2}}, 8, 8},
                             {512, {{0, 0}}, 7, 7},
                             {320, {{0, 2}}, 6, 6},
                             {64, {{1, 1}}, 1, 1}})),
            "2048: 0 640 1216 1728 1216");
}

// A buffer of several spans lies in one place, and leaves it to others in between.
TEST(HeapPackingTest, SpansWithGaps) {
  EXPECT_EQ(TextOf(PackHeap(
                {{128, {{0, 1}, {4, 5}}, 9, 9}, {128, {{2, 3}}, 1, 1}, {64, {{1, 2}}, 1, 1}})),
            "192: 0 0 128");
}

// By size 200 bytes would lie below, and 100 bytes above them.
TEST(HeapPackingTest, LongestFirstWhereThatIsSmaller) {
  EXPECT_EQ(TextOf(PackHeap({{100, {{0, 9}}, 9, 9}, {200, {{1, 2}}, 1, 1}})), "328: 0 128");
  EXPECT_EQ(TextOf(PackHeap({{100, {{0, 9}}, 9, 9}, {228, {{1, 2}}, 1, 1}})), "356: 256 0");
}

HeapBuffer RandomBuffer(std::mt19937* random, int64_t steps) {
  const auto below = [&](int64_t end) { return static_cast<int64_t>((*random)() % end); };
  HeapBuffer buffer;
  buffer.bytes = below(3) == 0 ? 1 + below(1000) : 64 * (1 + below(9));
  for (int64_t spans = 1 + below(8) / 6; spans > 0; --spans) {
    const int64_t first = below(steps);
    buffer.spans.emplace_back(first, std::min(steps - 1, first + below(steps)));
  }
  Merge(&buffer.spans);
  buffer.first_lives = below(5);
  buffer.all_live = buffer.first_lives + below(3);
  return buffer;
}

TEST(HeapPackingTest, AsTheSlowSearch) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    const int64_t count = round % 100 == 0 ? 200 : 1 + round % 12;
    std::vector<HeapBuffer> buffers;
    for (int64_t k = 0; k < count; ++k) {
      buffers.push_back(RandomBuffer(&random, 1 + round % 40));
    }
    ASSERT_EQ(TextOf(PackHeap(buffers)), TextOf(SlowHeap(buffers).Best())) << round;
  }
}

TEST(HeapArraysTest, TheExample) {
  EXPECT_EQ(TextOf(PackArrays({{0, 0, 0, 2}, {1, 1, 1, 2}, {2, 0, 2, 3}}, {100, 200, 100})),
            "328: 0 128 0");
}

// Of equal sizes the one that lives longest lies lowest. Steps do not count, what happens in them does.
TEST(HeapArraysTest, AllocationsAndReleasesCount) {
  EXPECT_EQ(TextOf(PackArrays({{0, 0, 0, 3}, {1, 1, 0, 5}}, {64, 64})), "128: 0 64");
  EXPECT_EQ(TextOf(PackArrays({{0, 0, 0, 3}, {1, 1, 0, 5}, {2, 2, 4, 4}}, {64, 64, 32})),
            "128: 64 0 64");
}

// The second array of buffer 0 ends the first one in step 2, before the third buffer comes.
TEST(HeapArraysTest, ArraysOfABufferFollowOneAnother) {
  const HeapArray one = {1, 1, 0, 4}, other = {2, 2, 3, 3};
  EXPECT_EQ(TextOf(PackArrays({{0, 0, 0, 5}, one, other}, {64, 64, 32})), "160: 0 64 128");
  EXPECT_EQ(TextOf(PackArrays({{0, 0, 0, 5}, one, other, {0, 0, 2, 5}}, {64, 64, 32})),
            "160: 64 0 128");
}

TEST(HeapArraysTest, BuffersWithoutArrays) {
  EXPECT_EQ(TextOf(PackArrays({{1, 1, 0, 1}}, {64, 32})), "32: -1 0");
}

}  // namespace
}  // namespace tessera::target
