#include "tessera/testing/hostile/module_maker.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tessera::testing::hostile {

using absl::StrAppend;
using absl::StrCat;

namespace {

constexpr const char* kTypes[] = {"f32", "f32", "f32", "f32", "bf16", "s32", "s32", "pred",
                                  "u8",  "f64", "f16", "s64", "u32",  "s4",  "c64", "f8e4m3fn"};
constexpr int64_t kSizes[] = {8, 8, 8, 8, 8, 4, 4, 4, 16, 16, 2, 1, 3, 5, 6, 12, 32};
constexpr int64_t kStrangeSizes[] = {0, 7, 4096, int64_t{1} << 31, int64_t{1} << 62};
constexpr const char* kFloats[] = {"f32", "bf16", "f64", "f16"};

// No UTF-8, and what a terminal obeys.
constexpr char kStrangeBytes[] = "\xff\xc3\x1b[2J\x07";

constexpr const char* kWhole[] = {"{replicated}", "{replicated}", "{maximal device=3}", "{manual}"};

// How an axis of two and one of four stand in notations with names: in front of a dimension's list
// or after it, whole or in halves.
struct AxisWords {
  const char *a, *b, *first_half, *second_half;
};
constexpr AxisWords kV3 = {"'a'", "'b'", "'b':(1)2", "'b':(2)2"};
constexpr AxisWords kSdy = {"\\\"a\\\"", "\\\"b\\\"", "\\\"b\\\":(1)2", "\\\"b\\\":(2)2"};

}  // namespace

std::string ToText(const ArrayShape& shape) {
  return StrCat(shape.type, "[", absl::StrJoin(shape.dims, ","), "]");
}

std::string TupleText(const std::vector<ArrayShape>& shapes) {
  return StrCat("(",
                absl::StrJoin(shapes, ", ",
                              [](std::string* out, const auto& s) { StrAppend(out, ToText(s)); }),
                ")");
}

std::string Braces(const std::vector<int64_t>& numbers) {
  return StrCat("{", absl::StrJoin(numbers, ","), "}");
}

ModuleMaker::ModuleMaker(unsigned seed) : random_(seed), style_(static_cast<int>(RandomBelow(5))) {}

int64_t ModuleMaker::Size() {
  if (OneIn(60)) return kStrangeSizes[RandomBelow(std::size(kStrangeSizes))];
  return kSizes[RandomBelow(std::size(kSizes))];
}

ArrayShape ModuleMaker::Shape(size_t most_dims) {
  ArrayShape shape{kTypes[RandomBelow(std::size(kTypes))], {}};
  for (size_t n = RandomBelow(most_dims + 1); n > 0; --n) shape.dims.push_back(Size());
  return shape;
}

std::vector<int64_t> ModuleMaker::Permutation(size_t n) {
  std::vector<int64_t> out(n);
  std::iota(out.begin(), out.end(), 0);
  for (size_t i = n; i > 1; --i) std::swap(out[i - 1], out[RandomBelow(i)]);
  return out;
}

std::vector<int64_t> ModuleMaker::Dimensions(size_t k, size_t n) {
  std::vector<int64_t> out = Permutation(n);
  out.resize(std::min(k, n));
  std::sort(out.begin(), out.end());
  return out;
}

Value ModuleMaker::AnyValue() { return values_[RandomBelow(values_.size())]; }

Value ModuleMaker::AnyFloat() {
  for (int i = 0; i < 16; ++i) {
    Value v = AnyValue();
    if (std::find(std::begin(kFloats), std::end(kFloats), v.shape.type) != std::end(kFloats)) {
      return v;
    }
  }
  return ValueOf({"f32", {8, 8}});
}

Value ModuleMaker::AnyArray() {
  for (int i = 0; i < 16; ++i) {
    Value v = AnyValue();
    if (!v.shape.dims.empty()) return v;
  }
  return ValueOf({"f32", {8, 4}});
}

Value ModuleMaker::ValueOf(const ArrayShape& shape) {
  for (int i = 0; i < 8; ++i) {
    Value v = AnyValue();
    if (v.shape.type == shape.type && v.shape.dims == shape.dims) return v;
  }
  if (shape.dims.empty())
    return Add(shape, StrCat("constant(", shape.type == "c64" ? "(1, 0)" : "1", ")"));
  if (OneIn(6)) return Add(shape, "constant({...})");
  return Add(shape, StrCat("broadcast(", Scalar(shape.type).name, "), dimensions={}"));
}

std::string ModuleMaker::Name(const char* prefix) { return StrCat(prefix, names_++); }

std::string ModuleMaker::Grid(size_t rank) {
  if (OneIn(4)) return kWhole[RandomBelow(std::size(kWhole))];
  std::vector<int64_t> tiles(rank, 1);
  int64_t left = 8;
  for (int64_t& n : tiles) {
    if (left > 1 && OneIn(2)) n = left >= 4 && OneIn(3) ? 4 : 2;
    left /= n;
  }
  static constexpr const char* kRest[] = {"replicate}", "s={unreduced}}", "s={manual}}"};
  const size_t rest = left == 1 ? 0 : OneIn(3) ? 1 + RandomBelow(2) : 0;
  if (left > 1) tiles.push_back(left);
  return StrCat("{devices=[", absl::StrJoin(tiles, ","), "]<=", OneIn(3) ? "[2,4]T(1,0)" : "[8]",
                left == 1 ? "}" : StrCat(" last_tile_dim", rest == 0 ? "_" : "", kRest[rest]));
}

// "[{'a', ?}, {}], replicated={'b'}" in the words of a notation; each axis stands once.
std::string ModuleMaker::Named(size_t rank, bool is_sdy) {
  const AxisWords& words = is_sdy ? kSdy : kV3;
  std::vector<std::vector<std::string>> dims(rank + 2);
  const auto place = [&](const char* axis) {
    const size_t at = RandomBelow(rank + 3);
    if (at < dims.size() && (at < rank || OneIn(3))) dims[at].push_back(axis);
  };
  if (OneIn(2)) place(words.a);
  if (OneIn(3)) {
    if (OneIn(2)) place(words.second_half);
    place(words.first_half);  // after it: in front of it the two would be one axis
  } else {
    place(words.b);
  }
  if (OneIn(30)) place(words.a);  // perhaps a second time, which is an error
  std::string out = "[";
  for (size_t d = 0; d < rank; ++d) {
    if (OneIn(3)) dims[d].push_back("?");
    StrAppend(&out, d == 0 ? "" : ", ", "{", absl::StrJoin(dims[d], ", "), "}");
  }
  StrAppend(&out, "]");
  if (!dims[rank].empty()) StrAppend(&out, ", replicated={", absl::StrJoin(dims[rank], ", "), "}");
  if (!dims[rank + 1].empty()) {
    StrAppend(&out, ", unreduced={", absl::StrJoin(dims[rank + 1], ", "), "}");
  }
  return out;
}

std::string ModuleMaker::Sharding(size_t rank) {
  if (style_ == 1 || (style_ == 4 && OneIn(2))) return Grid(rank);
  return StrCat("{mesh['a'=2,'b'=4], ", Named(rank, false), "}");
}

std::string ModuleMaker::SdySharding(size_t rank) {
  return StrCat("<@mesh, ", Named(rank, true), ">");
}

std::string ModuleMaker::Attributes(const ArrayShape& shape) {
  std::string out;
  const size_t rank = OneIn(40) ? RandomBelow(4) : shape.dims.size();
  if (style_ != 0 && style_ != 3 && OneIn(4)) StrAppend(&out, ", sharding=", Sharding(rank));
  if (OneIn(5)) {
    StrAppend(&out, ", metadata={op_name=\"jit(f)/", RandomBelow(4), "/params['w", RandomBelow(4),
              "']", OneIn(30) ? kStrangeBytes : "",
              "\" source_file=\"m.py\" source_line=", RandomBelow(9), "}");
  }
  return out;
}

Value ModuleMaker::Add(const ArrayShape& shape, absl::string_view rest) {
  Value value{Name("v"), shape};
  StrAppend(&text_, "  ", value.name, " = ", ToText(shape), " ", rest, Attributes(shape), "\n");
  values_.push_back(value);
  if (style_ < 3 || !OneIn(4)) return value;
  Value constrained{Name("k"), shape};
  StrAppend(&text_, "  ", constrained.name, " = ", ToText(shape), " custom-call(", value.name,
            "), custom_call_target=\"Sharding\", "
            "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding_per_value<[",
            SdySharding(shape.dims.size()), "]>\"}\n");
  values_.push_back(constrained);
  return OneIn(2) ? value : constrained;
}

Value ModuleMaker::AddAs(const ArrayShape& shape, absl::string_view rest,
                         absl::string_view sharding) {
  values_.push_back({Name("v"), shape});
  StrAppend(&text_, "  ", values_.back().name, " = ", ToText(shape), " ", rest,
            ", sharding=", sharding, "\n");
  return values_.back();
}

std::string ModuleMaker::Effect(absl::string_view rest) {
  std::string name = Name("e");
  StrAppend(&text_, "  ", name, " = token[] ", rest, "\n");
  return name;
}

void ModuleMaker::AddTuple(const std::vector<ArrayShape>& shapes, absl::string_view rest) {
  const std::string tuple = Name("t");
  StrAppend(&text_, "  ", tuple, " = ", TupleText(shapes), " ", rest, "\n");
  Elements(tuple, shapes);
}

void ModuleMaker::Elements(const std::string& tuple, const std::vector<ArrayShape>& shapes) {
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!OneIn(6)) Add(shapes[i], StrCat("get-tuple-element(", tuple, "), index=", i));
  }
}

void ModuleMaker::TupleParameter(const std::vector<ArrayShape>& shapes) {
  const std::string tuple = Name("p");
  StrAppend(&text_, "  ", tuple, " = ", TupleText(shapes), " parameter(0)\n");
  Elements(tuple, shapes);
}

void ModuleMaker::Parameters(const std::vector<ArrayShape>& shapes) {
  for (size_t i = 0; i < shapes.size(); ++i) {
    values_.push_back({Name("p"), shapes[i]});
    const std::string line =
        StrCat("  ", values_.back().name, " = ", ToText(shapes[i]), " parameter(", i, ")");
    if (depth_ == 0 && style_ >= 3 && OneIn(2)) {
      StrAppend(&text_, line, ", frontend_attributes={xla.sdy.sharding=\"#sdy.sharding",
                SdySharding(shapes[i].dims.size()), "\"}\n");
    } else {
      StrAppend(&text_, line, Attributes(shapes[i]), "\n");
    }
  }
}

void ModuleMaker::Root(const std::vector<ArrayShape>& shapes, bool as_tuple) {
  std::vector<std::string> names;
  for (const ArrayShape& shape : shapes) names.push_back(ValueOf(shape).name);
  StrAppend(&text_, "  ROOT ", Name("r"), " = ");
  if (!as_tuple) {
    StrAppend(&text_, ToText(shapes[0]), " copy(", names[0], ")\n");
  } else {
    StrAppend(&text_, TupleText(shapes), " tuple(", absl::StrJoin(names, ", "), ")\n");
  }
}

std::string ModuleMaker::Computation(const Signature& signature,
                                     const std::function<void()>& fill) {
  const std::string name = Name("fn");
  std::string text = StrCat(name, " {\n");
  std::vector<Value> values;
  text_.swap(text);
  values_.swap(values);
  ++depth_;
  if (signature.in_tuples) {
    TupleParameter(signature.parameters);
  } else {
    Parameters(signature.parameters);
  }
  if (values_.empty()) Add({"f32", {}}, "constant(0)");
  fill();
  Root(signature.results, signature.in_tuples || signature.results.size() != 1);
  --depth_;
  StrAppend(&finished_, text_, "}\n\n");
  text_.swap(text);
  values_.swap(values);
  return name;
}

std::string ModuleMaker::Reducer(const std::string& type) {
  static constexpr const char* kOps[] = {"add",     "add",     "multiply",
                                         "maximum", "minimum", "subtract"};
  const std::string name = Name("fn"), scalar = StrCat(type, "[]");
  const char* const op = type == "pred" ? "or" : kOps[RandomBelow(std::size(kOps))];
  StrAppend(&finished_, name, " {\n  x = ", scalar, " parameter(0)\n  y = ", scalar,
            " parameter(1)\n  ROOT z = ", scalar, " ", op, "(x, y)\n}\n\n");
  return name;
}

std::string ModuleMaker::Tuple(const std::vector<ArrayShape>& shapes, const std::string& names) {
  const std::string name = Name("t");
  StrAppend(&text_, "  ", name, " = ", TupleText(shapes), " tuple(", names, ")\n");
  return name;
}

std::string ModuleMaker::Condition(const std::vector<ArrayShape>& carried) {
  const std::string name = Name("fn");
  StrAppend(&finished_, name, " {\n  t = ", TupleText(carried),
            " parameter(0)\n  i = s32[] get-tuple-element(t), index=0\n  n = s32[] constant(5)\n  "
            "ROOT c = pred[] compare(i, n), direction=LT\n}\n\n");
  return name;
}

std::string ModuleMaker::Shift(const std::vector<ArrayShape>& carried) {
  const std::string name = Name("fn"), tuple = TupleText(carried);
  StrAppend(&finished_, name, " {\n  t = ", tuple, " parameter(0)\n");
  std::vector<std::string> next;
  for (size_t i = 0; i < carried.size(); ++i) {
    StrAppend(&finished_, "  t", i, " = ", ToText(carried[i]), " get-tuple-element(t), index=", i,
              "\n");
    next.push_back(StrCat("t", i == 0 || i + 1 == carried.size() ? i : i + 1));
  }
  StrAppend(&finished_, "  ROOT r = ", tuple, " tuple(", absl::StrJoin(next, ", "), ")\n}\n\n");
  return name;
}

// Aliases and donors of the header; some name nothing, or one array twice.
std::string ModuleMaker::Aliases(size_t num_parameters, size_t num_results) {
  const auto parameter = [&] {
    return OneIn(20) ? size_t{900000000} : RandomBelow(num_parameters + 1);
  };
  const auto index = [&] {
    return OneIn(8) ? StrCat("{", RandomBelow(3), "}") : std::string("{}");
  };
  std::vector<std::string> aliases, donors;
  for (size_t n = RandomBelow(3); n > 0; --n) {
    const std::string result = num_results == 1 ? "" : StrCat(RandomBelow(num_results + 1));
    aliases.push_back(StrCat("{", result, "}: (", parameter(), ", ", index(), ", ",
                             OneIn(2) ? "may-alias)" : "must-alias)"));
  }
  for (size_t n = RandomBelow(3); n > 0; --n) {
    donors.push_back(StrCat("(", parameter(), ", ", index(), ")"));
  }
  std::string out;
  if (!aliases.empty()) {
    StrAppend(&out, ", input_output_alias={ ", absl::StrJoin(aliases, ", "), " }");
  }
  if (!donors.empty()) StrAppend(&out, ", buffer_donor={ ", absl::StrJoin(donors, ", "), " }");
  return out;
}

std::string ModuleMaker::Module(const std::function<void()>& fill) {
  std::vector<ArrayShape> parameters{{"f32", {8, 16}}};
  for (size_t n = RandomBelow(5); n > 0; --n) parameters.push_back(Shape());
  Parameters(parameters);
  fill();
  std::vector<ArrayShape> results;
  for (size_t n = 1 + RandomBelow(3); n > 0; --n) results.push_back(AnyValue().shape);
  Root(results, results.size() != 1);
  std::string header = StrCat("HloModule m, num_partitions=", OneIn(20) ? 3 : 8);
  if (style_ >= 3 || OneIn(4)) {
    StrAppend(&header,
              ", frontend_attributes={xla.sdy.meshes=\"{mesh = "
              "#sdy.mesh<[\\\"a\\\"=2, \\\"b\\\"=4]>}\"}");
  }
  if (OneIn(8)) StrAppend(&header, Aliases(parameters.size(), results.size()));
  return StrCat(header, "\n\n", finished_, "ENTRY e {\n", text_, "}\n");
}

}  // namespace tessera::testing::hostile
