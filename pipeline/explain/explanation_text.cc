#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/attributes.h"
#include "tessera/pipeline/explain/chain_rows.h"
#include "tessera/pipeline/explain/explanation.h"
#include "tessera/pipeline/explain/explanation_lines.h"
#include "tessera/pipeline/explain/labels.h"
#include "tessera/pipeline/explain/refusals/verdict_text.h"
#include "tessera/sharding/axis_text.h"

namespace tessera::pipeline {
namespace {

using sharding::explain::Annotation;
using sharding::explain::Chain;
using sharding::explain::Event;
using sharding::explain::EventCause;
using sharding::explain::RefusalKind;
using sharding::explain::Verdict;

constexpr char kReadAsFinal[] =
    "the shardings were read as final, and nothing was propagated: --import=hlo propagates, and "
    "says why\n";

class Writer {
 public:
  Writer(const Explained& explained, const Labels& labels, const Explanation& explanation,
         const TextStyle& style, Lines* lines)
      : explained_(explained),
        explanation_(explanation),
        style_(style),
        log_(*explained.log),
        labels_(labels),
        lines_(*lines) {}

  void Write() {
    WriteHeader();
    for (const DimensionAnswer& answer : explanation_.dims) WriteDimension(answer);
    WriteNowhere();
    if (explained_.is_read) lines_.Add("", kReadAsFinal);
    WriteLevels();
  }

 private:
  // The tensor: name, shape, op_name, place, sharding, and the line of the program.
  void WriteHeader() {
    const hlo::InstructionId id = labels_.InstructionOf(explanation_.slot);
    const std::string name = labels_.Slot(explanation_.slot);
    std::string head = absl::StrCat(name, "  ", labels_.Shape(explanation_.slot));
    if (id != hlo::kNoId) {
      const std::string op_name = hlo::GetOpName(explained_.sharded->module, id);
      if (!op_name.empty() && op_name != name) absl::StrAppend(&head, "  \"", op_name, "\"");
    }
    const std::string place = labels_.Place(id);
    absl::StrAppend(&head, place.empty() ? "" : "  ", place, "  ",
                    labels_.Spec(explained_.FinalId(explanation_.slot)), "\n");
    lines_.Add(kHeadLine, head);
    WriteSourceLine(place);
  }

  void WriteSourceLine(const std::string& place) {
    const std::string line = labels_.SourceLine(place);
    if (!line.empty()) lines_.Add("source", absl::StrCat("    | ", line, "\n"));
  }

  void WriteDimension(const DimensionAnswer& answer) {
    if (answer.axes.empty()) {
      const std::string& axis = explanation_.axis;
      const bool is_any = axis.empty();
      lines_.Add(is_any ? "bare" : "lacks",
                 absl::StrCat("dim ", answer.dim,
                              is_any ? " has no axis" : absl::StrCat(" does not have '", axis, "'"),
                              "\n"));
    }
    for (const AxisAnswer& axis : answer.axes) WriteAxis(answer.dim, axis);
    const std::vector<Verdict> here = Here(answer.absent);
    if (!here.empty()) WriteOwnWord(answer.dim, here);
    for (const std::string& text : VerdictTexts(explained_, labels_, here)) {
      lines_.Add("lacks", text);
    }
    for (size_t i = 0; i < answer.absent.size(); ++i) {
      lines_.Add("", FixesText(answer.absent[i], answer.fixes[i]));
    }
  }

  // Without the axes of which the same is true everywhere; these are said at the end.
  std::vector<Verdict> Here(const std::vector<Verdict>& absent) {
    std::vector<Verdict> here;
    for (const Verdict& verdict : absent) {
      if (explanation_.axis.empty() && NeedsNoFix(verdict)) {
        nowhere_[verdict.headline.kind].insert(AskedAxisText(verdict.axis));
      } else {
        here.push_back(verdict);
      }
    }
    return here;
  }

  // The user's annotation of the tensor itself keeps axes away as well, whatever else does.
  void WriteOwnWord(int dim, const std::vector<Verdict>& here) {
    for (size_t a = 0; a < log_.annotations().size(); ++a) {
      const Annotation& annotation = log_.annotations()[a];
      const sharding::TensorSharding* said = log_.program().Find(annotation.sharding);
      const bool is_closed = annotation.slot == explanation_.slot && said != nullptr &&
                             dim < said->rank() && said->dim(dim).is_closed;
      const bool is_said = absl::c_any_of(here, [&](const Verdict& verdict) {
        return verdict.headline.annotation == static_cast<int32_t>(a);
      });
      if (!is_closed || is_said) continue;
      lines_.Add("", absl::StrCat("dim ", dim, " is closed, propagation adds no axis: ",
                                  AnnotationText(static_cast<int32_t>(a)), "\n"));
    }
  }

  void WriteNowhere() {
    for (const auto& [kind, axes] : nowhere_) {
      const bool is_size_one = kind == RefusalKind::kSizeOneAxis;
      lines_.Add("", absl::StrCat(absl::StrJoin(axes, ", "), axes.size() == 1 ? " is" : " are",
                                  " on no dim (", KindWord(kind), "): ",
                                  is_size_one ? "an axis of size 1 splits nothing"
                                              : "no annotation names it",
                                  "\n"));
    }
  }

  const sharding::Mesh& MeshOf(const AxisAnswer& answer) const {
    return log_.MeshOf(answer.taken_by < 0 ? explained_.FinalId(explanation_.slot)
                                           : log_.PropagatedId(explanation_.slot));
  }

  void WriteAxis(int dim, const AxisAnswer& answer) {
    const sharding::Mesh& mesh = MeshOf(answer);
    const bool is_there = answer.taken_by < 0;
    const std::set<int32_t> ends = EndsOf(answer.chains);
    lines_.Add("has", absl::StrCat("\ndim ", dim, is_there ? " has " : " had ",
                                   AxisInWords(answer.axis, mesh),
                                   is_there ? "" : " after propagation", ", from ",
                                   absl::StrJoin(ends, " and ",
                                                 [&](std::string* out, int32_t end) {
                                                   absl::StrAppend(out, AnnotationText(end));
                                                 }),
                                   "\n"));
    WriteChains(answer, mesh, ends.size() > 1);
    if (answer.taken_by >= 0) WriteTaken(log_.event(answer.taken_by));
  }

  // 'a' (size 2); 'c':(1)2 (the major 2 of c=8)
  static std::string AxisInWords(sharding::AxisRef axis, const sharding::Mesh& mesh) {
    const sharding::MeshAxis& whole = mesh.axis(axis.axis());
    const std::string name = sharding::QuotedAxisText(axis, mesh);
    if (axis.is_full()) return absl::StrCat(name, " (size ", whole.size, ")");
    const bool is_major = axis.pre_size() == 1;
    const bool is_minor = axis.next_pre_size(mesh) == whole.size;
    const char* const part = is_major ? "major" : is_minor ? "minor" : "middle";
    return absl::StrCat(name, " (the ", part, " ", axis.sub_size(), " of ", whole.name, "=",
                        whole.size, ")");
  }

  static std::set<int32_t> EndsOf(const std::vector<Chain>& chains) {
    std::set<int32_t> ends;
    for (const Chain& chain : chains) ends.insert(chain.annotation);
    return ends;
  }

  std::string AnnotationText(int32_t number) const {
    if (number < 0) return "no annotation: the operation is computed so";
    const Annotation& a = log_.annotations()[static_cast<size_t>(number)];
    const std::string place = labels_.PlaceOf(a);
    const bool has_path = a.kind == sharding::explain::AnnotationKind::kParameter;
    return absl::StrCat(labels_.Annotation(a),
                        has_path ? absl::StrCat(" (", labels_.Slot(a.slot), ")") : "",
                        place.empty() ? "" : ", ", place);
  }

  // One chain stands for all parts that have the same origin.
  void WriteChains(const AxisAnswer& answer, const sharding::Mesh& mesh, bool is_fork) {
    std::set<int32_t> shown;
    for (const Chain& chain : answer.chains) {
      if (!shown.insert(chain.annotation).second) continue;
      if (is_fork) {
        lines_.Add("", absl::StrCat("  its part ", AxisInWords(chain.axis, mesh), ":\n"));
      }
      AddRows(chain);
      for (const Chain& also : chain.also) {
        AddRows(also, absl::StrCat("  also from ", AnnotationText(also.annotation)));
      }
    }
  }

  // An annotation of the tensor itself has been said already, so a single row is left out.
  void AddRows(const Chain& chain, absl::string_view title = "") {
    const std::vector<Row> rows = ChainRows(explained_, labels_, chain, style_);
    for (const Row& row : rows) levels_.insert(row.level);
    const bool has_steps = rows.size() > 1;
    if (!title.empty()) lines_.Add("", absl::StrCat(title, has_steps ? ":\n" : "\n"));
    if (has_steps) lines_.AddRows(rows);
    if (chain.annotation >= 0) {
      const Annotation& a = log_.annotations()[static_cast<size_t>(chain.annotation)];
      WriteSourceLine(labels_.Place(a.instruction));
    }
  }

  void WriteTaken(const Event& event) {
    const char* const why = event.cause == EventCause::kReshard
                                ? "the operation cannot be computed with it"
                                : "a function boundary keeps only axes that divide its arrays";
    lines_.Add("",
               absl::StrCat("  removed at the end, since ", why, ": ", labels_.Spec(event.before),
                            " -> ", labels_.Spec(event.after), "\n"));
  }

  void WriteLevels() {
    levels_.erase(-1);
    if (levels_.empty()) return;
    lines_.Add("", "\n");
    for (const int level : levels_) {
      lines_.Add("level", absl::StrCat("level ", level, ": ", LevelInWords(level), "\n"));
    }
  }

  const Explained& explained_;
  const Explanation& explanation_;
  const TextStyle& style_;
  const sharding::explain::EventLog& log_;
  const Labels& labels_;
  std::set<int> levels_;                                  // that some row names
  std::map<RefusalKind, std::set<std::string>> nowhere_;  // axes that no dimension can have
  Lines& lines_;
};

}  // namespace

std::string ExplanationText(const Explained& explained, const Explanation& explanation,
                            const TextStyle& style) {
  return ExplanationText(explained, Labels(explained), explanation, style);
}

std::string ExplanationText(const Explained& explained, const Labels& labels,
                            const Explanation& explanation, const TextStyle& style) {
  TextLines lines;
  Writer(explained, labels, explanation, style, &lines).Write();
  return lines.TakeText();
}

void FillExplanation(const Explained& explained, const Labels& labels,
                     const Explanation& explanation, const TextStyle& style,
                     answers::ReportExplanation* to) {
  MessageLines lines(to);
  Writer(explained, labels, explanation, style, &lines).Write();
}

}  // namespace tessera::pipeline
