#include "tessera/testing/target_passes/random/program_maker.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tessera::testing::random_programs {

using absl::StrAppend;
using absl::StrCat;

namespace {

constexpr const char* kTypes[] = {"s32", "s32", "s32", "f32", "f32", "bf16", "pred"};
constexpr int64_t kSizes[] = {1, 1, 2, 2, 3, 4, 4, 8};

}  // namespace

std::string ShapeText(const Value& value) {
  return StrCat(value.type, "[", absl::StrJoin(value.dims, ","), "]");
}

std::string TupleText(const std::vector<Value>& values) {
  return StrCat(
      "(",
      absl::StrJoin(values, ", ", [](std::string* out, const Value& v) { *out += ShapeText(v); }),
      ")");
}

std::string Braces(const Dims& numbers) { return StrCat("{", absl::StrJoin(numbers, ","), "}"); }

Dims Others(const Dims& dims, size_t rank) {
  Dims out;
  for (int64_t d = 0; d < static_cast<int64_t>(rank); ++d) {
    if (std::find(dims.begin(), dims.end(), d) == dims.end()) out.push_back(d);
  }
  return out;
}

std::string Names(const std::vector<Value>& values) {
  return absl::StrJoin(values, ", ", [](std::string* out, const Value& v) { *out += v.name; });
}

int64_t ProgramMaker::Size() {
  if (has_empty_ && OneIn(8)) return 0;
  return kSizes[Below(std::size(kSizes))];
}

std::string ProgramMaker::Type() { return kTypes[Below(std::size(kTypes))]; }

Dims ProgramMaker::Order(size_t rank) {
  Dims out(rank);
  std::iota(out.begin(), out.end(), 0);
  for (size_t i = rank; i > 1; --i) {
    std::swap(out[i - 1], out[static_cast<size_t>(Below(static_cast<int64_t>(i)))]);
  }
  return out;
}

Dims ProgramMaker::Some(size_t count, size_t rank) {
  Dims out = Order(rank);
  out.resize(std::min(count, rank));
  std::sort(out.begin(), out.end());
  return out;
}

Value ProgramMaker::Any() {
  return values_[static_cast<size_t>(Below(static_cast<int64_t>(values_.size())))];
}

Value ProgramMaker::AnyArray(absl::string_view type) {
  for (int i = 0; i < 16; ++i) {
    const Value v = Any();
    if (!v.dims.empty() && (type.empty() || v.type == type)) return v;
  }
  return Like(type.empty() ? "s32" : std::string(type), {Size(), 4});
}

Value ProgramMaker::Like(const std::string& type, const Dims& dims) {
  for (int i = 0; i < 12; ++i) {
    const Value v = Any();
    if (v.type == type && v.dims == dims) return v;
  }
  if (!dims.empty() && type == "s32" && OneIn(2)) {
    return Add(type, dims,
               StrCat("iota(), iota_dimension=", Below(static_cast<int64_t>(dims.size()))));
  }
  const Value one = Scalar(type, type == "pred" ? "true" : StrCat(1 + Below(3)));
  return dims.empty() ? one : Add(type, dims, StrCat("broadcast(", one.name, "), dimensions={}"));
}

Value ProgramMaker::Scalar(const std::string& type, absl::string_view literal) {
  return Add(type, {}, StrCat("constant(", literal, ")"));
}

std::string ProgramMaker::Name(const char* prefix) { return StrCat(prefix, names_++); }

Value ProgramMaker::AddHidden(const std::string& type, const Dims& dims, absl::string_view rest) {
  const Value value{Name("v"), type, dims};
  StrAppend(&lines_, "  ", value.name, " = ", ShapeText(value), " ", rest, "\n");
  return value;
}

Value ProgramMaker::Add(const std::string& type, const Dims& dims, absl::string_view rest) {
  values_.push_back(AddHidden(type, dims, rest));
  return values_.back();
}

void ProgramMaker::AddTuple(const std::vector<Value>& results, absl::string_view rest) {
  const std::string tuple = Name("t");
  StrAppend(&lines_, "  ", tuple, " = ", TupleText(results), " ", rest, "\n");
  for (size_t i = 0; i < results.size(); ++i) {
    Add(results[i].type, results[i].dims, StrCat("get-tuple-element(", tuple, "), index=", i));
  }
}

std::string ProgramMaker::Tuple(const std::vector<Value>& values) {
  const std::string tuple = Name("t");
  StrAppend(&lines_, "  ", tuple, " = ", TupleText(values), " tuple(", Names(values), ")\n");
  return tuple;
}

std::string ProgramMaker::Computation(
    const std::vector<Value>& carried,
    const std::function<std::vector<Value>(std::vector<Value>)>& fill) {
  const std::string name = Name("fn");
  std::string lines;
  std::vector<Value> values;
  lines_.swap(lines);
  values_.swap(values);
  ++depth_;
  AddTuple(carried, "parameter(0)");
  const std::vector<Value> results = fill(values_);
  StrAppend(&lines_, "  ROOT ", Name("r"), " = ", TupleText(results), " tuple(", Names(results),
            ")\n");
  --depth_;
  StrAppend(&finished_, name, " {\n", lines_, "}\n\n");
  lines_.swap(lines);
  values_.swap(values);
  return name;
}

std::string ProgramMaker::Predicate(const std::vector<Value>& carried, absl::string_view root) {
  const std::string name = Name("fn");
  StrAppend(&finished_, name, " {\n  t = ", TupleText(carried),
            " parameter(0)\n  i = s32[] get-tuple-element(t), index=0\n", root, "}\n\n");
  return name;
}

std::string ProgramMaker::Reducer(const std::string& type, absl::string_view opcode) {
  const std::string name = Name("fn"), scalar = StrCat(type, "[]");
  StrAppend(&finished_, name, " {\n  x = ", scalar, " parameter(0)\n  y = ", scalar,
            " parameter(1)\n  ROOT z = ", scalar, " ", opcode, "(x, y)\n}\n\n");
  return name;
}

std::string ProgramMaker::Less(const std::string& type, bool has_places) {
  const std::string name = Name("fn"), scalar = StrCat(type, "[]");
  StrAppend(&finished_, name, " {\n  x = ", scalar, " parameter(0)\n  y = ", scalar,
            " parameter(1)\n",
            has_places ? "  i = s32[] parameter(2)\n  j = s32[] parameter(3)\n" : "",
            "  ROOT z = pred[] compare(x, y), direction=LT\n}\n\n");
  return name;
}

std::string ProgramMaker::ArgMaxReducer() {
  const std::string name = Name("fn");
  StrAppend(&finished_, name,
            " {\n  a = s32[] parameter(0)\n  i = s32[] parameter(1)\n  b = s32[] parameter(2)\n"
            "  j = s32[] parameter(3)\n  g = pred[] compare(a, b), direction=GT\n"
            "  e = pred[] compare(a, b), direction=EQ\n  f = pred[] compare(i, j), direction=LT\n"
            "  h = pred[] and(e, f)\n  p = pred[] or(g, h)\n  m = s32[] select(p, a, b)\n"
            "  k = s32[] select(p, i, j)\n  ROOT t = (s32[], s32[]) tuple(m, k)\n}\n\n");
  return name;
}

std::string ProgramMaker::NewChannel() { return StrCat("channel_id=", ++channels_); }

void ProgramMaker::Apart(const std::function<void()>& fill) {
  const bool exchanged = std::exchange(exchanges_, false);
  fill();
  exchanges_ = exchanged;
}

std::string ProgramMaker::Module(const std::function<void()>& fill) {
  const int64_t parameters = 1 + Below(4);
  for (int64_t i = 0; i < parameters; ++i) {
    Dims dims;
    for (int64_t rank = Below(4); rank > 0; --rank) dims.push_back(Size());
    Add(Type(), dims, StrCat("parameter(", i, ")"));
  }
  fill();
  std::vector<Value> results;
  for (int64_t n = 1 + Below(4); n > 0; --n) results.push_back(Any());
  StrAppend(&lines_, "  ROOT root = ", TupleText(results), " tuple(", Names(results), ")\n");
  return StrCat("HloModule m, num_partitions=", kDevices, "\n\n", finished_, "ENTRY e {\n", lines_,
                "}\n");
}

}  // namespace tessera::testing::random_programs
