// evaluate FILE: runs the entry of a module on the numbers of inputs.h. For
// testing/jax/compare_values.py it prints each array of the result on a line, as type, dimensions
// and cells:
//
//   f32 2,3 0.5 1 -0.25 ..
//
// agreement: `evaluate --agree FILES..` prints a line for each file and the totals; exit 1 where a
// module differs. All modules of a file are run. `--agree-large` allows eight times the work.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/verifier.h"
#include "tessera/testing/evaluator/modules/inputs.h"
#include "tessera/testing/evaluator/sharded/agreement.h"

namespace tessera::testing::evaluator {
namespace {

absl::StatusOr<std::vector<hlo::Module>> Read(const char* path) {
  auto source = text::Source::FromFile(path);
  if (!source.ok()) return source.status();
  hlo::ParsedText parsed = hlo::ParseModules(*source);
  if (!parsed.diagnostics.ok()) return parsed.diagnostics.ToStatus(**source);
  if (parsed.modules.empty()) return absl::NotFoundError("no module");
  for (const hlo::Module& module : parsed.modules) {
    const text::Diagnostics mistakes = hlo::VerifyModule(module);
    if (!mistakes.ok()) return mistakes.ToStatus(**source);
  }
  return std::move(parsed.modules);
}

std::string CellText(ElementType type, const Cell& cell) {
  if (layout::IsComplex(type)) return absl::StrFormat("%.17g %.17g", cell.re, cell.im);
  if (layout::IsFloat(type)) return absl::StrFormat("%.17g", cell.re);
  return absl::StrCat(cell.i);
}

int Print(const char* path) {
  const absl::StatusOr<std::vector<hlo::Module>> modules = Read(path);
  if (!modules.ok()) return std::fprintf(stderr, "%s\n", modules.status().ToString().c_str()), 2;
  const hlo::Module& module = modules->front();
  const absl::StatusOr<Value> out =
      Interpreter(module, Budget()).Run(module.entry_id(), MakeInputs(module));
  if (!out.ok()) return std::fprintf(stderr, "%s\n", out.status().ToString().c_str()), 2;
  for (const Array* array : Leaves(*out)) {
    std::printf("%s %s", std::string(layout::ElementTypeName(array->type)).c_str(),
                absl::StrJoin(array->dims, ",").c_str());
    for (int64_t i = 0; i < array->size(); ++i)
      std::printf(" %s", CellText(array->type, array->cells[i]).c_str());
    std::printf("\n");
  }
  return 0;
}

// The worst of a file's modules.
Agreement AgreementOf(const char* path, Budget budget) {
  const absl::StatusOr<std::vector<hlo::Module>> modules = Read(path);
  if (!modules.ok()) return {Agreement::Outcome::kSkipped, "not read", 0};
  Agreement all;
  for (const hlo::Module& module : *modules) {
    const Agreement one = CheckAgreement(module, budget);
    all.blocks += one.blocks;
    if (static_cast<int>(one.outcome) <= static_cast<int>(all.outcome)) continue;
    all.outcome = one.outcome;
    all.why = one.why;
  }
  return all;
}

int Agree(int count, char** paths, Budget budget) {
  int totals[3] = {};
  constexpr const char* kNames[] = {"agrees", "skipped", "DIFFERS"};
  int64_t blocks = 0;
  for (int i = 0; i < count; ++i) {
    const Agreement a = AgreementOf(paths[i], budget);
    const int outcome = static_cast<int>(a.outcome);
    ++totals[outcome];
    blocks += a.blocks;
    std::printf("%s %s %s\n", kNames[outcome], paths[i], a.why.c_str());
    std::fflush(stdout);
  }
  std::printf("%d agree in %lld blocks, %d skipped, %d differ\n", totals[0],
              static_cast<long long>(blocks), totals[1], totals[2]);
  return totals[2] == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tessera::testing::evaluator

int main(int argc, char** argv) {
  namespace evaluator = tessera::testing::evaluator;
  if (argc == 2) return evaluator::Print(argv[1]);
  evaluator::Budget budget;
  if (argc > 2 && std::strcmp(argv[1], "--agree") == 0)
    return evaluator::Agree(argc - 2, argv + 2, budget);
  budget.steps *= 8;
  budget.cells_of_array *= 8;
  if (argc > 2 && std::strcmp(argv[1], "--agree-large") == 0)
    return evaluator::Agree(argc - 2, argv + 2, budget);
  std::fprintf(stderr, "usage: evaluate FILE | evaluate --agree|--agree-large FILES..\n");
  return 2;
}
