#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/sharding/axes.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/sdy_text.h"
#include "tessera/testing/families/sharding/sharding_checks.h"
#include "tessera/text/cursor.h"

namespace tessera::testing {
namespace {

using nlohmann::json;
using sharding::AxisList;
using sharding::AxisRef;
using sharding::Mesh;

Mesh ReadMesh(const json& sizes) {
  std::vector<sharding::MeshAxis> axes;
  for (const auto& [name, size] : sizes.items()) axes.push_back({name, size});
  return Mesh::Create(std::move(axes)).value();
}

AxisRef ReadRef(const json& text, const Mesh& mesh) {
  const std::string copy = text;
  text::Cursor in(copy);
  const sharding::AxisText axis = sharding::ParseAxisText(in).value();
  const int index = mesh.FindAxis(axis.name).value();
  return axis.is_sub ? AxisRef::Sub(index, axis.pre_size, axis.size) : AxisRef::Full(index);
}

AxisList ReadRefs(const json& list, const Mesh& mesh) {
  AxisList out;
  for (const json& text : list) out.push_back(ReadRef(text, mesh));
  return out;
}

json Print(std::optional<AxisRef> ref, const Mesh& mesh) {
  return ref ? json(AxisRefToString(*ref, mesh)) : json(nullptr);
}

json Print(const AxisList& refs, const Mesh& mesh) {
  json out = json::array();
  for (AxisRef ref : refs) out.push_back(AxisRefToString(ref, mesh));
  return out;
}

Outcome CheckAxisPair(const json& c) {
  const json& size = c["full_size"];
  const Mesh mesh = ReadMesh({{"a", size}, {"b", size}, {"c", size}, {"d", size}});
  const AxisRef a = ReadRef(c["a"], mesh);
  const AxisRef b = ReadRef(c["b"], mesh);
  const auto merged = CanMerge(a, b) ? std::optional<AxisRef>(Merge(a, b, mesh)) : std::nullopt;
  const auto same = [&](const char* name, const json& actual) {
    return Expect(name, actual, c[name]);
  };
  return First({
      same("overlaps", Overlaps(a, b)),
      same("can_coexist", CanCoexist(a, b)),
      same("contains", Contains(a, b)),
      same("prefix_of", IsPrefixOf(a, b)),
      same("suffix_of", IsSuffixOf(a, b, mesh)),
      same("overlap", Print(Overlap(a, b), mesh)),
      same("prefix_without_overlap", Print(PrefixWithoutOverlap(a, b), mesh)),
      same("suffix_without_overlap", Print(SuffixWithoutOverlap(a, b, mesh), mesh)),
      same("greatest_common_prefix", Print(GreatestCommonPrefix(a, b), mesh)),
      same("can_merge", CanMerge(a, b)),
      same("merge", Print(merged, mesh)),
      same("less", sharding::AxisNameLess(mesh)(a, b)),
  });
}

Outcome CheckTruncate(const json& c) {
  const Mesh mesh = ReadMesh(c["sizes"]);
  AxisList axes = ReadRefs(c["axes"], mesh);
  const bool changed = Truncate(axes, ReadRefs(c["others"], mesh));
  return First({Expect("out", Print(axes, mesh), c["out"]),
                Expect("changed", changed, c["changed"].get<bool>())});
}

// Takes the major axes that divide a dimension into exactly `size` parts, splitting one axis if
// need be; these are returned and `axes` keeps the rest. None (and `axes` unchanged) if there are
// no such axes.
//   ["b"=8, "a"] by 2 -> ["b":(1)2], leaving ["b":(2)4, "a"]
std::optional<AxisList> SliceMajor(AxisList& axes, int64_t size, const Mesh& mesh) {
  AxisList taken;
  if (size == 1) return taken;
  if (size <= 0 || ShardedSize(axes, mesh) % size != 0) return std::nullopt;
  int64_t rest = size;
  for (size_t i = 0; i < axes.size(); ++i) {
    const AxisRef axis = axes[i];
    const int64_t parts = axis.size(mesh);
    if (rest % parts == 0) {
      taken.push_back(axis);
      rest /= parts;
      if (rest > 1) continue;
      axes.erase(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(i + 1));
      return taken;
    }
    if (parts % rest != 0) return std::nullopt;
    taken.push_back(AxisRef::Sub(axis.axis(), axis.pre_size(), rest));
    axes[i] = AxisRef::Sub(axis.axis(), axis.pre_size() * rest, parts / rest);
    axes.erase(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(i));
    return taken;
  }
  return std::nullopt;
}

Outcome CheckSlice(const json& c) {
  const Mesh mesh = ReadMesh(c["sizes"]);
  AxisList axes = ReadRefs(c["axes"], mesh);
  const std::optional<AxisList> taken = SliceMajor(axes, c["n"], mesh);
  if (!taken)
    return First({Expect("out", json(nullptr), c["out"]),
                  Expect("axes", axes == ReadRefs(c["axes"], mesh), true)});
  return First(
      {Expect("out", Print(*taken, mesh), c["out"]), Expect("rest", Print(axes, mesh), c["rest"])});
}

}  // namespace

Outcome CheckAxisOperation(const json& c) {
  const std::string op = c["op"];
  if (op == "axis_pair") return CheckAxisPair(c);
  if (op == "truncate") return CheckTruncate(c);
  if (op == "slice") return CheckSlice(c);
  const Mesh mesh = ReadMesh(c.contains("mesh") ? c["mesh"] : c["sizes"]);
  const AxisList out = op == "set_difference"
                           ? SetDifference(ReadRefs(c["a"], mesh), ReadRefs(c["b"], mesh), mesh)
                           : SortAndMerge(ReadRefs(c["axes"], mesh), mesh);
  return Expect("out", Print(out, mesh), c["out"]);
}

}  // namespace tessera::testing
