// Where the mistake is that a Status reports, as data: what Located(), LocatedAll() and
// Diagnostics::ToStatus() have in their messages as text.
//
//   const auto place = text::FindErrorPlace(status);
//   if (place.has_value()) editor.Show(place->file, place->line, place->column);

#ifndef TESSERA_TEXT_ERROR_PLACE_H_
#define TESSERA_TEXT_ERROR_PLACE_H_

#include <optional>
#include <string>

#include "absl/status/status.h"

namespace tessera::text {

struct ErrorPlace {
  std::string file;
  int line = 0, column = 0;  // from 1
  std::string message;       // one sentence
  std::string excerpt;       // the line and below it the caret, both indented by two
};

// Gives an error a place. A NUL in the file's name ends the name.
void SetErrorPlace(const ErrorPlace& place, absl::Status* status);

// Of the first mistake; nullopt for a status that has no place.
std::optional<ErrorPlace> FindErrorPlace(const absl::Status& status);

}  // namespace tessera::text

#endif  // TESSERA_TEXT_ERROR_PLACE_H_
