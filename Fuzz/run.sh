#!/bin/bash
# Builds fuzz targets into a folder of their own and runs each for a time.
#
# usage: Fuzz/run.sh [TARGET...] [SECONDS]
#
# TARGET is a folder's name in Fuzz/Corpus, all of them by default; SECONDS is for each target, 60
# by default. A target ends at its first finding, and the run ends with status 1 when there was one;
# the input is in .build/fuzz/findings/TARGET. New inputs stay in .build/fuzz/corpora/TARGET, from
# where the next run goes on; what is worth keeping goes to Fuzz/Corpus by hand, with a name that
# says what it is. An input may take FUZZ_TIMEOUT seconds, 2 by default: more on a busy machine.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export IMAGE_FUZZ=1 SWIFT_BACKTRACE=enable=no

folder=.build/fuzz
seconds=60
targets=()
for argument in "$@"; do
  if [[ $argument =~ ^[0-9]+$ ]]; then
    seconds=$argument
  elif [[ -n $argument && -d Fuzz/Corpus/$argument ]]; then
    targets+=("$argument")
  else
    echo "run.sh: no target '$argument'; there are: $(ls Fuzz/Corpus | xargs)" >&2
    exit 2
  fi
done
((${#targets[@]})) || mapfile -t targets < <(ls Fuzz/Corpus)

for target in "${targets[@]}"; do
  # Optimised, as what ships is; preconditions and traps of overflow stay in it.
  swift build --scratch-path "$folder" --configuration release --product "Fuzz${target^}" \
    --sanitize fuzzer -Xswiftc -sanitize=fuzzer,address -Xcc -fsanitize=fuzzer-no-link,address
done

# Opening an image flushes files, which takes most of the time on a medium that keeps them.
[[ -n ${TMPDIR:-} || ! -d /dev/shm ]] || export TMPDIR=/dev/shm
# Swift keeps bits of its own in pointers to weak references and to enums' boxes, which looks like
# leaks to the sanitizer.
export ASAN_OPTIONS=detect_leaks=0
failed=()
for target in "${targets[@]}"; do
  corpus=$folder/corpora/$target findings=$folder/findings/$target
  mkdir -p "$corpus" "$findings"
  echo "=== $target: $seconds s of revision $(git describe --always --dirty)"
  "$folder/release/Fuzz${target^}" "$corpus" "Fuzz/Corpus/$target" \
    -max_total_time="$seconds" -timeout="${FUZZ_TIMEOUT:-2}" -rss_limit_mb=2048 -max_len=16384 -detect_leaks=0 \
    -artifact_prefix="$findings/" -print_final_stats=1 || failed+=("$target")
done
((${#failed[@]} == 0)) || { echo "run.sh: findings in ${failed[*]}" >&2; exit 1; }
