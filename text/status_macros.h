// The two lines that every function with a Status repeats.
//
//   TESSERA_RETURN_IF_ERROR(Check(x));
//   TESSERA_ASSIGN_OR_RETURN(const Shape shape, ParseShape(text));

#ifndef TESSERA_TEXT_STATUS_MACROS_H_
#define TESSERA_TEXT_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define TESSERA_RETURN_IF_ERROR(expression)                                                      \
  do {                                                                                           \
    if (absl::Status tessera_status = (expression); !tessera_status.ok()) return tessera_status; \
  } while (false)

#define TESSERA_CONCAT_INNER(a, b) a##b
#define TESSERA_CONCAT(a, b) TESSERA_CONCAT_INNER(a, b)
#define TESSERA_ASSIGN_OR_RETURN(left, expression) \
  TESSERA_ASSIGN_OR_RETURN_IMPL(TESSERA_CONCAT(tessera_or_, __LINE__), left, expression)
#define TESSERA_ASSIGN_OR_RETURN_IMPL(result, left, expression) \
  auto result = (expression);                                   \
  if (!result.ok()) return std::move(result).status();          \
  left = *std::move(result)

#endif  // TESSERA_TEXT_STATUS_MACROS_H_
