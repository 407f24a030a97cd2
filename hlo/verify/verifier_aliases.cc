// Buffers in the header: input_output_alias and buffer_donor name arrays of the entry's parameters
// and result, and no array of a parameter is named twice.
//
//   input_output_alias={ {0}: (1, {}, may-alias) }     // result 0 in the memory of parameter 1
//   buffer_donor={ (2, {}) }                           // parameter 2 may be overwritten
//
// As XLA's verifier; its parser looks at the index of the result only. A must-alias is for two
// arrays of one type and the same sizes. Linear in the entries.

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/verify/inference_context.h"
#include "tessera/hlo/verify/verifier_rules.h"
#include "tessera/layout/leaves.h"
#include "tessera/layout/shape_equal.h"
#include "tessera/layout/shape_text.h"
#include "tessera/text/status_macros.h"

namespace tessera::hlo {
namespace {

using layout::Shape;
using Path = std::vector<int64_t>;

constexpr char kAliases[] = "input_output_alias", kDonors[] = "buffer_donor";

std::string PathText(const Path& path) { return absl::StrCat("{", absl::StrJoin(path, ","), "}"); }

class Aliases {
 public:
  Aliases(const Module& module, text::Diagnostics* found) : module_(module), found_(*found) {}

  void Check() {
    Begin(kAliases);
    for (const AliasEntry& alias : module_.header().input_output_alias) {
      Report(kAliases, CheckAlias(alias));
    }
    Begin(kDonors);
    for (const BufferDonor& donor : module_.header().buffer_donor) {
      Report(kDonors, CheckDonor(donor));
    }
  }

 private:
  // The entries of an attribute stand in brackets, in the order of the header.
  void Begin(absl::string_view attribute) {
    text_ = {};
    at_ = module_.source().begin;
    for (const HeaderAttribute& written : module_.header_attributes()) {
      if (written.name != attribute) continue;
      at_ = written.value.begin;
      text_ = module_.source_text().substr(at_, written.value.end - at_);
    }
    searched_ = 0;
  }

  void Report(absl::string_view attribute, const absl::Status& status) {
    const size_t open = text_.find('(', searched_);
    if (open != absl::string_view::npos) searched_ = open + 1;
    if (status.ok()) return;
    const size_t offset = open == absl::string_view::npos ? at_ : at_ + open;
    found_.Error(offset, absl::StrCat(attribute, ": ", status.message()));
  }

  absl::Status CheckAlias(const AliasEntry& alias) {
    const Shape& result = module_.shape(module_.entry().root);
    const Shape* output = layout::ElementAt(result, alias.output_index);
    if (output == nullptr || !output->is_array()) {
      return Mismatch("there is no array ", PathText(alias.output_index), " in the result, ",
                      layout::ShapeToString(result));
    }
    TESSERA_ASSIGN_OR_RETURN(const Shape* given,
                             Parameter(alias.parameter_number, alias.parameter_index));
    if (alias.kind == AliasEntry::Kind::kMustAlias && !layout::Compatible(*output, *given)) {
      return Mismatch("the result is ", layout::ShapeToString(*output), ", the parameter ",
                      layout::ShapeToString(*given), "; with must-alias both must be alike");
    }
    return Take(alias.parameter_number, alias.parameter_index);
  }

  absl::Status CheckDonor(const BufferDonor& donor) {
    TESSERA_RETURN_IF_ERROR(Parameter(donor.parameter_number, donor.parameter_index).status());
    const auto taken = taken_.find({donor.parameter_number, donor.parameter_index});
    if (taken == taken_.end()) return absl::OkStatus();
    return Mismatch("parameter ", donor.parameter_number, " at ", PathText(donor.parameter_index),
                    " is in input_output_alias already");
  }

  absl::StatusOr<const Shape*> Parameter(int64_t number, const Path& path) const {
    const auto& parameters = module_.entry().parameters;
    if (number < 0 || static_cast<size_t>(number) >= parameters.size()) {
      return Mismatch("there is no parameter ", number, "; the entry has ", parameters.size());
    }
    const Shape& whole = module_.shape(parameters[static_cast<size_t>(number)]);
    const Shape* array = layout::ElementAt(whole, path);
    if (array != nullptr && array->is_array()) return array;
    return Mismatch("there is no array ", PathText(path), " in parameter ", number, ", ",
                    layout::ShapeToString(whole));
  }

  absl::Status Take(int64_t number, const Path& path) {
    if (taken_.insert({number, path}).second) return absl::OkStatus();
    return Mismatch("parameter ", number, " at ", PathText(path),
                    " is the memory of another result already");
  }

  const Module& module_;
  text::Diagnostics& found_;
  size_t at_ = 0;           // of the attribute's value
  absl::string_view text_;  // that value; empty if it is not in the source
  size_t searched_ = 0;     // of text_
  absl::flat_hash_set<std::pair<int64_t, Path>> taken_;
};

}  // namespace

void CheckAliases(const Module& module, text::Diagnostics* found) {
  Aliases(module, found).Check();
}

}  // namespace tessera::hlo
