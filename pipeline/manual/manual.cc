// Prints a page or a completion: `manual man`, `bash`, `zsh` or `fish`.

#include <iostream>

#include "absl/strings/string_view.h"
#include "tessera/pipeline/command_line/verbs.h"
#include "tessera/pipeline/manual/completion.h"
#include "tessera/pipeline/manual/man_page.h"

namespace {

using tessera::pipeline::Verb;
namespace manual = tessera::pipeline::manual;

struct Page {
  absl::string_view name;
  std::string (*text)(const std::vector<Verb>&);
};

constexpr Page kPages[] = {{"man", manual::ManPage},
                           {"bash", manual::BashCompletion},
                           {"zsh", manual::ZshCompletion},
                           {"fish", manual::FishCompletion}};

}  // namespace

int main(int argc, char** argv) {
  for (const Page& page : kPages) {
    if (argc != 2 || page.name != argv[1]) continue;
    std::cout << page.text(tessera::pipeline::CurrentVerbs());
    return 0;
  }
  std::cerr << "manual: expected man, bash, zsh or fish\n";
  return 2;
}
