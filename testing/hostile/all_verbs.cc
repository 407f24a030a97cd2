// Every verb on modules that are made at random, in the process itself, as the command line runs
// them. Nothing may end the process, take more than a minute or more memory than a machine has; an
// error says what it is.
//
//   all_verbs SEED FIRST LAST FOLDER [MODULE ..]
//
// Execution number K of a seed is always the same, whatever ran before it: the module K/N with the
// verb K%N of N. A module is made (random_module.h), a program of one device is made
// (testing/target_passes/random), or one of those named is taken. To half of them up to three
// changes are made (testing/fuzz/module_mutator.h). Verbs read the binary form of some, maybe with a
// few bytes changed. Executions run in a child process. One that ends it
// is a fault: its files stay in FOLDER/fault-K, and a new child goes on after it. At the end comes
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
#include <random>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tessera/pipeline/command_line/verbs.h"
#include "tessera/testing/fuzz/module_mutator.h"
#include "tessera/testing/hostile/random_module.h"
#include "tessera/testing/hostile/verb_runner.h"
#include "tessera/testing/target_passes/random/random_ops.h"

namespace tessera::testing::hostile {
namespace {

namespace fs = std::filesystem;

constexpr int kSeconds = 60;  // of the processor, for one execution
constexpr size_t kMaxVerbs = 64;

// The message of the child to the parent.
struct Progress {
  int64_t now = 0;
  int64_t ended[kMaxVerbs][VerbRunner::kExits] = {};
};

class Runner {
 public:
  Runner(unsigned seed, const std::string& folder, std::vector<std::string> modules)
      : seed_(seed), modules_(std::move(modules)), verbs_(folder) {}

  void Run(int64_t from, int64_t to, Progress* progress) {
    for (int64_t k = from; k < to; ++k) {
      progress->now = k;
      const int64_t verbs = static_cast<int64_t>(verbs_.num_verbs());
      if (k % verbs == 0 || k == from) MakeModules(k / verbs);
      std::seed_seq seed{static_cast<int64_t>(seed_), k, int64_t{1}};
      std::mt19937 random(seed);
      Limit();
      const size_t verb = static_cast<size_t>(k % verbs);
      ++progress->ended[verb][verbs_.Run(verb, &random)];
    }
  }

 private:
  static void Limit() {
    const itimerval limit = {{0, 0}, {kSeconds, 0}};
    setitimer(ITIMER_PROF, &limit, nullptr);  // SIGPROF ends the child
  }

  std::string Text(std::mt19937* random) {
    if (!modules_.empty() && (*random)() % 4 == 0) return modules_[(*random)() % modules_.size()];
    if ((*random)() % 4 != 0) return RandomModule((*random)());
    return random_programs::RandomProgram((*random)(), 14);
  }

  std::string Module(std::mt19937* random) {
    std::string text = Text(random);
    Mutator mutate((*random)());
    if ((*random)() % 2 == 0) return text;
    for (unsigned changes = 1 + (*random)() % 3; changes > 0; --changes) text = mutate.Change(text);
    return text;
  }

  // The module, a relative of it, and the recording of one of the two.
  void MakeModules(int64_t number) {
    std::seed_seq seed{static_cast<int64_t>(seed_), number};
    std::mt19937 random(seed);
    Limit();
    const std::string text = Module(&random);
    const bool changed = random() % 4 == 0;
    verbs_.SetModules(changed ? Mutator(random()).Change(text) : text, text);
    if (random() % 8 == 0) verbs_.MakeBinary(&random);
  }

  unsigned seed_;
  std::vector<std::string> modules_;
  VerbRunner verbs_;
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
  for (size_t v = 0; v < verbs.size(); ++v) {
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
