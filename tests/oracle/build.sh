#!/usr/bin/env bash
# build.sh VERSION DIR [--control-plane]
#
# Builds the oracle against the Go module k8s.io/kubernetes VERSION (1.34.4, 1.35.4, 1.36.3 or
# 1.37.2) into DIR/oracle. With --control-plane also DIR/{etcd,kube-apiserver,
# kube-controller-manager,kube-scheduler} of that version. The first build takes 2-5 minutes on two
# cores; later ones seconds.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
version=$1
mkdir -p "$2"
dir=$(cd "$2" && pwd)
minor=$(cut -d. -f2 <<<"$version")
src=$dir/src
mkdir -p "$src/etcd"
cp "$here"/*.go "$src/"
chmod -R u+w "$src"
cd "$src"
root=$(go mod download -json "k8s.io/kubernetes@v$version" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
{
  printf 'module oracle\n\ngo %s\n\nrequire k8s.io/kubernetes v%s\n\nreplace (\n' "$(sed -n 's/^go //p' "$root/go.mod")" "$version"
  sed -nE 's#^[[:space:]]*(k8s\.io/[^ ]+) v0\.0\.0( //.*)?$#\t\1 => \1 v0.'"${version#1.}"'#p' "$root/go.mod" | sort -u
  printf ')\n'
} > go.mod
cat > etcd/main.go <<'GO'
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
GO
cat > control_plane.go <<'GO'
//go:build never

package main

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver/app"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	_ "k8s.io/kubernetes/cmd/kube-scheduler/app"
)
GO
go mod tidy >tidy.log 2>&1 || { tail -20 tidy.log >&2; exit 1; }
go build -tags "k1$minor" -o "$dir/oracle" .
if [ "${3:-}" = --control-plane ]; then
  v=k8s.io/component-base/version
  go build -ldflags "-s -w -X $v.gitVersion=v$version -X $v.gitMajor=1 -X $v.gitMinor=$minor" -o "$dir/" \
    k8s.io/kubernetes/cmd/kube-apiserver k8s.io/kubernetes/cmd/kube-controller-manager k8s.io/kubernetes/cmd/kube-scheduler
  go build -o "$dir/etcd" ./etcd
fi
ls "$dir"
