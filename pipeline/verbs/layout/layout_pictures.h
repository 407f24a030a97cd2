// One SVG file with a picture of each array of a program that wastes most: `layout FILE --svg=FILE`.
//
// Below each other, each with its place in the list, its name, and its padding; the pictures are those
// of one array (layout/draw_svg.h). Tested by program_layouts_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_LAYOUT_LAYOUT_PICTURES_H_
#define TESSERA_PIPELINE_VERBS_LAYOUT_LAYOUT_PICTURES_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "tessera/pipeline/verbs/layout/program_layouts.h"

namespace tessera::pipeline {

// Of the first `top` arrays that have padding; a page that says so where none has. Errors: those of
// layout::DrawSvg().
absl::StatusOr<std::string> LayoutPictures(const ProgramLayouts& layouts, size_t top);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_LAYOUT_LAYOUT_PICTURES_H_
