#!/usr/bin/env bash
# run.sh [VERSION] [PYTEST ARGUMENTS]
#
# The tests against a real control plane on 127.0.0.1: etcd, API server, controllers, scheduler of
# VERSION (1.35.4), built from their Go modules on the first run, which takes some minutes.
#
#   KSCHEDX_ORACLE_DIR      where they are kept, VERSION/ (~/.cache/kschedx-oracle)
#   KSCHEDX_CONTROL_PLANE   a folder that holds them already
#   KSCHEDX_LIVE_CLUSTERS   how many generated clusters are compared (120)
#   PYTHON                  the interpreter (.venv/bin/python)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
version=1.35.4
if [[ ${1:-} =~ ^1\.[0-9]+\.[0-9]+$ ]]; then
  version=$1
  shift
fi
python=${PYTHON:-.venv/bin/python}
home=${KSCHEDX_CONTROL_PLANE:-${KSCHEDX_ORACLE_DIR:-$HOME/.cache/kschedx-oracle}/$version}

built() {
  local name
  for name in etcd kube-apiserver kube-controller-manager kube-scheduler; do
    [[ -x $home/$name ]] || return 1
  done
}

if ! built; then
  if ! command -v go >/dev/null; then
    echo 'live tests: SKIPPED, there is no Go to build a control plane with'
    exit 0
  fi
  echo "building a control plane of $version into $home ..."
  bash tests/oracle/build.sh "$version" "$home" --control-plane
fi

KSCHEDX_CONTROL_PLANE=$home exec timeout 1200 "$python" -m pytest -q tests/live "$@"
