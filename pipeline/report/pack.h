// Text for a page: as small as zlib makes it, and without characters that mean something to HTML.
//
//   Pack("aaaa..");                       // a zlib stream in base64: "eJxLTEwEAAP8AW0="
//   EscapedForScript("{\"n\":\"</script>\"}");   // {"n":"\u003c/script\u003e"}
//   EscapedForHtml("a<b");                // a&lt;b

#ifndef TESSERA_PIPELINE_REPORT_PACK_H_
#define TESSERA_PIPELINE_REPORT_PACK_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tessera::pipeline {

std::string Pack(absl::string_view text);

// JSON as the text of a script element: the same value for a JSON reader, but nothing in it ends
// the element or begins a comment. Bytes that are no UTF-8 become U+FFFD.
std::string EscapedForScript(absl::string_view json);

std::string EscapedForHtml(absl::string_view text);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_REPORT_PACK_H_
