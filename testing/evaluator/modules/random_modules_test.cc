// Random modules: a chain of operations, each drawn from a table and made to fit what is there.
// Dense, by halves and by cells, with every poison.
#include <algorithm>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/testing/evaluator/sharded/agreement.h"

namespace tessera::testing::evaluator {
namespace {

using Dims = std::vector<int64_t>;

std::string ShapeText(const Dims& dims) {
  return absl::StrCat("f32[", absl::StrJoin(dims, ","), "]");
}

// Writes instructions v0, v1, .., each on the one before.
class ModuleWriter {
 public:
  explicit ModuleWriter(uint32_t seed) : random_(seed) {
    dims_ = {Draw(2, 5), Draw(2, 5)};
    text_ = absl::StrCat("v0 = ", ShapeText(dims_), " parameter(0)\nz = f32[] constant(0.25)\n");
  }

  std::string Write(int operations) {
    using Rule = void (ModuleWriter::*)();
    constexpr Rule kRules[] = {
        &ModuleWriter::Elementwise, &ModuleWriter::Transpose, &ModuleWriter::Reverse,
        &ModuleWriter::Slice,       &ModuleWriter::Pad,       &ModuleWriter::Broadcast,
        &ModuleWriter::Reduce,      &ModuleWriter::Flatten,   &ModuleWriter::Window,
        &ModuleWriter::Square,      &ModuleWriter::Twice};
    for (int i = 0; i < operations; ++i)
      (this->*kRules[Draw(0, static_cast<int64_t>(std::size(kRules)) - 1)])();
    return absl::StrCat("HloModule random\nadd { x = f32[] parameter(0) y = f32[] parameter(1) ",
                        "ROOT s = f32[] add(x, y) }\nENTRY e {\n", text_,
                        "ROOT r = ", ShapeText(dims_), " copy(v", count_, ")\n}\n");
  }

 private:
  int64_t Draw(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }
  size_t DrawDim() { return static_cast<size_t>(Draw(0, static_cast<int64_t>(dims_.size()) - 1)); }
  std::string Last() const { return absl::StrCat("v", count_); }
  void Add(const Dims& dims, const std::string& rest) {
    dims_ = dims;
    absl::StrAppend(&text_, "v", ++count_, " = ", ShapeText(dims), " ", rest, "\n");
  }
  int64_t Cells() const {
    int64_t cells = 1;
    for (int64_t d : dims_) cells *= d;
    return cells;
  }

  void Elementwise() {
    constexpr const char* kOps[] = {"negate", "tanh", "floor", "abs"};
    Add(dims_, absl::StrCat(kOps[Draw(0, 3)], "(", Last(), ")"));
  }
  void Twice() { Add(dims_, absl::StrCat("add(", Last(), ", ", Last(), ")")); }
  void Transpose() {
    Dims order(dims_.size()), dims(dims_.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
    std::shuffle(order.begin(), order.end(), random_);
    for (size_t i = 0; i < order.size(); ++i) dims[i] = dims_[order[i]];
    Add(dims,
        absl::StrCat("transpose(", Last(), "), dimensions={", absl::StrJoin(order, ","), "}"));
  }
  void Reverse() {
    if (dims_.empty()) return;
    Add(dims_, absl::StrCat("reverse(", Last(), "), dimensions={", DrawDim(), "}"));
  }
  void Slice() {
    Dims dims;
    std::vector<std::string> parts;
    for (int64_t d : dims_) {
      const int64_t start = Draw(0, d - 1), limit = Draw(start + 1, d), step = Draw(1, 2);
      parts.push_back(absl::StrCat("[", start, ":", limit, ":", step, "]"));
      dims.push_back((limit - start + step - 1) / step);
    }
    Add(dims, absl::StrCat("slice(", Last(), "), slice={", absl::StrJoin(parts, ", "), "}"));
  }
  void Pad() {
    if (dims_.empty() || Cells() > 200) return;
    Dims dims;
    std::vector<std::string> parts;
    for (int64_t d : dims_) {
      const int64_t low = Draw(0, 1), high = Draw(0, 2) - (d > 1), inside = Draw(0, 1);
      parts.push_back(absl::StrCat(low, "_", high, "_", inside));
      dims.push_back(low + high + d + (d - 1) * inside);
    }
    Add(dims, absl::StrCat("pad(", Last(), ", z), padding=", absl::StrJoin(parts, "x")));
  }
  void Broadcast() {
    if (dims_.size() > 2 || Cells() > 200) return;
    Dims dims = dims_, order;
    const int64_t at = Draw(0, static_cast<int64_t>(dims.size()));
    dims.insert(dims.begin() + at, Draw(1, 3));
    for (int64_t i = 0; i < static_cast<int64_t>(dims.size()); ++i) {
      if (i != at) order.push_back(i);
    }
    Add(dims,
        absl::StrCat("broadcast(", Last(), "), dimensions={", absl::StrJoin(order, ","), "}"));
  }
  void Reduce() {
    if (dims_.size() < 2) return;
    Dims dims = dims_;
    const size_t at = DrawDim();
    dims.erase(dims.begin() + static_cast<int64_t>(at));
    Add(dims, absl::StrCat("reduce(", Last(), ", z), dimensions={", at, "}, to_apply=add"));
  }
  void Flatten() {
    const int64_t cells = Cells();
    const int64_t rows = cells % 2 == 0 ? 2 : cells % 3 == 0 ? 3 : 1;
    Add({rows, cells / rows}, absl::StrCat("reshape(", Last(), ")"));
  }
  void Window() {
    if (dims_.empty()) return;
    std::vector<std::string> sizes(dims_.size(), "2"), pads(dims_.size(), "1_0");
    Add(dims_,
        absl::StrCat("reduce-window(", Last(), ", z), window={size=", absl::StrJoin(sizes, "x"),
                     " pad=", absl::StrJoin(pads, "x"), "}, to_apply=add"));
  }
  void Square() {
    if (dims_.size() != 2 || dims_[0] > 12) return;
    Add({dims_[0], dims_[0]},
        absl::StrCat("dot(", Last(), ", ", Last(),
                     "), lhs_contracting_dims={1}, rhs_contracting_dims={1}"));
  }

  std::mt19937 random_;
  Dims dims_;
  int count_ = 0;
  std::string text_;
};

TEST(RandomModules, Agree) {
  int agree = 0;
  for (uint32_t seed = 1; seed <= 300; ++seed) {
    const std::string text = ModuleWriter(seed).Write(8);
    const absl::StatusOr<hlo::Module> module = hlo::ParseModule(text);
    ASSERT_TRUE(module.ok()) << module.status() << "\n" << text;
    const Agreement a = CheckAgreement(
        *module, {{CutInHalves, Poison::kNan, true}, {CutInCells, Poison::kNan, true}});
    EXPECT_NE(a.outcome, Agreement::Outcome::kDiffers) << a.why << "\n" << text;
    agree += a.outcome == Agreement::Outcome::kAgrees;
    EXPECT_NE(a.why, "not a valid module") << text;
  }
  EXPECT_EQ(agree, 300);
}

}  // namespace
}  // namespace tessera::testing::evaluator
