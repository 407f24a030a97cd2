// A whole program: the shardings that XLA gives the module of a file, as `tessera shard FILE` prints them.
//
//   bazel run -c opt //:shard -- "$PWD/step.hlo"

#include <iostream>
#include <string>
#include <utility>

#include "tessera/hlo/parser.h"
#include "tessera/pipeline/sharded_module.h"
#include "tessera/text/source.h"

namespace {

absl::StatusOr<std::string> ShardFile(const std::string& path) {
  const auto source = tessera::text::Source::FromFile(path);
  if (!source.ok()) return source.status();
  auto module = tessera::hlo::ParseModule(*source);
  if (!module.ok()) return module.status();
  const auto sharded = tessera::pipeline::Shard(*std::move(module));
  if (!sharded.ok()) return sharded.status();
  return sharded->ToHlo();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: shard FILE\n";
    return 2;
  }
  const auto text = ShardFile(argv[1]);
  if (!text.ok()) {
    std::cerr << text.status().message() << "\n";  // file:line:column, the line, a caret
    return 2;
  }
  std::cout << *text;
}
