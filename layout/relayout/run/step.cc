#include "tessera/layout/relayout/run/step.h"

#include "absl/strings/str_cat.h"

namespace tessera::layout::relayout {
namespace {

std::string LoopText(const Loop& loop) {
  return absl::StrCat(" ", loop.extent, " (stride ", loop.src, " -> ", loop.dst, ")");
}

std::string RowsText(const char* verb, const Step& step) {
  return absl::StrCat(verb, " ", step.factor, " rows of ", step.inner.extent, " elements of ",
                      step.width, " bytes");
}

std::string StagingText(const Staging& staging) {
  switch (staging.kind) {
    case StageKind::kNone:
      return "";
    case StageKind::kEvery:
      return absl::StrCat(", ", staging.step, " bytes apart");
    case StageKind::kPair:
      return ", made of 4-bit elements";
    case StageKind::kHalf:
      return ", cut into 4-bit elements";
  }
  return "";
}

std::string KernelText(const Step& step) {
  switch (step.kind) {
    case StepKind::kBits:
      return absl::StrCat("bits, ", step.width, " to ", step.dst_width);
    case StepKind::kCopy:
      return absl::StrCat("copy rows of ", step.width, " bytes,", LoopText(step.inner));
    case StepKind::kGather:
      return absl::StrCat("gather rows of ", step.inner.extent, " elements of ", step.width,
                          " bytes", StagingText(step.staging));
    case StepKind::kZip:
      return RowsText("zip", step);
    case StepKind::kUnzip:
      return RowsText("unzip", step);
    case StepKind::kPack:
      return absl::StrCat("pack rows of ", step.inner.extent, " bytes");
    case StepKind::kUnpack:
      return absl::StrCat("unpack rows of ", step.inner.extent, " bytes");
    case StepKind::kTranspose:
      return absl::StrCat(
          "transpose ", step.rows.count(), " x ", step.columns.count(), " elements of ", step.width,
          " bytes", step.shuffle.has_value() ? ", each of them a square" : "",
          StagingText(step.staging), ", blocks", LoopText(step.rows.top),
          LoopText(step.columns.top),
          step.inner.extent > 1 ? absl::StrCat(", in each", LoopText(step.inner)) : "");
  }
  return "";
}

}  // namespace

int64_t Step::Bytes() const {
  const int64_t turns = TripCount(outer);
  switch (kind) {
    case StepKind::kBits:
      return turns * dst_width / 8;
    case StepKind::kCopy:
    case StepKind::kGather:
    case StepKind::kZip:
    case StepKind::kUnzip:
    case StepKind::kPack:
      return turns * width * inner.extent * factor;
    case StepKind::kUnpack:
      return turns * width * inner.extent * 2;
    case StepKind::kTranspose:
      return turns * width * inner.extent * rows.lower * rows.top.extent * columns.lower *
             columns.top.extent * staging.halves;
  }
  return 0;
}

std::string Step::ToString() const {
  std::string out = KernelText(*this);
  if (!outer.empty()) absl::StrAppend(&out, "; loops");
  for (const Loop& loop : outer) out += LoopText(loop);
  return out;
}

}  // namespace tessera::layout::relayout
