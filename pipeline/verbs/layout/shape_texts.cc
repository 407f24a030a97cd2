#include "tessera/pipeline/verbs/layout/shape_texts.h"

#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/layout/error.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/validate.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/source.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using text::Source;

// `status` at its place in the source, with its code at the end of the message.
absl::Status At(const absl::Status& status, const Source& source) {
  const absl::Status coded =
      text::ErrorAt(text::ErrorOffset(status),
                    absl::StrCat(status.message(), " [", layout::ErrorCode(status), "]"));
  return text::Located(coded, source);
}

absl::StatusOr<layout::Shape> ShapeIn(const Source& source) {
  const absl::StatusOr<layout::Shape> shape = layout::ParseShape(source.text());
  if (!shape.ok()) return At(shape.status(), source);
  if (absl::Status valid = layout::Validate(*shape); !valid.ok()) return At(valid, source);
  return *shape;
}

}  // namespace

absl::StatusOr<layout::Shape> ReadShape(const std::string& argument) {
  if (argument != "-") return ShapeIn(*Source::FromString("<shape>", argument));
  TESSERA_ASSIGN_OR_RETURN(const std::shared_ptr<const Source> source, Source::FromFile(argument));
  return ShapeIn(*source);
}

absl::StatusOr<layout::Shape> ReadLayoutOf(const layout::Shape& shape,
                                           const std::string& argument) {
  if (!absl::StartsWith(absl::StripLeadingAsciiWhitespace(argument), "{")) {
    return ShapeIn(*Source::FromString("<shape>", argument));
  }
  const std::shared_ptr<const Source> source = Source::FromString("<layout>", argument);
  const absl::StatusOr<layout::Layout> layout = layout::ParseLayout(source->text());
  if (!layout.ok()) return At(layout.status(), *source);
  layout::Shape target = shape.array();
  if (target.is_array()) target.set_layout(*layout);
  return target;
}

}  // namespace tessera::pipeline
