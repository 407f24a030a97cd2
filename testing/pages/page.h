// The commands of a page of the documentation, and the output that it shows for each.
//
// A command is a line indented by four spaces that begins with "$ "; it goes on in the next line
// after a backslash. The indented lines after it, blank ones between them too, are its output,
// and end at the next command or at text. In them a line ".." or "..." stands for any number of
// lines. A comment "# exit status N" at the end of a command is the exit status of a finding:
//
//     $ tessera stats examples/mlp.hlo
//     ...
//     bytes: 12
//     $ tessera check examples/mlp.hlo mlp.golden.txt    # exit status 1
//
// Cost: linear; MatchesOutput is quadratic at worst in the lines of one output. Tested in
// page_test.cc; pages_test.cc runs them all.
#ifndef TESSERA_TESTING_PAGES_PAGE_H_
#define TESSERA_TESTING_PAGES_PAGE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tessera::testing {

struct PageCommand {
  int line;                           // of the page, from 1
  std::string text;                   // without "$ ", for a shell
  int status = 0;                     // the exit status that the page says
  std::vector<std::string> expected;  // lines without their indentation; empty: the page shows none
};

std::vector<PageCommand> CommandsOf(absl::string_view page);

// Is `actual` what the page says? Blanks at the ends of lines do not count.
bool MatchesOutput(const std::vector<std::string>& expected,
                   const std::vector<std::string>& actual);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_PAGES_PAGE_H_
