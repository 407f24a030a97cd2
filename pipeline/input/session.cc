#include "tessera/pipeline/input/session.h"

#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

template <typename Map, typename Value>
absl::StatusOr<Value> FindOrMake(const typename Map::key_type& key, Map* kept,
                                 absl::FunctionRef<absl::StatusOr<Value>()> make) {
  if (const auto found = kept->find(key); found != kept->end()) return found->second;
  TESSERA_ASSIGN_OR_RETURN(Value made, make());
  return kept->emplace(key, std::move(made)).first->second;
}

}  // namespace

void Session::AddFile(std::string name, std::shared_ptr<const text::Source> text) {
  files_[std::move(name)] = std::move(text);
}

std::shared_ptr<const text::Source> Session::FindFile(absl::string_view name) const {
  const auto found = files_.find(name);
  return found == files_.end() ? nullptr : found->second;
}

Session Session::WithSameFiles() const {
  Session other;
  other.files_ = files_;
  other.modules_ = modules_;
  return other;
}

absl::StatusOr<Session::Modules> Session::KeepModules(
    const std::string& key, absl::FunctionRef<absl::StatusOr<Modules>()> make) {
  return FindOrMake<std::map<std::string, Modules>, Modules>(key, &modules_, make);
}

absl::StatusOr<Session::Made> Session::Keep(std::type_index type, const std::string& key,
                                            absl::FunctionRef<absl::StatusOr<Made>()> make) {
  return FindOrMake<decltype(made_), Made>({type, key}, &made_, make);
}

absl::StatusOr<std::shared_ptr<const text::Source>> ReadFile(const Arguments& arguments,
                                                             const std::string& path) {
  if (const Session* const session = arguments.session(); session != nullptr) {
    if (auto file = session->FindFile(path); file != nullptr) return file;
  }
  return text::Source::FromFile(path);
}

}  // namespace tessera::pipeline
