#include "tessera/hlo/values/value_printer.h"

#include <algorithm>
#include <charconv>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace tessera::hlo {

std::string PrintInts(absl::Span<const int64_t> values) {
  return absl::StrCat("{", absl::StrJoin(values, ","), "}");
}

std::string PrintBools(const std::vector<bool>& values) {
  std::string out = "{";
  for (bool value : values) {
    absl::StrAppend(&out, out.size() > 1 ? "," : "", value ? "true" : "false");
  }
  return out + "}";
}

namespace {

// ` name=1x2`, one number a dimension.
template <typename Get>
void AppendWindowField(const Window& window, absl::string_view name, Get get, std::string* out) {
  absl::StrAppend(out, name, "=",
                  absl::StrJoin(window, "x", [&](std::string* text, const WindowDimension& d) {
                    absl::StrAppend(text, get(d));
                  }));
}

template <typename Test>
bool Any(const Window& window, Test test) {
  return std::any_of(window.begin(), window.end(), test);
}

}  // namespace

std::string PrintWindow(const Window& window) {
  using D = WindowDimension;
  if (window.empty()) return "{}";
  std::string out = "{";
  AppendWindowField(
      window, "size", [](const D& d) { return d.size; }, &out);
  if (Any(window, [](const D& d) { return d.stride != 1; })) {
    AppendWindowField(
        window, " stride", [](const D& d) { return d.stride; }, &out);
  }
  if (Any(window, [](const D& d) { return d.padding_low != 0 || d.padding_high != 0; })) {
    AppendWindowField(
        window, " pad", [](const D& d) { return absl::StrCat(d.padding_low, "_", d.padding_high); },
        &out);
  }
  if (Any(window, [](const D& d) { return d.base_dilation != 1; })) {
    AppendWindowField(
        window, " lhs_dilate", [](const D& d) { return d.base_dilation; }, &out);
  }
  if (Any(window, [](const D& d) { return d.window_dilation != 1; })) {
    AppendWindowField(
        window, " rhs_dilate", [](const D& d) { return d.window_dilation; }, &out);
  }
  if (Any(window, [](const D& d) { return d.reversal; })) {
    AppendWindowField(
        window, " rhs_reversal", [](const D& d) { return d.reversal ? 1 : 0; }, &out);
  }
  return out + "}";
}

namespace {

std::string PrintLabels(int64_t first, int64_t second, absl::string_view letters,
                        const IntList& spatial) {
  int64_t size = std::max(first, second) + 1;
  for (int64_t d : spatial) size = std::max(size, d + 1);
  std::string out(static_cast<size_t>(size), '?');
  out[first] = letters[0];
  out[second] = letters[1];
  for (size_t i = 0; i < spatial.size(); ++i) out[spatial[i]] = static_cast<char>('0' + i);
  return out;
}

}  // namespace

std::string PrintConvolutionDimensions(const ConvolutionDimensions& d) {
  return absl::StrCat(
      PrintLabels(d.input_batch, d.input_feature, "bf", d.input_spatial), "_",
      PrintLabels(d.kernel_input_feature, d.kernel_output_feature, "io", d.kernel_spatial), "->",
      PrintLabels(d.output_batch, d.output_feature, "bf", d.output_spatial));
}

namespace {

// Pads and slices are many in per-device modules.
void AppendNumber(int64_t number, std::string* out) {
  char digits[24];
  char* const end = std::to_chars(digits, digits + sizeof(digits), number).ptr;
  out->append(digits, static_cast<size_t>(end - digits));
}

}  // namespace

std::string PrintPadding(const std::vector<PaddingDimension>& padding) {
  const bool interior = std::any_of(padding.begin(), padding.end(),
                                    [](const PaddingDimension& d) { return d.interior != 0; });
  std::string out;
  for (const PaddingDimension& d : padding) {
    if (!out.empty()) out += 'x';
    AppendNumber(d.low, &out);
    out += '_';
    AppendNumber(d.high, &out);
    if (!interior) continue;
    out += '_';
    AppendNumber(d.interior, &out);
  }
  return out;
}

std::string PrintSlice(const std::vector<SliceDimension>& slice) {
  const bool strides = std::any_of(slice.begin(), slice.end(),
                                   [](const SliceDimension& d) { return d.stride != 1; });
  std::string out = "{";
  const auto say = [&out](char before, int64_t number) {
    out += before;
    AppendNumber(number, &out);
  };
  for (const SliceDimension& d : slice) {
    if (out.size() > 1) out += ", ";
    say('[', d.start);
    say(':', d.limit);
    if (strides) say(':', d.stride);
    out += ']';
  }
  out += '}';
  return out;
}

namespace {

std::string PrintIota(const IntList& reshape, const IntList& permutation) {
  std::string out = absl::StrCat("[", absl::StrJoin(reshape, ","), "]");
  if (!permutation.empty()) absl::StrAppend(&out, "T(", absl::StrJoin(permutation, ","), ")");
  return out;
}

std::string PrintMeshGroups(const ReplicaGroups& g, bool single_device) {
  std::string out;
  if (g.mesh.empty()) {
    out = absl::StrCat(single_device ? "single_device" : "maximal_mesh",
                       "[device_id=", g.device_ids.empty() ? 0 : g.device_ids[0], "]");
  } else {
    out = absl::StrCat("mesh[",
                       absl::StrJoin(g.mesh, ",",
                                     [](std::string* text, const ReplicaGroups::Axis& axis) {
                                       absl::StrAppend(text, "'", axis.name, "'=", axis.size);
                                     }),
                       "]");
    if (!g.iota_order.empty()) {
      absl::StrAppend(&out, ", device_ids=(", g.iota_order, ")");
    } else if (!g.device_ids.empty()) {
      absl::StrAppend(&out, ", device_ids=(", absl::StrJoin(g.device_ids, ","), ")");
    }
  }
  absl::StrAppend(&out, " {",
                  absl::StrJoin(g.axes, ",",
                                [](std::string* text, const ReplicaGroups::AxisRef& axis) {
                                  absl::StrAppend(text, "'", axis.name, "'");
                                  if (axis.size == 0) return;
                                  absl::StrAppend(text, ":(", axis.pre_size, ")", axis.size);
                                }),
                  "}");
  return out;
}

}  // namespace

std::string PrintReplicaGroups(const ReplicaGroups& g) { return PrintReplicaGroups(g, true); }

std::string PrintReplicaGroups(const ReplicaGroups& g, bool single_device) {
  if (g.form == ReplicaGroups::Form::kMesh) return PrintMeshGroups(g, single_device);
  if (g.form == ReplicaGroups::Form::kIota) {
    return absl::StrCat("[", g.num_groups, ",", g.group_size,
                        "]<=", PrintIota(g.reshape, g.permutation));
  }
  return absl::StrCat("{",
                      absl::StrJoin(g.list, ",",
                                    [](std::string* out, const std::vector<int64_t>& group) {
                                      absl::StrAppend(out, "{", absl::StrJoin(group, ","), "}");
                                    }),
                      "}");
}

std::string PrintAliasing(const std::vector<OperandAlias>& aliases) {
  if (aliases.empty()) return "";
  return absl::StrCat("{",
                      absl::StrJoin(aliases, ", ",
                                    [](std::string* out, const OperandAlias& a) {
                                      absl::StrAppend(out, PrintInts(a.output_index), ": (",
                                                      a.operand, ", ", PrintInts(a.operand_index),
                                                      ")");
                                    }),
                      "}");
}

std::string PrintStatistics(const Statistics& statistics) {
  if (statistics.values.empty()) return "";
  std::string out = absl::StrCat("{visualizing_index=", statistics.visualizing_index);
  for (const auto& [name, value] : statistics.values) {
    absl::StrAppend(&out, ",", name, "=", absl::StrFormat("%g", value));
  }
  return out + "}";
}

namespace {

std::string PrintOriginTree(const OriginTree& tree) {
  switch (tree.kind) {
    case OriginTree::Kind::kEmptyLeaf:
      return "{}";
    case OriginTree::Kind::kLeaf: {
      const std::string index = tree.index.empty() ? "" : absl::StrCat(" ", PrintInts(tree.index));
      return absl::StrCat("{\"", tree.name, "\"", index, "}");
    }
    default:
      return absl::StrCat("(",
                          absl::StrJoin(tree.elements, ", ",
                                        [](std::string* out, const OriginTree& element) {
                                          *out += PrintOriginTree(element);
                                        }),
                          ")");
  }
}

}  // namespace

std::string PrintOrigin(const OriginTree& tree) {
  if (tree.kind == OriginTree::Kind::kSyntheticCall) return "{[synthetic_call]}";
  const std::string calls =
      tree.call_hierarchy.has_value() ? absl::StrCat(",[\"", *tree.call_hierarchy, "\"]") : "";
  return absl::StrCat("{", PrintOriginTree(tree), calls, "}");
}

std::string PrintResultAccuracy(const ResultAccuracy& a) {
  if (a.has_tolerance) {
    return absl::StrFormat("{tolerance={atol=%g,rtol=%g,ulps=%d}}", a.atol, a.rtol, a.ulps);
  }
  return a.highest ? "{mode=highest}" : "";
}

std::string PrintSparsity(const SparsityConfig& config) {
  std::string out = "{";
  const auto side = [&](absl::string_view name, const SparsityConfig::Side& s) {
    if (!s.present) return;
    absl::StrAppend(&out, out.size() > 1 ? " " : "", name, "={sparsity=", s.num_non_zero, "x",
                    s.block_size, " dimension=", s.dimension, " stride=", s.stride, "}");
  };
  side("lhs", config.lhs);
  side("rhs", config.rhs);
  return out + "}";
}

}  // namespace tessera::hlo
