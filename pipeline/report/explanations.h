// File: explanations.h
//
// What `tessera explain` says of every row of the page, packed.
//
//   WriteExplanations(explained, table, /*most=*/2000, &json);   // a message ReportExplanations
//
// The texts are those of the verb, without cures, which take a run each. They say much the same over
// and over: blocks of some hundred rows shrink to a twentieth, and the page unpacks the one that is
// asked for. Rows beyond `most` are left out, those of fewest bytes on a device first.
//
// Cost: a search for each dimension of each row, linear in what the dimension is connected with.
// Tested by report_test.cc.

#ifndef TESSERA_PIPELINE_REPORT_EXPLANATIONS_H_
#define TESSERA_PIPELINE_REPORT_EXPLANATIONS_H_

#include <cstdint>

#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/report/tensor_table.h"
#include "tessera/text/json.h"

namespace tessera::pipeline {

void WriteExplanations(const Explained& explained, const TensorTable& table, int64_t most,
                       text::JsonWriter* json);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_REPORT_EXPLANATIONS_H_
