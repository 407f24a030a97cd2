#include "tessera/projection/core/error.h"

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

namespace tessera::projection {
namespace {

// The payload under which a status remembers its code, as the code's name.
constexpr absl::string_view kPayload = "tessera.projection.ErrorCode";

struct CodeRow {
  ErrorCode code;
  absl::string_view name;
  absl::StatusCode status;
};

constexpr CodeRow kCodes[] = {
    {ErrorCode::kRankMismatch, "kRankMismatch", absl::StatusCode::kInvalidArgument},
    {ErrorCode::kBadRange, "kBadRange", absl::StatusCode::kInvalidArgument},
    {ErrorCode::kBadShape, "kBadShape", absl::StatusCode::kInvalidArgument},
    {ErrorCode::kBadStep, "kBadStep", absl::StatusCode::kInvalidArgument},
    {ErrorCode::kBadDim, "kBadDim", absl::StatusCode::kInvalidArgument},
    {ErrorCode::kBadPermutation, "kBadPermutation", absl::StatusCode::kInvalidArgument},
    {ErrorCode::kBadChunk, "kBadChunk", absl::StatusCode::kInvalidArgument},
    {ErrorCode::kEmptyList, "kEmptyList", absl::StatusCode::kInvalidArgument},
    {ErrorCode::kOverflow, "kOverflow", absl::StatusCode::kOutOfRange},
    {ErrorCode::kOutOfBounds, "kOutOfBounds", absl::StatusCode::kOutOfRange},
    {ErrorCode::kNotInjective, "kNotInjective", absl::StatusCode::kInvalidArgument},
    {ErrorCode::kNotCovering, "kNotCovering", absl::StatusCode::kInvalidArgument},
    {ErrorCode::kNotSupported, "kNotSupported", absl::StatusCode::kUnimplemented},
    {ErrorCode::kTooLarge, "kTooLarge", absl::StatusCode::kResourceExhausted},
    {ErrorCode::kParse, "kParse", absl::StatusCode::kInvalidArgument},
};

const CodeRow& RowOf(ErrorCode code) {
  for (const CodeRow& row : kCodes) {
    if (row.code == code) return row;
  }
  return kCodes[0];
}

}  // namespace

absl::string_view ErrorCodeName(ErrorCode code) { return RowOf(code).name; }

absl::Status MakeError(ErrorCode code, absl::string_view message) {
  const CodeRow& row = RowOf(code);
  absl::Status status(row.status, message);
  status.SetPayload(kPayload, absl::Cord(row.name));
  return status;
}

absl::Status OverflowError(absl::string_view what) {
  return MakeError(ErrorCode::kOverflow, absl::StrCat(what, " does not fit 64 bits"));
}

std::optional<ErrorCode> ErrorCodeOf(const absl::Status& status) {
  auto payload = status.GetPayload(kPayload);
  if (!payload.has_value()) return std::nullopt;
  for (const CodeRow& row : kCodes) {
    if (*payload == row.name) return row.code;
  }
  return std::nullopt;
}

}  // namespace tessera::projection
