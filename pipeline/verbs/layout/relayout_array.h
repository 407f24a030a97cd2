// The copy of a NumPy array into another layout.
//
//   ArrayCopy copy = *PlanArrayCopy(header, "", "{1,0:T(8,128)}");   // f32[129,300]
//   std::string result(copy.plan.dst_bytes(), 0);
//   RunArrayCopy(copy, data, result);                    // on all cores
//   copy.result                                          // f4, {52224}: memory as a row
//
// NumPy knows two layouts, "C" and "Fortran" order. An array in any other layout is for NumPy a row
// of what memory holds, padding included (zeros). The copy itself is layout/relayout/plan.h.
// Tested by relayout_array_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_LAYOUT_RELAYOUT_ARRAY_H_
#define TESSERA_PIPELINE_VERBS_LAYOUT_RELAYOUT_ARRAY_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/layout/relayout/plan.h"
#include "tessera/pipeline/verbs/layout/npy_header.h"

namespace tessera::pipeline {

struct ArrayCopy {
  layout::relayout::Plan plan;
  NpyHeader result;
  bool extends_signs = false;  // s4 becomes a signed byte
};

// `from` and `to` are layouts of the array ("{0,1:T(8,128)}") or whole shapes; an empty `from` is
// the order that the header names. Of the header, `type` and `size` do not matter. Errors: those of
// either text, an array with other bytes than `from` takes, and those of Plan::Create.
absl::StatusOr<ArrayCopy> PlanArrayCopy(const NpyHeader& header, const std::string& from,
                                        const std::string& to);

// On all cores, with progress on a terminal. Error R_BUFFER for spans that are too short.
absl::Status RunArrayCopy(const ArrayCopy& copy, absl::Span<const uint8_t> source,
                          absl::Span<uint8_t> destination);

// Both for a whole .npy file; gives the new file. An error for bytes that the header does not have.
absl::StatusOr<std::string> RelayoutNpyFile(absl::string_view file, const std::string& from,
                                            const std::string& to);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_LAYOUT_RELAYOUT_ARRAY_H_
