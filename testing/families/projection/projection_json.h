// Reading of the forms that all projection cases share.
//
//   {"start":[0,1],"end":[2,3]}    a box      [[0,4],[6,8]]   intervals of one dimension
#ifndef TESSERA_TESTING_FAMILIES_PROJECTION_PROJECTION_JSON_H_
#define TESSERA_TESTING_FAMILIES_PROJECTION_PROJECTION_JSON_H_

#include <optional>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "tessera/projection/core/matrix.h"
#include "tessera/projection/core/point.h"
#include "tessera/projection/core/range.h"
#include "tessera/projection/set/axis_set.h"
#include "tessera/projection/set/set.h"

namespace tessera::testing {

projection::ZPoint ReadPoint(const nlohmann::json& list);
// Throws when the box is none: case files hold valid ones, except where they expect an error.
projection::ZRange ReadRange(const nlohmann::json& box);
std::vector<projection::ZRange> ReadRanges(const nlohmann::json& boxes);
// The number of columns of a matrix without rows is not in the text.
projection::ZMatrix ReadMatrix(const nlohmann::json& rows, int cols_if_no_rows);

nlohmann::json Write(const projection::ZPoint& point);
nlohmann::json Write(const projection::ZRange& box);
nlohmann::json Write(const std::optional<projection::ZRange>& box);  // null for none
nlohmann::json Write(const std::vector<projection::ZRange>& boxes);
nlohmann::json Write(const projection::AxisSet& axis);

// Every cell of the bounding box is in the set. True for the empty set.
bool IsBox(const projection::ZSet& cells);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_FAMILIES_PROJECTION_PROJECTION_JSON_H_
