// Every verb on modules that are made at random, in the process itself, as the command line runs
// them. Nothing may end the process, take more than a minute or more memory than a machine has; an
// error says what it is.
//
//   all_verbs SEED FIRST LAST FOLDER [MODULE ..]
//
// Execution number K of a seed is always the same, whatever ran before it: the module K/18 with the
// verb K%18. A module is made (random_module.h), or one of those named is taken; to half of them up
// to three changes are made (testing/fuzz/module_mutator.h); of some, verbs read the binary form,
// of which a few bytes may have been changed. Executions run in a child process. One that ends it
// is a fault: its files stay in FOLDER/fault-K, and a new child goes on behind it. At the end comes
// a table of how the verbs ended; the exit status is 1 if there was a fault.
//
//   bazel build --config=asan //testing/hostile:all_verbs
//   bazel-bin/testing/hostile/all_verbs 1 0 200000 /tmp/faults testing/jax/golden/*.before.hlo

#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/pipeline/command_line/command_line.h"
#include "tessera/pipeline/command_line/verbs.h"
#include "tessera/testing/fuzz/module_mutator.h"
#include "tessera/testing/hostile/random_module.h"
#include "tessera/testing/hostile/random_words.h"

namespace tessera::testing::hostile {
namespace {

namespace fs = std::filesystem;

constexpr int kSeconds = 60;  // of the processor, for one execution
constexpr int kVerbs = 18;
constexpr int kExits = 3;

// What the child tells the parent.
struct Progress {
  int64_t now = 0;
  int64_t ended[kVerbs][kExits] = {};
};

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

class Runner {
 public:
  Runner(unsigned seed, std::string folder, std::vector<std::string> modules)
      : seed_(seed), folder_(std::move(folder)), modules_(std::move(modules)) {
    files_ = {Path("m.hlo"), Path("n.hlo"), Path("golden.txt"), Path("out.svg")};
    for (const pipeline::Verb& verb : pipeline::AllVerbs()) verbs_.push_back({verb});
  }

  void Run(int64_t from, int64_t to, Progress* progress) {
    for (int64_t k = from; k < to; ++k) {
      progress->now = k;
      if (k % kVerbs == 0 || k == from) MakeModules(k / kVerbs);
      std::seed_seq seed{static_cast<int64_t>(seed_), k, int64_t{1}};
      std::mt19937 random(seed);
      Limit();
      const int exit = RunVerb(static_cast<size_t>(k % kVerbs), &random);
      ++progress->ended[k % kVerbs][exit];
    }
  }

 private:
  std::string Path(const char* name) const { return absl::StrCat(folder_, "/", name); }

  static void Limit() {
    const itimerval limit = {{0, 0}, {kSeconds, 0}};
    setitimer(ITIMER_PROF, &limit, nullptr);  // SIGPROF ends the child
  }

  std::string Module(std::mt19937* random) {
    const bool made = modules_.empty() || (*random)() % 4 != 0;
    std::string text = made ? RandomModule((*random)()) : modules_[(*random)() % modules_.size()];
    Mutator mutate((*random)());
    if ((*random)() % 2 == 0) return text;
    for (unsigned changes = 1 + (*random)() % 3; changes > 0; --changes) text = mutate.Change(text);
    return text;
  }

  int Execute(size_t verb, const std::vector<std::string>& words) {
    std::ostringstream out, err;
    WriteFile(Path("words"), absl::StrJoin(words, "\n"));
    const int exit = pipeline::RunCommandLine(verbs_[verb], words, out, err);
    if (exit < 0 || exit >= kExits || (exit == 2 && err.str().empty())) std::abort();
    if (exit == 2) std::ofstream(Path("errors"), std::ios::app) << err.str();
    return exit;
  }

  size_t IndexOf(const std::string& name) const {
    size_t at = 0;
    while (at + 1 < verbs_.size() && verbs_[at][0].name != name) ++at;
    return at;
  }

  // The module, a relative of it, and the recording of one of the two.
  void MakeModules(int64_t number) {
    std::seed_seq seed{static_cast<int64_t>(seed_), number};
    std::mt19937 random(seed);
    Limit();
    const std::string text = Module(&random);
    WriteFile(files_.other, text);
    WriteFile(files_.golden, "");
    const bool changed = random() % 4 == 0;
    WriteFile(files_.module, changed ? Mutator(random()).Change(text) : text);
    Execute(IndexOf("record"), {"record", files_.other, "-o", files_.golden});
    if (random() % 8 == 0) MakeBinary(&random);
  }

  void MakeBinary(std::mt19937* random) {
    const std::string file = Path("m.pb");
    if (Execute(IndexOf("print"), {"print", files_.module, "--format=pb", "-o", file}) != 0) return;
    std::string bytes = ReadFile(file);
    for (unsigned n = (*random)() % 4; n > 0 && !bytes.empty(); --n) {
      bytes[(*random)() % bytes.size()] = static_cast<char>((*random)());
    }
    WriteFile(files_.module, bytes);
  }

  int RunVerb(size_t verb, std::mt19937* random) {
    return Execute(verb, RandomWords(verbs_[verb][0].name, files_, random));
  }

  unsigned seed_;
  std::string folder_;
  std::vector<std::string> modules_;
  Files files_;
  std::vector<std::vector<pipeline::Verb>> verbs_;
};

void KeepFault(const std::string& folder, int64_t k, int status) {
  const std::string kept = absl::StrCat(folder, "/fault-", k);
  fs::create_directories(kept);
  for (const char* file : {"m.hlo", "n.hlo", "golden.txt", "words"}) {
    const std::string from = absl::StrCat(folder, "/", file);
    std::error_code none;
    fs::copy_file(from, absl::StrCat(kept, "/", file), fs::copy_options::overwrite_existing, none);
  }
  std::printf("fault: execution %lld ended with %s %d\n", static_cast<long long>(k),
              WIFSIGNALED(status) ? "signal" : "status",
              WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  std::fflush(stdout);
}

void PrintTable(const Progress& progress) {
  const std::vector<pipeline::Verb> verbs = pipeline::AllVerbs();
  std::printf("%-12s %9s %9s %9s\n", "verb", "done", "finding", "error");
  for (size_t v = 0; v < kVerbs; ++v) {
    std::printf("%-12s", verbs[v].name.c_str());
    for (const int64_t n : progress.ended[v]) std::printf(" %9lld", static_cast<long long>(n));
    std::printf("\n");
  }
}

// Runs all executions; the number of faults.
int Supervise(Runner& runner, int64_t first, int64_t last, const std::string& folder) {
  void* const shared =
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  auto* const progress = new (shared) Progress;
  int faults = 0;
  for (int64_t from = first; from < last;) {
    const pid_t child = fork();
    if (child == 0) {
      runner.Run(from, last, progress);
      _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return faults + 1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
    ++faults;
    KeepFault(folder, progress->now, status);
    from = progress->now + 1;
  }
  PrintTable(*progress);
  return faults;
}

int Main(int argc, char** argv) {
  int64_t seed = 0, first = 0, last = 0;
  if (argc < 5 || !absl::SimpleAtoi(argv[1], &seed) || !absl::SimpleAtoi(argv[2], &first) ||
      !absl::SimpleAtoi(argv[3], &last)) {
    std::fprintf(stderr, "usage: all_verbs SEED FIRST LAST FOLDER [MODULE ..]\n");
    return 2;
  }
  const std::string folder = argv[4];
  fs::create_directories(folder);
  std::vector<std::string> modules;
  for (int i = 5; i < argc; ++i) modules.push_back(ReadFile(argv[i]));
  Runner runner(static_cast<unsigned>(seed), folder, std::move(modules));
  const int faults = Supervise(runner, first, last, folder);
  std::printf("%lld executions, %d faults\n", static_cast<long long>(last - first), faults);
  return faults == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tessera::testing::hostile

int main(int argc, char** argv) { return tessera::testing::hostile::Main(argc, argv); }
