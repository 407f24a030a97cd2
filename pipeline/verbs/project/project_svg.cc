#include "tessera/pipeline/verbs/project/project_report.h"
#include "tessera/projection/draw/operation_picture.h"

namespace tessera::pipeline {

std::string AsSvg(const ProjectAnswer& answer) {
  projection::OperationNames names{answer.instruction, answer.operands};
  if (!answer.shared.empty()) names.element_bytes = answer.shared[0].element_bytes;
  return projection::SvgOfOperation(answer.signature, names, answer.plan,
                                    answer.stages.has_value() ? &*answer.stages : nullptr);
}

}  // namespace tessera::pipeline
