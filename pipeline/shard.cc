#include "tessera/pipeline/shard.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "tessera/pipeline/command_line/process/heap.h"
#include "tessera/pipeline/input/location_remapper.h"
#include "tessera/pipeline/steps/program_text.h"
#include "tessera/pipeline/steps/shard_pipeline.h"
#include "tessera/pipeline/writers/keep/region_leaves.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using sharding::passes::BeginOf;
using sharding::passes::Phase;
using sharding::passes::Pipeline;
using sharding::passes::Rerun;

// Passes [begin, end); errors have their places in the text that was given.
absl::Status Run(const Pipeline& pipeline, size_t begin, size_t end, const ShardOptions& options,
                 PropagatedModule* s) {
  const absl::Status status =
      sharding::passes::RunPasses(pipeline, begin, end, s, options.pass_observer);
  return LocatedInInput(status, s->module, s->original);
}

// One name for each array that is returned; a token has none.
absl::Status NameResults(const std::vector<std::string>& names, PropagatedModule* s) {
  if (names.empty()) return absl::OkStatus();
  size_t arrays = 0;
  const sharding::passes::Op& result = *s->program->entry()->body->terminator();
  for (int i = 0; i < result.num_operands(); ++i) {
    const bool is_array = result.operand(i)->is_array();
    s->result_names.push_back(is_array && arrays < names.size() ? names[arrays] : "");
    arrays += is_array ? 1 : 0;
  }
  if (arrays == names.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(names.size(),
                                                 " names of results for a module that returns ",
                                                 arrays, " arrays: give those of this program"));
}

absl::StatusOr<size_t> EndOf(const Pipeline& pipeline, const ShardOptions& options) {
  if (options.stop_after.empty()) return pipeline.size();
  TESSERA_ASSIGN_OR_RETURN(const size_t last, FindPass(pipeline, options.stop_after));
  return last + 1;
}

// Every line, as in files of Windows.
bool EndsLinesInCrlf(absl::string_view text) {
  size_t at = text.find('\n');
  if (at == absl::string_view::npos) return false;
  for (; at != absl::string_view::npos; at = text.find('\n', at + 1)) {
    if (at == 0 || text[at - 1] != '\r') return false;
  }
  return true;
}

std::string WithLineEndsOf(bool are_crlf, std::string text) {
  return are_crlf ? absl::StrReplaceAll(text, {{"\r\n", "\r\n"}, {"\n", "\r\n"}}) : text;
}

std::unique_ptr<PropagatedModule> Take(Rerun rerun) {
  auto s = std::make_unique<PropagatedModule>();
  s->module = *std::move(rerun.module);
  s->rerun.calls_are_separate = rerun.calls_are_separate;
  return s;
}

}  // namespace

absl::StatusOr<std::unique_ptr<PropagatedModule>> Propagate(
    hlo::Module module, const ShardOptions& options, sharding::propagation::Observer* observer) {
  const Pipeline pipeline = ShardPipeline(options);
  auto s = std::make_unique<PropagatedModule>();
  s->module = std::move(module);
  s->observer = observer;
  TESSERA_RETURN_IF_ERROR(Run(pipeline, 0, BeginOf(pipeline, Phase::kExport), options, s.get()));
  TESSERA_RETURN_IF_ERROR(NameResults(options.result_names, s.get()));
  return s;
}

absl::Status Finalize(const ShardOptions& options, PropagatedModule* s) {
  const Pipeline pipeline = ShardPipeline(options);
  return Run(pipeline, BeginOf(pipeline, Phase::kExport), BeginOf(pipeline, Phase::kEmit), options,
             s);
}

void ReleaseRun(PropagatedModule* s) {
  s->run = nullptr;
  s->book = nullptr;
}

absl::StatusOr<Written> WriteModule(const ShardOptions& options, PropagatedModule* s) {
  const Pipeline pipeline = ShardPipeline(options);
  const size_t writer = pipeline.size() - 1;  // makes a text
  ReleaseRun(s);
  TESSERA_RETURN_IF_ERROR(Run(pipeline, BeginOf(pipeline, Phase::kEmit), writer, options, s));
  Written written;
  if (options.traces_leaves) writers::FindRegionLeaves(s->module, s->form.get());
  written.module = writers::WriteXla(s->module, *s->form, &written.sources,
                                     options.traces_leaves ? &written.leaves : nullptr);
  s->form = nullptr;
  s->program = nullptr;
  return written;
}

absl::StatusOr<ShardResult> ShardModule(hlo::Module module, const ShardOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(const Pipeline pipeline, ShardPipelineFor(module, options));
  TESSERA_ASSIGN_OR_RETURN(const size_t end, EndOf(pipeline, options));
  const size_t emit = std::min(end, BeginOf(pipeline, Phase::kEmit));
  const bool are_crlf =
      options.structure == Structure::kKeep && EndsLinesInCrlf(module.source_text());
  Rerun rerun;
  rerun.module = std::move(module);
  std::unique_ptr<PropagatedModule> s;
  while (rerun.module.has_value()) {
    s = Take(std::move(rerun));
    TESSERA_RETURN_IF_ERROR(Run(pipeline, 0, emit, options, s.get()));
    ReleaseRun(s.get());
    if (s->original.has_value()) GiveBackFreePages();
    TESSERA_RETURN_IF_ERROR(Run(pipeline, emit, end, options, s.get()));
    rerun = std::move(s->rerun);
  }
  const bool is_whole = end == pipeline.size();
  return ShardResult{is_whole ? WithLineEndsOf(are_crlf, std::move(s->text))
                              : ProgramText(*s, options.reference.behaviors),
                     std::move(s->notes)};
}

}  // namespace tessera::pipeline
