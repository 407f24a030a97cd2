// tessera._engine: the verbs of the command line in a Python process.
//
//   engine = _engine.Engine({b"-": b"HloModule m .."})
//   engine.ask([b"explain", b"-", b"dot.7", b"--json"]).output      # b'{"why":[..'
//
// A question is the words of a command line, and its answer the bytes that the command prints.
// The forms of answers stand in pipeline/schema/*_answer.proto. An engine keeps what a question
// has read and made for those that follow (pipeline/input/session.h).
//
// The interpreter's lock is given back while a question runs. Those of one engine wait for each
// other, those of two do not. Nothing is seen from outside but PyInit__engine (exports.lds).
//
// Tested by python/tests/test_engine.py.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "nanobind/nanobind.h"
#include "nanobind/stl/optional.h"
#include "nanobind/stl/string.h"
#include "nanobind/stl/unique_ptr.h"
#include "nanobind/stl/vector.h"
#include "tessera/pipeline/command_line/command_line.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/pipeline/command_line/verbs.h"
#include "tessera/pipeline/input/session.h"
#include "tessera/pipeline/verbs/layout/relayout_array.h"
#include "tessera/pipeline/version.h"
#include "tessera/text/error_place.h"
#include "tessera/text/source.h"

namespace nb = nanobind;

namespace tessera::python {
namespace {

using pipeline::VerbResult;

std::string ToString(const nb::bytes& bytes) { return std::string(bytes.c_str(), bytes.size()); }
nb::bytes ToBytes(const std::string& text) { return nb::bytes(text.data(), text.size()); }

std::vector<std::string> ToStrings(const std::vector<nb::bytes>& words) {
  std::vector<std::string> strings;
  for (const nb::bytes& word : words) strings.push_back(ToString(word));
  return strings;
}

const std::vector<pipeline::Verb>& Verbs() {
  static const auto* const verbs = new std::vector<pipeline::Verb>(pipeline::AllVerbs());
  return *verbs;
}

// The data of a question; one that nobody waits for any more still has it.
struct Work {
  std::mutex mutex;
  pipeline::Session session;

  VerbResult Ask(const std::vector<std::string>& words) {
    const std::lock_guard<std::mutex> lock(mutex);
    return pipeline::RunVerb(Verbs(), words, &session);
  }
};

void AddFiles(const nb::dict& files, pipeline::Session* session) {
  for (const auto& [name, text] : files) {
    const std::string file = ToString(nb::cast<nb::bytes>(name));
    session->AddFile(file, text::Source::FromString(file, ToString(nb::cast<nb::bytes>(text))));
  }
}

class Engine {
 public:
  explicit Engine(const nb::dict& files) { AddFiles(files, &work_->session); }

  // The same files, read already, and further ones; nothing else is shared.
  std::unique_ptr<Engine> Variant(const nb::dict& files) {
    std::unique_ptr<Engine> other(new Engine);
    {
      const nb::gil_scoped_release released;
      const std::lock_guard<std::mutex> lock(work_->mutex);
      other->work_->session = work_->session.WithSameFiles();
    }
    AddFiles(files, &other->work_->session);
    return other;
  }

  // In a thread of its own, so that Ctrl-C ends the waiting: Python then raises what its handler
  // of the signal raises. What the question throws is thrown here.
  VerbResult Ask(const std::vector<nb::bytes>& bytes) {
    const auto question = std::make_shared<Question>(
        [work = work_, words = ToStrings(bytes)] { return work->Ask(words); });
    std::future<VerbResult> answer = question->get_future();
    if (!StartThread(question)) {
      const nb::gil_scoped_release released;
      (*question)();
    }
    while (!IsThere(answer)) {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
    return answer.get();
  }

 private:
  using Question = std::packaged_task<VerbResult()>;

  Engine() = default;

  // False where there is no room for one more.
  static bool StartThread(const std::shared_ptr<Question>& question) {
    try {
      std::thread([question] { (*question)(); }).detach();
      return true;
    } catch (const std::system_error&) {
      return false;
    }
  }

  static bool IsThere(const std::future<VerbResult>& answer) {
    constexpr std::chrono::milliseconds kBetweenSignals(50);
    const nb::gil_scoped_release released;
    return answer.wait_for(kBetweenSignals) == std::future_status::ready;
  }

  const std::shared_ptr<Work> work_ = std::make_shared<Work>();
};

// For the command `tessera`: prints to the process's standard streams.
int RunCommandLine(const std::vector<nb::bytes>& bytes) {
  const std::vector<std::string> words = ToStrings(bytes);
  const nb::gil_scoped_release released;
  return pipeline::RunCommandLine(Verbs(), words, std::cout, std::cerr, pipeline::StandardOutput());
}

std::optional<text::ErrorPlace> PlaceOf(const VerbResult& answer) {
  return text::FindErrorPlace(answer.error);
}

// A NumPy array that is to be copied into another layout (pipeline/verbs/layout/relayout_array.h).
class Relayout {
 public:
  Relayout(const std::string& kind, int64_t item_bytes, bool fortran_order,
           std::vector<int64_t> dims, const nb::bytes& from, const nb::bytes& to)
      : copy_(pipeline::PlanArrayCopy({"", kind.at(0), item_bytes, fortran_order, std::move(dims)},
                                      ToString(from), ToString(to))) {}

  VerbResult Result() const {
    return copy_.ok() ? pipeline::Done("") : pipeline::BadInput(copy_.status());
  }
  bool fortran_order() const { return copy_->result.fortran_order; }
  std::vector<int64_t> dims() const { return copy_->result.dims; }

  // The addresses of two arrays that the caller holds, and their bytes.
  VerbResult Run(uintptr_t source, size_t source_bytes, uintptr_t destination,
                 size_t destination_bytes) const {
    const nb::gil_scoped_release released;
    const absl::Status status =
        pipeline::RunArrayCopy(*copy_, {reinterpret_cast<const uint8_t*>(source), source_bytes},
                               {reinterpret_cast<uint8_t*>(destination), destination_bytes});
    return status.ok() ? pipeline::Done("") : pipeline::BadInput(status);
  }

 private:
  const absl::StatusOr<pipeline::ArrayCopy> copy_;
};

}  // namespace
}  // namespace tessera::python

NB_MODULE(_engine, m) {
  using tessera::pipeline::VerbResult;
  using tessera::python::Engine;
  using tessera::python::Relayout;
  using tessera::text::ErrorPlace;

  // Objects that live until the interpreter ends are no leak.
  nb::set_leak_warnings(false);
  m.attr("__version__") = tessera::pipeline::kVersion;

  nb::class_<ErrorPlace>(m, "Place")
      .def_prop_ro("file", [](const ErrorPlace& p) { return tessera::python::ToBytes(p.file); })
      .def_ro("line", &ErrorPlace::line)
      .def_ro("column", &ErrorPlace::column)
      .def_prop_ro("message",
                   [](const ErrorPlace& p) { return tessera::python::ToBytes(p.message); })
      .def_prop_ro("excerpt",
                   [](const ErrorPlace& p) { return tessera::python::ToBytes(p.excerpt); });

  nb::class_<VerbResult>(m, "Answer")
      .def_prop_ro("status", [](const VerbResult& a) { return static_cast<int>(a.exit); })
      .def_prop_ro("output", [](const VerbResult& a) { return tessera::python::ToBytes(a.out); })
      .def_prop_ro("text", [](const VerbResult& a) { return tessera::python::ToBytes(a.text); })
      .def_prop_ro("notes", [](const VerbResult& a) { return tessera::python::ToBytes(a.notes); })
      .def_prop_ro("error",
                   [](const VerbResult& a) {
                     return tessera::python::ToBytes(std::string(a.error.message()));
                   })
      .def_prop_ro("code",
                   [](const VerbResult& a) { return absl::StatusCodeToString(a.error.code()); })
      .def_prop_ro("place", &tessera::python::PlaceOf);

  nb::class_<Engine>(m, "Engine")
      .def(nb::init<const nb::dict&>(), nb::arg("files"))
      .def("ask", &Engine::Ask, nb::arg("words"))
      .def("variant", &Engine::Variant, nb::arg("files"));

  nb::class_<Relayout>(m, "Relayout")
      .def(nb::init<const std::string&, int64_t, bool, std::vector<int64_t>, const nb::bytes&,
                    const nb::bytes&>(),
           nb::arg("kind"), nb::arg("item_bytes"), nb::arg("fortran_order"), nb::arg("dims"),
           nb::arg("source"), nb::arg("to"))
      .def_prop_ro("answer", &Relayout::Result)
      .def_prop_ro("fortran_order", &Relayout::fortran_order)
      .def_prop_ro("dims", &Relayout::dims)
      .def("run", &Relayout::Run, nb::arg("source"), nb::arg("source_bytes"),
           nb::arg("destination"), nb::arg("destination_bytes"));

  m.def("run_command_line", &tessera::python::RunCommandLine, nb::arg("words"));
}
