#include "tessera/pipeline/verbs/search/sweep/sweep_merge.h"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/util/json_util.h"
#include "tessera/pipeline/input/session.h"
#include "tessera/pipeline/schema/sweep_answer.pb.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/source.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

absl::StatusOr<Variant> VariantOf(const answers::SweepAnswer& line) {
  Variant variant;
  if (line.has_mesh()) {
    TESSERA_ASSIGN_OR_RETURN(variant.mesh, ParseMeshFlag(line.mesh()));
  }
  for (const std::string& one : line.annotate()) {
    TESSERA_ASSIGN_OR_RETURN(PatternAnnotation annotation, ParseAnnotation(one));
    variant.annotations.push_back(std::move(annotation));
  }
  return variant;
}

absl::StatusOr<cost::StepCost> OutcomeOf(const answers::SweepAnswer& line) {
  if (line.has_refused()) return absl::InvalidArgumentError(line.refused());
  cost::StepCost cost;
  cost.memory = line.memory();
  cost.sent = line.sent();
  cost.collectives = line.collectives();
  cost.device_s = line.device_seconds();
  cost.network_s = line.network_seconds();
  cost.without_time = line.without_time();
  cost.counted_once = line.counted_once();
  cost.unpriced = line.unpriced();
  return cost;
}

class LineMerger {
 public:
  absl::Status AddFile(std::shared_ptr<const text::Source> file) {
    const absl::string_view text = file->text();
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = text.find('\n', begin);
      const absl::string_view line = text.substr(begin, end - begin);
      const absl::Status added =
          absl::StripAsciiWhitespace(line).empty() ? absl::OkStatus() : AddLine(*file, begin, line);
      if (end == absl::string_view::npos && !added.ok()) {
        absl::StrAppend(&notes_, "note: ", file->name(), ": the last line is cut and left out\n");
        break;
      }
      TESSERA_RETURN_IF_ERROR(added);
      if (end == absl::string_view::npos) break;
      begin = end + 1;
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Merged> Take() {
    Merged merged;
    for (const auto& [number, line] : lines_) {
      TESSERA_ASSIGN_OR_RETURN(Variant variant, VariantOf(line));
      merged.swept.numbers.push_back(static_cast<size_t>(number));
      merged.swept.variants.push_back(std::move(variant));
      merged.swept.keys.push_back(line.key());
      merged.swept.uneven.push_back(line.uneven_arguments());
      merged.swept.outcomes.push_back(OutcomeOf(line));
      merged.timed |= line.has_seconds();
    }
    merged.notes = std::move(notes_);
    return merged;
  }

 private:
  absl::Status AddLine(const text::Source& file, size_t begin, absl::string_view text) {
    const auto error = [&](absl::string_view message) {
      return text::Located(text::ErrorAt(begin, message), file);
    };
    answers::SweepAnswer line;
    const auto read = google::protobuf::util::JsonStringToMessage(std::string(text), &line);
    if (!read.ok() || !line.has_variant() || (!line.has_memory() && !line.has_refused())) {
      return error("expected a line of tessera sweep --json, with variant and memory or refused");
    }
    const auto variant = VariantOf(line);
    if (!variant.ok()) return error(variant.status().message());
    const auto [it, is_new] = lines_.try_emplace(line.variant(), line);
    if (is_new || it->second.SerializeAsString() == line.SerializeAsString()) {
      return absl::OkStatus();
    }
    return error(absl::StrCat("variant ", line.variant(),
                              " has another answer in a line before: the files are of different "
                              "sweeps; merge files of one module, grid and machine"));
  }

  std::map<int64_t, answers::SweepAnswer> lines_;  // by variant
  std::string notes_;
};

}  // namespace

absl::StatusOr<Merged> MergeSweeps(const Arguments& arguments) {
  LineMerger merger;
  for (const std::string& path : arguments.positionals()) {
    TESSERA_ASSIGN_OR_RETURN(std::shared_ptr<const text::Source> file, ReadFile(arguments, path));
    TESSERA_RETURN_IF_ERROR(merger.AddFile(std::move(file)));
  }
  return merger.Take();
}

}  // namespace tessera::pipeline
