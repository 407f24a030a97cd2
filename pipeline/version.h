// The version of tessera: --version, the page of `tessera report`, the archive.

#ifndef TESSERA_PIPELINE_VERSION_H_
#define TESSERA_PIPELINE_VERSION_H_

namespace tessera::pipeline {

inline constexpr char kVersion[] = "0.2.0";

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERSION_H_
