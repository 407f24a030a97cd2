#!/usr/bin/env bash
# Run by run.sh in the newer Debian: the consumer as a module, tessera itself analysed as the main module, the consumer as a WORKSPACE.
set -u
jobs=$1

MODULES=(--noenable_workspace --registry=file:///srv/registry --lockfile_mode=off)
WORKSPACES=(--noenable_bzlmod --enable_workspace --override_repository=rules_python=/usr/share/bazel/rules/python)
# What Bazel 8 makes the default, as far as Bazel 7 knows it; and no rule is the tool's own, as in Bazel 9.
EIGHT=(--incompatible_disallow_empty_glob --incompatible_disable_native_repo_rules --incompatible_use_plus_in_repo_names
  --incompatible_no_implicit_watch_label --incompatible_autoload_externally=)
KEPT=(--disk_cache=/root/disk --jobs="$jobs" --spawn_strategy=local --noshow_progress --ui_event_filters=-info,-debug,-warning)

run() {  # run WHAT FOLDER COMMAND ..
  local what=$1
  cd "/srv/tessera/$2" || return 2
  echo "--- $what"
  bazel --output_user_root=/root/bazel --max_idle_secs=5 "${@:3}"
}

bazel --version
failed=0
run "the consumer as a module (local_path_override)" examples/consumer test "${MODULES[@]}" "${KEPT[@]}" //... || failed=1
run "tessera as the main module: every target of the binary is analysed" . build --nobuild "${MODULES[@]}" "${KEPT[@]}" //:tessera || failed=1
run "the same by the rules of Bazel 8" . build --nobuild "${MODULES[@]}" "${EIGHT[@]}" "${KEPT[@]}" //:tessera || failed=1
run "and the consumer" examples/consumer build --nobuild "${MODULES[@]}" "${EIGHT[@]}" "${KEPT[@]}" //... || failed=1
run "the consumer as a WORKSPACE (local_repository): all analysed" examples/consumer build --nobuild "${WORKSPACES[@]}" "${KEPT[@]}" //... || failed=1
run "and one library built with the system's own" examples/consumer test "${WORKSPACES[@]}" "${KEPT[@]}" //:padding_test || failed=1
exit "$failed"
