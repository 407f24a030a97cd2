// The forms in which a sharding can be written.
//
//   for (const ConvertForm& form : ConvertForms()) {
//     form.name;                 // "v2"
//     form.convert(input);       // "{devices=[2,1]<=[2]}", or why there is no such form
//   }

#ifndef TESSERA_PIPELINE_VERBS_CONVERT_CONVERT_FORMS_H_
#define TESSERA_PIPELINE_VERBS_CONVERT_CONVERT_FORMS_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/pipeline/verbs/convert/convert_input.h"

namespace tessera::pipeline {

struct ConvertForm {
  absl::string_view name;
  // Finds and keeps the axes after an HLO sharding when the form needs them.
  absl::StatusOr<std::string> (*convert)(ConvertInput&);
};

// v1, v2, v3, sdy, pspec.
absl::Span<const ConvertForm> ConvertForms();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_CONVERT_CONVERT_FORMS_H_
