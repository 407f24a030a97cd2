// Shapes of binary HLO.
//
//   pb::ShapeProto proto;
//   ShapeToProto(shape, &proto);
//   ShapeFromProto(proto) == shape;
//
// A proto that is no shape (unknown element type, negative size) becomes a shape whose text does
// not read, so that the mistake is reported where text is read.

#ifndef TESSERA_HLO_PROTO_VALUES_PROTO_SHAPE_H_
#define TESSERA_HLO_PROTO_VALUES_PROTO_SHAPE_H_

#include "tessera/hlo/hlo_data.pb.h"
#include "tessera/layout/shape.h"

namespace tessera::hlo {

layout::Shape ShapeFromProto(const pb::ShapeProto& proto);
void ShapeToProto(const layout::Shape& shape, pb::ShapeProto* proto);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PROTO_VALUES_PROTO_SHAPE_H_
