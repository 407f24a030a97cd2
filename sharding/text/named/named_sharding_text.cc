// V3 leaves:
//
//   leaf = mesh [","] body "}"        (the mesh: named_mesh_text.cc)
//   body = ( "replicated" | "manual" | "unreduced" [ "=" op ] [ refs ] ) [ "," "metadata=" .. ]
//        | "[" dims "]" { "," ( "replicated=" | "unreduced=" [ op ] | "manual=" ) refs }
//
// The references are checked against each other when all of them are known. A malformed sub-axis
// can hold numbers that no AxisRef can, so it is refused as it is read.
//
// Tested by hlo_sharding_text_test.cc; fuzzed by sharding_text_fuzz.cc.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tessera/sharding/text/metadata_text.h"
#include "tessera/sharding/text/named/named_sharding.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding {
namespace {

class Reader {
 public:
  explicit Reader(ShardingLexer& in) : in_(in) {}

  absl::StatusOr<HloSharding> Read();

 private:
  absl::Status ReadBody();
  absl::Status ReadWordBody();
  absl::Status ReadDims();
  absl::StatusOr<DimensionSharding> ReadDim();
  absl::Status ReadReductionAndRefs(AxisList& refs, bool word_required);
  absl::Status ReadRefs(AxisList& refs);
  absl::StatusOr<AxisRef> ReadRef();
  absl::StatusOr<int> ReadAxis();
  absl::StatusOr<AxisRef> MakeSub(int axis, int64_t pre_size, int64_t size, size_t offset);
  bool ReadReduction();
  AxisList AllAxes() const;

  ShardingLexer& in_;
  NamedSharding out_;
  Reduction reduction_ = Reduction::kSum;
  std::vector<std::string> metadata_;
};

AxisList Reader::AllAxes() const {
  AxisList all;
  for (int axis = 0; axis < out_.mesh.num_axes(); ++axis) all.push_back(AxisRef::Full(axis));
  return all;
}

// The axis of that name, or else, for a number, the axis of that index.
absl::StatusOr<int> Reader::ReadAxis() {
  const size_t offset = in_.offset();
  TESSERA_ASSIGN_OR_RETURN(const std::string name, in_.ExpectString("the name of an axis"));
  if (const std::optional<int> axis = out_.mesh.FindAxis(name)) return *axis;
  int index = -1;
  if (absl::SimpleAtoi(name, &index) && index >= 0 && index < out_.mesh.num_axes()) return index;
  return text::ErrorAt(offset, absl::StrCat("the mesh has no axis '", name, "'"));
}

absl::StatusOr<AxisRef> Reader::MakeSub(int axis, int64_t pre_size, int64_t size, size_t offset) {
  const int64_t full = out_.mesh.axis_size(axis);
  const auto wrong = [&](absl::string_view why) {
    return text::ErrorAt(offset, absl::StrCat("sub-axis '", out_.mesh.axis(axis).name, "':(",
                                              pre_size, ")", size, ": ", why));
  };
  if (pre_size < 1) return wrong("the pre-size must be at least 1");
  if (size < 2) return wrong("the size must be at least 2");
  if (size == full) return wrong("this is the whole axis: write its name only");
  if (pre_size > full / size || full % (pre_size * size) != 0) {
    return wrong(absl::StrCat("pre-size times size does not divide the size of the axis, ", full));
  }
  return AxisRef::Sub(axis, pre_size, size);
}

absl::StatusOr<AxisRef> Reader::ReadRef() {
  const size_t offset = in_.offset();
  TESSERA_ASSIGN_OR_RETURN(const int axis, ReadAxis());
  if (!in_.Consume(':')) return AxisRef::Full(axis);
  TESSERA_RETURN_IF_ERROR(in_.Expect('(', "and the pre-size of a sub-axis"));
  TESSERA_ASSIGN_OR_RETURN(const int64_t pre_size, in_.ExpectInt("the pre-size of a sub-axis"));
  TESSERA_RETURN_IF_ERROR(in_.Expect(')', "after the pre-size"));
  TESSERA_ASSIGN_OR_RETURN(const int64_t size, in_.ExpectInt("the size of a sub-axis"));
  return MakeSub(axis, pre_size, size, offset);
}

absl::Status Reader::ReadRefs(AxisList& refs) {
  TESSERA_RETURN_IF_ERROR(in_.Expect('{', "before the list of axes"));
  if (in_.Consume('}')) return absl::OkStatus();
  do {
    TESSERA_ASSIGN_OR_RETURN(const AxisRef ref, ReadRef());
    refs.push_back(ref);
  } while (in_.Consume(','));
  return in_.Expect('}', "or ',' after an axis");
}

bool Reader::ReadReduction() {
  if (in_.ConsumeWord("max")) {
    reduction_ = Reduction::kMax;
  } else if (in_.ConsumeWord("min")) {
    reduction_ = Reduction::kMin;
  } else {
    return in_.ConsumeWord("sum");
  }
  return true;
}

absl::StatusOr<DimensionSharding> Reader::ReadDim() {
  DimensionSharding dim;
  TESSERA_RETURN_IF_ERROR(in_.Expect('{', "before the axes of a dimension"));
  bool more = !in_.Is('}');
  while (more) {
    if (in_.Consume('?')) {
      dim.is_closed = false;
      break;
    }
    TESSERA_ASSIGN_OR_RETURN(const AxisRef ref, ReadRef());
    dim.axes.push_back(ref);
    more = in_.Consume(',');
  }
  TESSERA_RETURN_IF_ERROR(in_.Expect(
      '}', dim.is_closed ? "or ',' after an axis" : "after '?', which must be the last"));
  return dim;
}

absl::Status Reader::ReadDims() {
  TESSERA_RETURN_IF_ERROR(
      in_.Expect('[', "before the dimensions, or replicated, manual, unreduced"));
  if (in_.Consume(']')) return absl::OkStatus();
  do {
    TESSERA_ASSIGN_OR_RETURN(DimensionSharding dim, ReadDim());
    out_.dims.push_back(std::move(dim));
  } while (in_.Consume(','));
  return in_.Expect(']', "or ',' after a dimension");
}

// The short forms: `replicated`, `manual`, `unreduced`, `unreduced=max`, `unreduced{'a'}`.
absl::Status Reader::ReadWordBody() {
  if (in_.ConsumeWord("replicated")) return absl::OkStatus();
  if (in_.ConsumeWord("manual")) {
    out_.manual = AllAxes();
    return absl::OkStatus();
  }
  const bool with_reduction = in_.token() == ShardingToken::kAttribute;
  in_.Next();
  if (with_reduction && !ReadReduction()) return in_.Error("expected sum, max or min");
  if (in_.Is('{')) return ReadRefs(out_.unreduced);
  out_.unreduced = AllAxes();
  return absl::OkStatus();
}

absl::Status Reader::ReadBody() {
  const bool short_form =
      in_.IsWord("replicated") || in_.IsWord("manual") || in_.IsWord("unreduced") ||
      (in_.token() == ShardingToken::kAttribute && in_.token_text() == "unreduced");
  TESSERA_RETURN_IF_ERROR(short_form ? ReadWordBody() : ReadDims());
  while (!in_.Is('}')) {
    TESSERA_RETURN_IF_ERROR(in_.Expect(',', "before the next attribute"));
    if (in_.ConsumeAttribute("metadata")) {
      TESSERA_RETURN_IF_ERROR(ParseMetadata(in_, metadata_));
    } else if (!short_form && in_.ConsumeAttribute("replicated")) {
      TESSERA_RETURN_IF_ERROR(ReadRefs(out_.replicated));
    } else if (!short_form && in_.ConsumeAttribute("manual")) {
      TESSERA_RETURN_IF_ERROR(ReadRefs(out_.manual));
    } else if (!short_form && in_.ConsumeAttribute("unreduced")) {
      ReadReduction();
      TESSERA_RETURN_IF_ERROR(ReadRefs(out_.unreduced));
    } else {
      return in_.Error("expected replicated=, unreduced=, manual= or metadata=");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<HloSharding> Reader::Read() {
  const size_t offset = in_.offset();
  TESSERA_RETURN_IF_ERROR(ParseNamedMesh(in_, out_));
  if (!out_.mesh.is_maximal()) {
    in_.Consume(',');
    TESSERA_RETURN_IF_ERROR(ReadBody());
  } else if (in_.Consume(',')) {
    if (!in_.ConsumeAttribute("metadata")) return in_.Error("expected 'metadata='");
    TESSERA_RETURN_IF_ERROR(ParseMetadata(in_, metadata_));
  }
  TESSERA_RETURN_IF_ERROR(in_.Expect('}', "at the end of the sharding"));
  if (absl::Status valid = CheckNamedSharding(out_); !valid.ok()) {
    return text::ErrorAt(offset, valid.message());
  }
  HloSharding out = HloSharding::Named(std::move(out_));
  out.set_reduction(reduction_);
  out.set_metadata(std::move(metadata_));
  return out;
}

}  // namespace

absl::StatusOr<HloSharding> ParseNamedSharding(ShardingLexer& in) { return Reader(in).Read(); }

}  // namespace tessera::sharding
