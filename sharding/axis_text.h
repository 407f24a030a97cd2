// An axis, or a part of one, as a short text.
//
//   ShortAxisText(AxisRef::Sub(1, 2, 2), mesh);    // y:(2)2
//   QuotedAxisText(AxisRef::Sub(1, 2, 2), mesh);   // 'y':(2)2
//   ParseAxisText("y:(2)2", mesh);                 // AxisRef::Sub(1, 2, 2)
//
// The part stands after the name as in Shardy: `:(product of the parts before it)its size`. With
// double quotes and escapes, as in sdy text: AxisRefToString() of axes.h.

#ifndef TESSERA_SHARDING_AXIS_TEXT_H_
#define TESSERA_SHARDING_AXIS_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/sharding/axes.h"
#include "tessera/sharding/mesh.h"

namespace tessera::sharding {

std::string ShortAxisText(AxisRef axis, const Mesh& mesh);
std::string QuotedAxisText(AxisRef axis, const Mesh& mesh);

// Reads what ShortAxisText() prints. InvalidArgument for a name that the mesh does not have, and
// for a part that cannot be read; whether the part divides the axis is not checked.
absl::StatusOr<AxisRef> ParseAxisText(absl::string_view text, const Mesh& mesh);

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_AXIS_TEXT_H_
