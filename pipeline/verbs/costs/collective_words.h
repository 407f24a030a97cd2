// The words in lists of collectives.
//
//   AxesText(line);      // "data,model", "y:(2)2", "one device", "{{0,3},{1,2}}"
//   RunsText(line);      // "12"; "1?" where the trips of a loop are not known
//   SourceText(line);    // "model.py:40", else the op_name

#ifndef TESSERA_PIPELINE_VERBS_COSTS_COLLECTIVE_WORDS_H_
#define TESSERA_PIPELINE_VERBS_COSTS_COLLECTIVE_WORDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"
#include "tessera/sharding/mesh.h"

namespace tessera::pipeline {

// The axes along which it runs, or its devices where they are no axes.
const std::string& AxesText(const CollectiveLine& line);
std::string RunsText(int64_t runs, bool unknown_runs);
std::string RunsText(const CollectiveLine& line);
std::string SourceText(const CollectiveLine& line);
std::string SourceText(const std::string& location, const std::string& op_name);
// The lines that share it, each with its part of the whole: the arrays of a combined collective share it by their
// bytes.
std::vector<std::pair<std::string, double>> SharesByLine(const CollectiveLine& line);

// "all-reduce.1 + all-reduce.4 by all-reduce-reassociate", "3 arrays by all-reduce-combiner": what the partitioner had
// made.
std::string MadeText(const MadeByTarget& made);
// Of one of its arrays.
std::string SourcesText(const MadeByTarget::Part& part);
// Whether --match fits one of the instructions that a target's compiler made it of.
bool MatchesPart(const ListFilter& filter, const CollectiveLine& line);

// Whether it runs along the mesh axis, or a part of it.
bool RunsAlong(const CollectiveLine& line, absl::string_view axis);
// For ListFilter::CheckAxis().
std::vector<std::string> AxesOfMesh(const std::optional<sharding::Mesh>& mesh);
std::vector<std::string> AxesOfMeshes(const sharding::MeshTable& meshes);

// The members that all messages of a collective have in common, but those of its list (collectives_answer.h).
template <typename Message>
void FillCall(const CollectiveLine& line, Message* to) {
  to->set_op(line.op);
  to->set_shape(line.shape);
  to->set_axes(AxesText(line));
  to->set_sent(line.sent);
}

template <typename Message>
void FillMade(const CollectiveLine& line, Message* to) {
  if (!line.target.has_value()) return;
  for (const MadeByTarget::Part& part : line.target->parts) {
    auto* one = to->add_parts();
    one->set_shape(part.shape);
    *one->mutable_sources() = {part.sources.begin(), part.sources.end()};
    *one->mutable_locations() = {part.locations.begin(), part.locations.end()};
  }
  to->set_made_by(line.target->pass);
}

// For a line of text: cut after sixty letters. Lists of devices may be long; the JSON has them whole.
std::string Shortened(const std::string& text);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_COLLECTIVE_WORDS_H_
