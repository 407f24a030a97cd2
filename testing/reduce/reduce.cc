// Delta debugging over a table of steps. A step lists the places where it can be taken; all of them
// are tried at once, then halves, quarters and so on down to single ones, and what leaves the
// module interesting is kept. Rounds over the table go on until one changes nothing.
//
// Example: a training step in which one `dot` is of interest. "results" leaves the one element of
// the root that needs the dot; "parameter" replaces what feeds it by inputs, hundreds of
// instructions in a few attempts; "root" walks from the root to the dot; "marks" takes all metadata
// in one attempt.
//
// Cost: for a step with n places of which k must stay, about k log n questions; each copies, prints
// and parses the module once. Tested in reduce_test.cc.

#include "tessera/testing/reduce/reduce.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "tessera/hlo/builder.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/printer.h"
#include "tessera/hlo/verifier.h"
#include "tessera/testing/reduce/step.h"
#include "tessera/testing/reduce/tidy.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::reduce {
namespace {

using Question = std::function<bool(const std::string&)>;

std::vector<Step> AllSteps() {
  std::vector<Step> all = ElementSteps();
  for (const auto& more : {CallSteps(), ValueSteps(), MarkSteps()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

std::string Print(const hlo::Module& module) {
  hlo::PrintOptions print = hlo::PrintOptions::Default();
  print.large_constants = true;
  print.load_like_xla = false;
  return hlo::PrintModule(module, print);
}

int CountInstructions(const hlo::Module& module) {
  int n = 0;
  for (hlo::ComputationId c = 0; c < module.num_computations(); ++c) {
    n += static_cast<int>(module.computation(c).instructions.size());
  }
  return n;
}

// What a step has to lower: inputs are free, zeros cheaper than what they stand for; then the text.
using Weight = std::pair<int, size_t>;

Weight WeightOf(const hlo::Module& module, const std::string& text) {
  int weight = 0;
  for (hlo::ComputationId c = 0; c < module.num_computations(); ++c) {
    for (hlo::InstructionId id : module.computation(c).instructions) {
      const hlo::Opcode opcode = module.instruction(id).opcode;
      const bool is_cheap = opcode == hlo::Opcode::kConstant || opcode == hlo::Opcode::kBroadcast;
      if (opcode != hlo::Opcode::kParameter) weight += is_cheap ? 1 : 3;
    }
  }
  return {weight, text.size()};
}

class Reducer {
 public:
  Reducer(hlo::Module module, const Question& is_interesting)
      : module_(std::move(module)),
        text_(Print(module_)),
        must_verify_(hlo::VerifyModule(module_).ok()),
        is_interesting_(is_interesting) {}

  absl::StatusOr<Reduced> Run() {
    Reduced result;
    result.instructions_before = CountInstructions(module_);
    if (!Ask(text_)) {
      return absl::InvalidArgumentError("the module itself is not interesting: nothing to reduce");
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const Step& step : AllSteps()) changed |= TakeStep(step);
    }
    result.text = text_;
    result.instructions_after = CountInstructions(module_);
    result.checks = checks_;
    return result;
  }

 private:
  bool Ask(const std::string& text) {
    ++checks_;
    return is_interesting_(text);
  }

  // As many candidates at once as possible.
  bool TakeStep(const Step& step) {
    bool changed = false;
    std::vector<Candidate> all = step.find(module_);
    for (size_t size = all.size(); size > 0; size /= 2) {
      for (size_t begin = 0; begin < all.size();) {
        const size_t end = std::min(begin + size, all.size());
        if (Try(step,
                {all.begin() + static_cast<long>(begin), all.begin() + static_cast<long>(end)})) {
          changed = true;
          all = step.find(module_);
        } else {
          begin = end;
        }
      }
    }
    return changed;
  }

  // Takes the change over if it makes the module a smaller one that is interesting.
  bool Try(const Step& step, const std::vector<Candidate>& candidates) {
    hlo::Module copy = module_;
    hlo::Builder builder(&copy);
    for (auto c = candidates.rbegin(); c != candidates.rend(); ++c) step.apply(builder, *c);
    Tidy(module_, builder);
    std::string text = Print(copy);
    if (WeightOf(copy, text) >= WeightOf(module_, text_) || !seen_.insert(text).second)
      return false;
    absl::StatusOr<hlo::Module> parsed = hlo::ParseModule(text);
    if (!parsed.ok() || (must_verify_ && !hlo::VerifyModule(*parsed).ok())) return false;
    if (!Ask(text)) return false;
    module_ = *std::move(parsed);
    text_ = std::move(text);
    return true;
  }

  hlo::Module module_;
  std::string text_;
  const bool must_verify_;
  const Question& is_interesting_;
  absl::flat_hash_set<std::string> seen_;  // no module is asked about twice
  int checks_ = 0;
};

}  // namespace

absl::StatusOr<Reduced> Reduce(const std::string& text, const Question& is_interesting) {
  TESSERA_ASSIGN_OR_RETURN(hlo::Module module, hlo::ParseModule(text));
  return Reducer(std::move(module), is_interesting).Run();
}

}  // namespace tessera::testing::reduce
