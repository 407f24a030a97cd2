#include "tessera/pipeline/verbs/project_verb.h"

#include <cstdio>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/output_file.h"
#include "tessera/pipeline/read_module.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/project_request.h"
#include "tessera/projection/indexing_map.h"
#include "tessera/projection/picture.h"
#include "tessera/projection/svg.h"
#include "tessera/text/json.h"

namespace tessera::pipeline {
namespace {

using projection::ZRange;

constexpr int64_t kMostBoxes = 24;

// The boxes of a set, or the one around it when they are many.
std::string BoxesText(const projection::ZSet& cells) {
  const absl::StatusOr<std::vector<ZRange>> boxes = cells.Slabs(kMostBoxes);
  if (!boxes.ok()) return absl::StrCat("inside ", cells.bounding()->ToString());
  std::string out;
  for (const ZRange& box : *boxes) absl::StrAppend(&out, out.empty() ? "" : " ", box.ToString());
  return out.empty() ? "nothing" : out;
}

std::string OperandText(const ProjectedOperand& o) {
  std::string out = absl::StrCat("  ", o.name, " ", projection::ShapeText(o.shape), ": ",
                                 BoxesText(o.need.cells), ", ", o.bytes, " bytes");
  if (o.need.used_fraction < 1)
    absl::StrAppendFormat(&out, ", %.0f%% of its box used", 100 * o.need.used_fraction);
  if (!o.need.exact) absl::StrAppend(&out, " (the box around it: too many pieces)");
  if (o.own.has_value()) {
    absl::StrAppend(&out, "\n    holds ", o.own->ToString(), ", lacks ", BoxesText(o.missing), ", ",
                    o.missing_bytes, " bytes");
  }
  return out + "\n";
}

std::string CutText(const projection::CutChoice& c) {
  return absl::StrFormat(
      "  %-12s %d bytes moved, %d read twice, %d of partial results, %d in the largest part, "
      "balance %.2f\n",
      absl::StrJoin(c.parts, "x"), c.bytes_moved, c.bytes_read_twice, c.partial_bytes, c.memory,
      c.balance);
}

std::string AsText(const ProjectAnswer& answer, bool draw) {
  std::string out =
      absl::StrCat(answer.instruction, ": ", projection::ExactnessName(answer.signature.exactness));
  if (!answer.signature.note.empty()) absl::StrAppend(&out, " (", answer.signature.note, ")");
  out += "\n";
  for (const projection::CutChoice& cut : answer.cuts) out += CutText(cut);
  for (const ProjectedBlock& block : answer.blocks) {
    absl::StrAppend(&out, "block ", block.block.ToString(), "\n");
    for (const ProjectedOperand& o : block.operands) out += OperandText(o);
    if (!draw) continue;
    absl::StrAppend(&out, "\n",
                    projection::DrawRegion(answer.instruction, answer.signature.index.shape(),
                                           projection::ZSet::OfBox(block.block)));
    for (const ProjectedOperand& o : block.operands)
      out += projection::DrawRegion(o.name, o.shape, o.need.cells);
  }
  return out;
}

void WriteBox(const ZRange& box, text::JsonWriter* json) {
  json->BeginObject();
  json->Key("start").Ints(box.start());
  json->Key("end").Ints(box.end());
  json->EndObject();
}

void WriteOperand(const ProjectedOperand& o, text::JsonWriter* json) {
  json->BeginObject();
  json->Key("name").String(o.name);
  json->Key("cells").Int(o.need.cells.size().value_or(0));
  json->Key("bytes").Int(o.bytes);
  if (o.need.bounding.has_value()) WriteBox(*o.need.bounding, &json->Key("bounding"));
  json->Key("used_fraction").Double(o.need.used_fraction);
  if (o.own.has_value()) {
    WriteBox(*o.own, &json->Key("own"));
    json->Key("missing_bytes").Int(o.missing_bytes);
    json->Key("missing").BeginArray();
    const absl::StatusOr<std::vector<ZRange>> boxes = o.missing.Slabs();
    if (boxes.ok()) {
      for (const ZRange& box : *boxes) WriteBox(box, json);
    }
    json->EndArray();
  }
  json->EndObject();
}

void WriteCuts(const std::vector<projection::CutChoice>& cuts, text::JsonWriter* json) {
  json->Key("cuts").BeginArray();
  for (const projection::CutChoice& c : cuts) {
    json->BeginObject();
    json->Key("parts").Ints(c.parts);
    json->Key("bytes_moved").Int(c.bytes_moved);
    json->Key("bytes_read_twice").Int(c.bytes_read_twice);
    json->Key("partial_bytes").Int(c.partial_bytes);
    json->Key("memory").Int(c.memory);
    json->Key("balance").Double(c.balance);
    json->EndObject();
  }
  json->EndArray();
}

std::string AsJson(const ProjectAnswer& answer) {
  text::JsonWriter json;
  json.BeginObject();
  json.Key("instruction").String(answer.instruction);
  json.Key("exactness").String(projection::ExactnessName(answer.signature.exactness));
  if (!answer.signature.note.empty()) json.Key("note").String(answer.signature.note);
  json.Key("blocks").BeginArray();
  for (const ProjectedBlock& block : answer.blocks) {
    json.BeginObject();
    WriteBox(block.block, &json.Key("block"));
    json.Key("operands").BeginArray();
    for (const ProjectedOperand& o : block.operands) WriteOperand(o, &json);
    json.EndArray().EndObject();
  }
  json.EndArray();
  if (!answer.cuts.empty()) WriteCuts(answer.cuts, &json);
  json.EndObject();
  return json.text() + "\n";
}

// The first block: result and operands below each other.
std::string AsSvg(const ProjectAnswer& answer) {
  projection::SvgPicture picture;
  if (answer.blocks.empty()) return picture.ToString();
  const ProjectedBlock& block = answer.blocks[0];
  picture.Add({answer.instruction, answer.signature.index.shape(),
               projection::ZSet::OfBox(block.block), "the block"});
  for (const ProjectedOperand& o : block.operands) {
    picture.Add(
        {o.name, o.shape, o.need.cells, absl::StrCat("read by the block, ", o.bytes, " bytes")});
  }
  return picture.ToString();
}

VerbResult RunProject(const Arguments& arguments) {
  const absl::StatusOr<hlo::Module> module = ReadModule(arguments);
  if (!module.ok()) return BadInput(module.status());
  const absl::StatusOr<ProjectAnswer> answer = AnswerProject(*module, arguments);
  if (!answer.ok()) return BadInput(answer.status());
  if (arguments.Has("format")) {
    if (arguments.Get("format") != "indexing-map")
      return BadInput(absl::InvalidArgumentError("--format: there is indexing-map"));
    return Done(projection::IndexingMapsText(answer->signature));
  }
  if (arguments.Has("svg")) {
    const absl::Status written = WriteWholeFile(arguments.Get("svg"), AsSvg(*answer));
    if (!written.ok()) return BadInput(written);
  }
  return Done(arguments.Has("json") ? AsJson(*answer) : AsText(*answer, arguments.Has("draw")));
}

}  // namespace

Verb ProjectVerb() {
  Verb verb;
  verb.name = "project";
  verb.summary = "which data a block of an instruction needs";
  verb.description =
      "Says for a block of the result of an instruction which cells of each operand it needs: "
      "exactly where the operation "
      "decides it, as a bound where data does. With --device the block is the tile of that device "
      "under the shardings that "
      "`shard` computes, and what the device does not hold is listed too.";
  verb.positionals = {{"FILE", kFileHelp}, {"NAME", "the instruction"}};
  verb.flags = {
      {"block", "RANGES", "the block, START:END for each dimension of the result, such as 0:8,0:4",
       ""},
      {"cut", "AXIS:PARTS", "every part of an even cut, such as 0:4 or 0:2,1:2", ""},
      {"device", "K", "the tile of a device", ""},
      {"best", "PARTS", "the best ways to cut the instruction into so many parts", ""},
      {"memory", "BYTES", "with --best: what one part may take", ""},
      {"format", "indexing-map", "how the whole instruction reads, in XLA's notation", ""},
      {"draw", "", "pictures in the terminal", ""},
      {"svg", "FILE", "a picture of the first block", ""},
      ModuleFlag(),
      {"json", "", "the answer as JSON", ""},
  };
  for (Flag& flag : PropagationFlags()) verb.flags.push_back(std::move(flag));
  verb.examples = {
      {"tessera project conv.hlo conv.1 --block=0:1,0:4,0:4,0:8 --draw",
       "the window of a corner of an image"},
      {"tessera project step.hlo dot.3 --device=5 --mesh=data=4,model=2", "what device 5 lacks"},
  };
  verb.run = RunProject;
  return verb;
}

}  // namespace tessera::pipeline
