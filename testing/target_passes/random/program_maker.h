// The text of a program of one device that grows by one well typed instruction at a time.
//
//   ProgramMaker maker(seed);
//   const Value v = maker.Any();
//   maker.Add(v.type, v.dims, StrCat("negate(", v.name, ")"));
//   std::string text = maker.Module([&] { .. });
//
// The module is partitioned among kDevices devices. Its arrays are small, some without elements. Most are
// of integers, whose sums do not depend on their order.

#ifndef TESSERA_TESTING_TARGET_PASSES_RANDOM_PROGRAM_MAKER_H_
#define TESSERA_TESTING_TARGET_PASSES_RANDOM_PROGRAM_MAKER_H_

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tessera::testing::random_programs {

inline constexpr int64_t kDevices = 4;

using Dims = std::vector<int64_t>;

struct Value {
  std::string name;
  std::string type;
  Dims dims;
};

// "s32[2,4]".
std::string ShapeText(const Value& value);
std::string TupleText(const std::vector<Value>& values);
// "{0,1}".
std::string Braces(const Dims& numbers);
// The numbers below `rank` that `dims` lacks.
Dims Others(const Dims& dims, size_t rank);
std::string Names(const std::vector<Value>& values);

class ProgramMaker {
 public:
  explicit ProgramMaker(unsigned seed) : random_(seed), has_empty_(OneIn(3)) {}

  int64_t Below(int64_t n) { return n <= 0 ? 0 : static_cast<int64_t>(random_() % n); }
  bool OneIn(int64_t n) { return Below(n) == 0; }
  int64_t Size();
  std::string Type();
  // `count` of the numbers below `rank`, in rising order.
  Dims Some(size_t count, size_t rank);
  Dims Order(size_t rank);

  Value Any();
  // Of one dimension or more; `type`: of this type. There, or made.
  Value AnyArray(absl::string_view type = "");
  // Of this shape: there, or made.
  Value Like(const std::string& type, const Dims& dims);
  Value Scalar(const std::string& type, absl::string_view literal);

  Value Add(const std::string& type, const Dims& dims, absl::string_view rest);
  // One that only its maker reads.
  Value AddHidden(const std::string& type, const Dims& dims, absl::string_view rest);
  // Several results: a tuple and its elements, which others may read.
  void AddTuple(const std::vector<Value>& results, absl::string_view rest);
  // A tuple of these, which nobody else reads.
  std::string Tuple(const std::vector<Value>& values);
  // A computation of one parameter, a tuple like `carried`; `fill` adds to it and names its results.
  std::string Computation(const std::vector<Value>& carried,
                          const std::function<std::vector<Value>(std::vector<Value>)>& fill);
  // A computation whose only parameter is a tuple like `carried`, and whose root is `root`.
  std::string Predicate(const std::vector<Value>& carried, absl::string_view root);
  // Two scalars to one.
  std::string Reducer(const std::string& type, absl::string_view opcode);
  // Whether the first of two numbers is less; `has_places`: their places follow.
  std::string Less(const std::string& type, bool has_places);
  // Two pairs of a number and its place to that with the larger number, or the first place.
  std::string ArgMaxReducer();

  std::string NewChannel();
  // Devices may be at different places, or this computation is called by others.
  bool may_exchange() const { return exchanges_; }
  bool is_nested() const { return depth_ > 0; }
  void Apart(const std::function<void()>& fill);

  std::string Module(const std::function<void()>& fill);

 private:
  std::string Name(const char* prefix);

  std::mt19937 random_;
  bool has_empty_ = false;  // arrays without elements, too
  bool exchanges_ = true;
  int depth_ = 0, names_ = 0, channels_ = 0;
  std::string finished_;  // computations
  std::string lines_;     // of the current one
  std::vector<Value> values_;
};

}  // namespace tessera::testing::random_programs

#endif  // TESSERA_TESTING_TARGET_PASSES_RANDOM_PROGRAM_MAKER_H_
