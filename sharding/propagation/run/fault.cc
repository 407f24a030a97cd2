#include "tessera/sharding/propagation/run/fault.h"

#include <cstdint>
#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tessera::sharding::propagation {
namespace {

// Payloads of the status.
constexpr char kOp[] = "tessera.propagation.op";
constexpr char kValue[] = "tessera.propagation.value";

absl::Status Fault(absl::string_view what, int64_t number, absl::string_view message) {
  absl::Status status = absl::InvalidArgumentError(message);
  status.SetPayload(what, absl::Cord(absl::StrCat(number)));
  return status;
}

int32_t NumberOf(const absl::Status& status, absl::string_view what) {
  const auto payload = status.GetPayload(what);
  int32_t number = -1;
  if (!payload.has_value() || !absl::SimpleAtoi(std::string(*payload), &number)) return -1;
  return number;
}

}  // namespace

absl::Status OpFault(OpId op, absl::string_view message) { return Fault(kOp, op, message); }

absl::Status ValueFault(ValueId value, absl::string_view message) {
  return Fault(kValue, value, message);
}

Subject SubjectOf(const absl::Status& status) {
  return {NumberOf(status, kOp), NumberOf(status, kValue)};
}

}  // namespace tessera::sharding::propagation
