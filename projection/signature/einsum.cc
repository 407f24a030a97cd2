#include "tessera/projection/signature/einsum.h"

#include <map>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

// One dimension of an operand: stride * axis + 0..taps-1, or the whole ('*').
struct Term {
  char axis = 0;
  int64_t stride = 1, taps = 1;
};
using Terms = std::vector<Term>;

absl::Status Bad(absl::string_view text) {
  return MakeError(ErrorCode::kParse, absl::StrCat("bad signature text: \"", text, "\""));
}

bool ConsumeNumber(absl::string_view* text, int64_t* out) {
  size_t n = 0;
  while (n < text->size() && absl::ascii_isdigit((*text)[n])) ++n;
  if (!absl::SimpleAtoi(text->substr(0, n), out) || *out < 1) return false;
  text->remove_prefix(n);
  return true;
}

// Takes one dimension off the front: "x", "*", "x*2", "x*2+k:3", "x+k:3".
bool ConsumeTerm(absl::string_view* text, Term* out) {
  out->axis = text->front();
  text->remove_prefix(1);
  if (out->axis == '*') return true;
  if (!absl::ascii_isalpha(out->axis)) return false;
  if (!text->empty() && text->front() == '*' && text->size() > 1 &&
      absl::ascii_isdigit((*text)[1])) {
    text->remove_prefix(1);
    if (!ConsumeNumber(text, &out->stride)) return false;
  }
  if (text->empty() || text->front() != '+') return true;
  text->remove_prefix(1);
  if (text->size() < 3 || !absl::ascii_isalpha(text->front()) || (*text)[1] != ':') return false;
  text->remove_prefix(2);
  return ConsumeNumber(text, &out->taps);
}

absl::StatusOr<Terms> ParseTerms(absl::string_view text) {
  Terms terms;
  for (absl::string_view rest = text; !rest.empty();) {
    if (absl::ascii_isspace(rest.front())) {
      rest.remove_prefix(1);
      continue;
    }
    Term term;
    if (!ConsumeTerm(&rest, &term)) return Bad(text);
    terms.push_back(term);
  }
  return terms;
}

absl::StatusOr<std::vector<Terms>> ParseLists(absl::string_view text,
                                              absl::Span<const ZPoint> shapes) {
  std::vector<Terms> out;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    TESSERA_ASSIGN_OR_RETURN(Terms terms, ParseTerms(part));
    out.push_back(std::move(terms));
  }
  if (shapes.empty() && out.size() == 1 && out[0].empty()) return std::vector<Terms>();
  if (out.size() != shapes.size()) return Bad(text);
  for (size_t i = 0; i < out.size(); ++i) {
    if (static_cast<int>(out[i].size()) != shapes[i].rank()) {
      return MakeError(ErrorCode::kRankMismatch,
                       absl::StrCat("\"", text, "\" names ", out[i].size(), " dimensions of ",
                                    ShapeText(shapes[i])));
    }
  }
  return out;
}

// Adds the sizes of axes that are dimensions by themselves, without stride or taps.
absl::Status AddExtents(const std::vector<Terms>& lists, absl::Span<const ZPoint> shapes,
                        std::map<char, int64_t>* extents) {
  for (size_t k = 0; k < lists.size(); ++k) {
    for (size_t d = 0; d < lists[k].size(); ++d) {
      const Term& term = lists[k][d];
      if (term.axis == '*' || term.stride != 1 || term.taps != 1) continue;
      const int64_t extent = shapes[k][static_cast<int>(d)];
      const auto [known, is_new] = extents->try_emplace(term.axis, extent);
      if (!is_new && known->second != extent) {
        return MakeError(ErrorCode::kBadShape,
                         absl::StrCat("axis ", std::string(1, term.axis), " has extents ",
                                      known->second, " and ", extent));
      }
    }
  }
  return absl::OkStatus();
}

// The index axis of each letter that stands in a result.
absl::StatusOr<std::map<char, int>> ResultAxes(const std::vector<Terms>& results,
                                               absl::Span<const ZPoint> shapes, Signature* s) {
  std::map<char, int> axes;
  ZPoint extents;
  for (size_t k = 0; k < results.size(); ++k) {
    for (size_t d = 0; d < results[k].size(); ++d) {
      const Term& term = results[k][d];
      const int64_t extent = shapes[k][static_cast<int>(d)];
      if (term.axis == '*' || term.stride != 1 || term.taps != 1) {
        return MakeError(ErrorCode::kParse,
                         "a dimension of a result is one axis, without '*', stride or taps");
      }
      if (axes.try_emplace(term.axis, extents.rank()).second) {
        extents.push_back(extent);
        s->axes.push_back({std::string(1, term.axis), AxisKind::kParallel, extent});
      }
    }
  }
  s->index = ZRange::FromShape(extents);
  return axes;
}

absl::StatusOr<ZProjection> ProjectionOf(const Terms& terms, const ZPoint& shape,
                                         const std::map<char, int>& axes, int index_rank) {
  ProjectionSpec spec;
  spec.matrix = ZMatrix(shape.rank(), index_rank);
  spec.shape = ZPoint::Filled(shape.rank(), 1);
  spec.policy = OutOfBoundsPolicy::kDrop;
  spec.extent = shape;
  for (int d = 0; d < shape.rank(); ++d) {
    const Term& term = terms[static_cast<size_t>(d)];
    const auto axis = axes.find(term.axis);
    if (axis == axes.end()) {
      spec.shape[d] = shape[d];
    } else {
      spec.matrix(d, axis->second) = term.stride;
      spec.shape[d] = term.taps;
    }
  }
  return ZProjection::Create(std::move(spec));
}

}  // namespace

absl::StatusOr<Signature> SignatureFromText(absl::string_view text,
                                            absl::Span<const ZPoint> operands,
                                            absl::Span<const ZPoint> results) {
  const std::vector<absl::string_view> sides = absl::StrSplit(text, "->");
  if (sides.size() != 2) return Bad(text);
  TESSERA_ASSIGN_OR_RETURN(std::vector<Terms> inputs, ParseLists(sides[0], operands));
  TESSERA_ASSIGN_OR_RETURN(std::vector<Terms> outputs, ParseLists(sides[1], results));
  std::map<char, int64_t> extents;
  TESSERA_RETURN_IF_ERROR(AddExtents(inputs, operands, &extents));
  TESSERA_RETURN_IF_ERROR(AddExtents(outputs, results, &extents));
  Signature s;
  TESSERA_ASSIGN_OR_RETURN(auto axes, ResultAxes(outputs, results, &s));
  for (size_t k = 0; k < inputs.size(); ++k) {
    OperandAccess access{"operand", operands[k], {}};
    if (!ZRange::FromShape(operands[k]).empty()) {
      TESSERA_ASSIGN_OR_RETURN(ZProjection p,
                               ProjectionOf(inputs[k], operands[k], axes, s.index.rank()));
      access.maps.push_back(ProjectionAccess(std::move(p)));
    }
    s.operands.push_back(std::move(access));
  }
  for (size_t k = 0; k < outputs.size(); ++k) {
    TESSERA_ASSIGN_OR_RETURN(ZProjection p,
                             ProjectionOf(outputs[k], results[k], axes, s.index.rank()));
    s.results.push_back(std::move(p));
    s.result_shapes.push_back(results[k]);
  }
  return s;
}

}  // namespace tessera::projection
