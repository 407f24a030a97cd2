#include "tessera/pipeline/verbs/confirm/real_compiler.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tessera/pipeline/command_line/process/subprocess.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using target::Platform;

constexpr int64_t kSecondsForVersions = 60;
// Exit status of compile.py.
constexpr int kRefused = 3;
constexpr int kNotHandedOver = 4;

const char* NameOf(Platform platform) {
  if (platform == Platform::kTpu) return "tpu";
  return platform == Platform::kGpu ? "gpu" : "cpu";
}

const char* InstallOf(Platform platform) {
  if (platform == Platform::kTpu) return "pip install \"jax[tpu]==0.12.0.1\"";
  if (platform == Platform::kCpu) return "pip install jax==0.12.0.1";
  return "pip install jax==0.12.0.1; pip install --no-deps jax-cuda12-plugin==0.12.0.1 "
         "jax-cuda12-pjrt==0.12.0.1 nvidia-cuda-nvcc-cu12";
}

// A folder of this run, removed at its end.
class ScratchFolder {
 public:
  static absl::StatusOr<ScratchFolder> Create() {
    std::error_code error;
    std::string path = (std::filesystem::temp_directory_path(error) / "tessera.XXXXXX").string();
    if (error || mkdtemp(path.data()) == nullptr) {
      return absl::UnavailableError("no folder for what the compiler reads and writes");
    }
    return ScratchFolder(std::move(path));
  }
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

  std::string At(absl::string_view name) const { return absl::StrCat(path_, "/", name); }

  absl::Status Write(absl::string_view name, absl::string_view bytes) const {
    std::ofstream file(At(name), std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    return file ? absl::OkStatus()
                : absl::UnavailableError(absl::StrCat("cannot write ", At(name)));
  }

  std::string Read(absl::string_view name) const {
    std::ifstream file(At(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

absl::Status Missing(const CompilerQuestion& question, absl::string_view what) {
  return absl::NotFoundError(absl::StrCat(question.python, " has no ", what,
                                          ", which --target=", question.target.ToString(),
                                          " needs: ", InstallOf(question.target.chip->platform),
                                          "; or name the Python that has it by --python=PATH"));
}

// The last lines of what a program wrote.
std::string EndOf(const std::string& text) {
  constexpr size_t kLines = 8;
  std::vector<absl::string_view> lines =
      absl::StrSplit(absl::StripAsciiWhitespace(text), '\n', absl::SkipWhitespace());
  if (lines.size() > kLines) lines.erase(lines.begin(), lines.end() - kLines);
  return absl::StrJoin(lines, "\n");
}

std::vector<std::string> WordsOf(const CompilerQuestion& question, const ScratchFolder& folder) {
  const target::Target& target = question.target;
  std::vector<std::string> words = {question.python,
                                    folder.At("compile.py"),
                                    "compile",
                                    NameOf(target.chip->platform),
                                    std::string(target.chip->name),
                                    target.TopologyText(),
                                    absl::StrCat(question.partitions),
                                    absl::StrJoin(question.donors, ","),
                                    folder.At("module.pb"),
                                    folder.At("")};
  words.insert(words.end(), question.flags.begin(), question.flags.end());
  return words;
}

// The second is imported by the first, whatever it is asked.
absl::Status WriteScripts(const ScratchFolder& folder) {
  TESSERA_RETURN_IF_ERROR(folder.Write("compile.py", CompileScript()));
  return folder.Write("shardy_form.py", ShardyFormScript());
}

// jaxlib logs it where a module has shardings of GSPMD that no Shardy sharding stands for.
std::string WarningIn(const std::string& log) {
  if (!absl::StrContains(log, "falling back to using GSPMD")) return "";
  return "note: jaxlib propagated shardings by GSPMD, since the module has some that are not "
         "Shardy's; the prediction is Shardy's\n";
}

}  // namespace

absl::StatusOr<std::string> FindCompiler(const CompilerQuestion& question) {
  TESSERA_ASSIGN_OR_RETURN(const ScratchFolder folder, ScratchFolder::Create());
  TESSERA_RETURN_IF_ERROR(WriteScripts(folder));
  const auto run = RunProcess({question.python, folder.At("compile.py"), "versions",
                               NameOf(question.target.chip->platform)},
                              kSecondsForVersions, "");
  if (!run.ok()) {
    return absl::NotFoundError(
        absl::StrCat("--python=", run.status().message(),
                     "; it is asked for the compiler of --target=", question.target.ToString()));
  }
  if (run->exit != 0) {
    return absl::NotFoundError(
        absl::StrCat("--python=", question.python, " does not run:\n", EndOf(run->err)));
  }
  std::vector<std::string> versions;
  for (const absl::string_view line : absl::StrSplit(run->out, '\n', absl::SkipEmpty())) {
    if (absl::EndsWith(line, " -")) return Missing(question, absl::StripSuffix(line, " -"));
    versions.emplace_back(line);
  }
  return absl::StrJoin(versions, ", ");
}

absl::StatusOr<CompilerAnswer> AskCompiler(const CompilerQuestion& question) {
  TESSERA_ASSIGN_OR_RETURN(const ScratchFolder folder, ScratchFolder::Create());
  TESSERA_RETURN_IF_ERROR(WriteScripts(folder));
  TESSERA_RETURN_IF_ERROR(folder.Write("module.pb", question.module));
  TESSERA_ASSIGN_OR_RETURN(
      const ProcessResult run,
      RunProcess(WordsOf(question, folder), question.seconds,
                 absl::StrCat("s: the compiler of ", question.target.ToString())));
  if (run.timed_out) {
    return absl::DeadlineExceededError(absl::StrCat("the compiler has not ended after ",
                                                    question.seconds,
                                                    " s; --timeout=SECONDS gives it more"));
  }
  if (run.exit == kNotHandedOver) {
    return absl::UnimplementedError(absl::StrCat(
        "jaxlib cannot hand the program over to this compiler as StableHLO:\n", EndOf(run.out)));
  }
  CompilerAnswer answer;
  if (run.exit == kRefused) {
    answer.refusal = std::string(absl::StripAsciiWhitespace(run.out));
  } else if (run.exit != 0) {
    return absl::InternalError(
        absl::StrCat(question.python, " ended with status ", run.exit, ":\n", EndOf(run.err)));
  }
  answer.program = {folder.Read("compiled.hlo"), folder.Read("memory.txt"), WarningIn(run.err)};
  return answer;
}

}  // namespace tessera::pipeline
