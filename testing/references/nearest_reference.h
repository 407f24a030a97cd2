// Which release of the reference made a corpus: the file REFERENCE beside a case file or a pair, or
// in the nearest folder above, holds its version in a line.
//
//   TESSERA_ASSIGN_OR_RETURN(sharding::reference::Reference reference,
//                            NearestReference("corpus/jax/dot.before.hlo"));

#ifndef TESSERA_TESTING_REFERENCES_NEAREST_REFERENCE_H_
#define TESSERA_TESTING_REFERENCES_NEAREST_REFERENCE_H_

#include <string>

#include "absl/status/statusor.h"
#include "tessera/sharding/reference/reference.h"

namespace tessera::testing {

// The newest release where there is no such file. InvalidArgument if it names none that is known.
absl::StatusOr<sharding::reference::Reference> NearestReference(const std::string& path);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_REFERENCES_NEAREST_REFERENCE_H_
