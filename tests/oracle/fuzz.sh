#!/usr/bin/env bash
# fuzz.sh [COUNT] [SEED] [VERSION]
#
# Draws COUNT fresh cases (300) over all families of gen.py and gen_more.py but devices, asks the
# real scheduler of VERSION and the replay for their verdicts, and compares them strictly. SEED is
# today's date unless given, VERSION one of the four that changes by day. Exit status 1 when
# anything differs: the failing cases are named and their files stay where they are.
#
#   KSCHEDX_ORACLE_DIR   where oracles are kept, VERSION/oracle (~/.cache/kschedx-oracle)
#   KSCHEDX_FUZZ_JOBS    how many oracles run side by side; they mostly wait (twice the cores)
set -euo pipefail
cd "$(dirname "$0")/../.."
versions=(1.34.4 1.35.4 1.36.3 1.37.2)
count=${1:-300}
seed=${2:-$(date +%F)}
version=${3:-${versions[$(date +%s) / 86400 % 4]}}
if [[ ! $count =~ ^[1-9][0-9]*$ || ! " ${versions[*]} " == *" $version "* ]]; then
  echo "usage: fuzz.sh [COUNT] [SEED] [VERSION], VERSION one of ${versions[*]}" >&2
  exit 2
fi
python=.venv/bin/python
[[ -x $python ]] || python=python3
cores=$(getconf _NPROCESSORS_ONLN)
jobs=${KSCHEDX_FUZZ_JOBS:-$((cores * 2))}
home=${KSCHEDX_ORACLE_DIR:-$HOME/.cache/kschedx-oracle}/$version
oracle=$home/oracle

built() { # of the sources as they are now
  local source
  [[ -x $oracle ]] || return 1
  for source in tests/oracle/*.go; do
    cmp -s "$source" "$home/src/${source##*/}" || return 1
  done
}

if ! built; then
  if ! command -v go >/dev/null; then
    echo "fuzz: skipped, there is no Go to build the real scheduler with"
    exit 0
  fi
  echo "fuzz: building the scheduler of $version in $home (minutes, once)" >&2
  mkdir -p "$home"
  if ! bash tests/oracle/build.sh "$version" "$home" >"$home/build.log" 2>&1; then
    tail -20 "$home/build.log" >&2
    echo "fuzz: the scheduler of $version could not be built, see $home/build.log" >&2
    exit 1
  fi
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/kschedx-fuzz.XXXXXX")
families=()
for generator in gen gen_more; do
  while read -r family; do
    [[ $family == devices ]] || families+=("$generator $family")
  done < <("$python" -m "tests.oracle.$generator" --families)
done
for i in "${!families[@]}"; do
  read -r generator family <<<"${families[$i]}"
  share=$(((count + i) / ${#families[@]})) # adds up to the count
  [[ $share == 0 ]] || "$python" -m "tests.oracle.$generator" "$family" "$seed" "$share"
done >"$work/cases.jsonl"

split -n "l/$jobs" "$work/cases.jsonl" "$work/part."
# shellcheck disable=SC2016 # the inner shell expands these
{
  printf '%s\n' "$work"/part.?? |
    xargs -P "$jobs" -I '{}' sh -c '"$0" <"$1" >"$1.want" 2>"$1.log"' "$oracle" '{}' || true
  printf '%s\n' "$work"/part.?? |
    xargs -P "$cores" -I '{}' sh -c \
      '"$0" -m tests.conformance.replay --k8s-version "$1" <"$2" >"$2.got"' \
      "$python" "${version%.*}" '{}' || true # a case without a verdict is a difference
}
cat "$work"/part.??.want >"$work/want.jsonl"
cat "$work"/part.??.got >"$work/got.jsonl"
if [[ $(wc -l <"$work/want.jsonl") != "$count" ]]; then
  tail -n 5 "$work"/part.??.log >&2
  echo "fuzz: the real scheduler stopped before its last case, see $work" >&2
  exit 1
fi
rm "$work"/part.*

settled=$("$python" -m tests.oracle.settle "$oracle" "$work"/{cases,want,got}.jsonl)
status=0
"$python" -m tests.oracle.compare "$work"/{cases,want,got}.jsonl --show "$count" \
  >"$work/report.txt" || status=$?
refused=$(grep -c '"error":' "$work/want.jsonl" || true)
summary="$(tail -1 "$work/report.txt") (seed $seed, scheduler $version"
[[ $refused == 0 ]] || summary+=", $refused it refused to judge"
[[ $settled == 0 ]] || summary+=", $settled settled by asking it again"
if [[ $status == 0 ]]; then
  rm -r "$work"
else
  head -60 "$work/report.txt"
  echo "fuzz: these differ: $(sed -n 's/^--- //p' "$work/report.txt" | paste -sd ' ')"
  echo "fuzz: cases, verdicts and the whole report are in $work"
fi
echo "fuzz: $summary)"
exit "$status"
