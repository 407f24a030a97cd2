// Errors about an op or a value of a program. They carry its number, so that the maker of the
// program can name the place:
//
//   const Subject subject = SubjectOf(status);
//   if (subject.op >= 0) ...                   // status is about this op

#ifndef TESSERA_SHARDING_PROPAGATION_RUN_FAULT_H_
#define TESSERA_SHARDING_PROPAGATION_RUN_FAULT_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tessera/sharding/propagation/numbered_program.h"

namespace tessera::sharding::propagation {

// InvalidArgument.
absl::Status OpFault(OpId op, absl::string_view message);
absl::Status ValueFault(ValueId value, absl::string_view message);

// The subject of an error; -1: no op, or no value.
struct Subject {
  OpId op = -1;
  ValueId value = -1;
};
Subject SubjectOf(const absl::Status& status);

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_RUN_FAULT_H_
