// A sharding as users write it: P(...), or the axis form where P(...) has no words for it.
//
//   SpecText(sharding, meshes);     // "P('data', None)", "<@mesh, [{\"data\":(1)2}, {}]>"

#ifndef TESSERA_PIPELINE_ANSWER_SPEC_TEXT_H_
#define TESSERA_PIPELINE_ANSWER_SPEC_TEXT_H_

#include <string>

#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::pipeline {

// Of an array that each device has as a whole, whether a sharding says so or there is none.
constexpr char kWholeSpec[] = "P()";

std::string SpecText(const sharding::TensorSharding& sharding, const sharding::MeshTable& meshes);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_ANSWER_SPEC_TEXT_H_
