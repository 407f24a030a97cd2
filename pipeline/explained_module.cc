#include "tessera/pipeline/explained_module.h"

#include <utility>

#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/explain/explanation.h"
#include "tessera/pipeline/explain/find_tensor.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

absl::StatusOr<Explanation> Answer(const Explained& e, absl::string_view tensor,
                                   absl::string_view axis) {
  TESSERA_ASSIGN_OR_RETURN(const FoundTensor found,
                           FindTensor(e, std::string(tensor), std::string(axis)));
  Question question;
  question.dim = found.dim;
  question.axis = std::string(axis);
  return pipeline::Explain(e, found.slot, question);
}

}  // namespace

ExplainedModule::ExplainedModule(Explained explained)
    : explained_(std::make_unique<Explained>(std::move(explained))) {}
ExplainedModule::ExplainedModule(ExplainedModule&&) = default;
ExplainedModule& ExplainedModule::operator=(ExplainedModule&&) = default;
ExplainedModule::~ExplainedModule() = default;

absl::StatusOr<std::string> ExplainedModule::Explain(absl::string_view tensor,
                                                     absl::string_view axis) const {
  TESSERA_ASSIGN_OR_RETURN(const Explanation explanation, Answer(*explained_, tensor, axis));
  return ExplanationText(*explained_, explanation, TextStyle{});
}

absl::StatusOr<std::string> ExplainedModule::ExplainAsJson(absl::string_view tensor,
                                                           absl::string_view axis) const {
  TESSERA_ASSIGN_OR_RETURN(const Explanation explanation, Answer(*explained_, tensor, axis));
  return ExplanationJson(*explained_, explanation);
}

const std::vector<std::string>& ExplainedModule::notes() const {
  return explained_->sharded->notes;
}

absl::StatusOr<ExplainedModule> ExplainModule(hlo::Module module, const ShardOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(Explained explained, RunExplained(std::move(module), options));
  return ExplainedModule(std::move(explained));
}

}  // namespace tessera::pipeline
