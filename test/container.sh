#!/usr/bin/env bash
# Builds the image with Debian's buildah and runs it with Debian's podman, as root, without a registry of images: both bases are
# made by debootstrap. Prints what it saw, and ends with 1 if something was not so.
#   apt-get install buildah podman runc debootstrap curl && RUNTIME=runc test/container.sh
# To check an image that exists already: IMAGE=doorlist test/container.sh
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
container=doorlist-test-$$
failures=0

cleanup() {
  podman rm --force --time 0 "$container" >/dev/null 2>&1 || true
  podman volume rm "$container" >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap cleanup EXIT

check() { # NAME COMMAND…
  local name=$1
  shift
  if "$@" >"$work/output" 2>&1; then
    echo "ok    $name"
  else
    echo "WRONG $name: $(tail -3 "$work/output")"
    failures=$((failures + 1))
  fi
}

base() { # IMAGE DIRECTORY [INSTRUCTION]
  tar --directory "$2" --create . | podman import --quiet ${3:+--change "$3"} - "$1" >/dev/null
}

build() {
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  mirror=$(sed -n 's/^URIs: *//p; s/^deb \(http[^ ]*\) .*/\1/p' /etc/apt/sources.list /etc/apt/sources.list.d/debian* /etc/apt/sources.list.d/* 2>/dev/null | head -1 || true)

  echo "Making the bases…"
  debootstrap --variant=minbase --include=ca-certificates,libstdc++6,libatomic1 "$suite" "$work/build" "$mirror" >"$work/log"
  node=$(readlink -f "$(command -v node)")
  mkdir -p "$work/build/usr/local/lib/node_modules"
  cp "$node" "$work/build/usr/local/bin/node"
  cp -r "$(dirname "$(readlink -f "$(command -v npm)")")/.." "$work/build/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/build/usr/local/bin/npm"
  # As small as the public one: no shell, no package manager.
  mkdir -p "$work/runtime/etc" "$work/runtime/tmp"
  for package in libc6 libgcc-s1 gcc-12-base libstdc++6 ca-certificates tzdata; do
    deb=$(find "$work/build/var/cache/apt/archives" -name "${package}_*.deb" | head -1)
    [ -n "$deb" ] && dpkg-deb --fsys-tarfile "$deb" | tar --extract --directory "$work/runtime" --exclude=./usr/share/doc --exclude=./usr/share/locale
  done
  mkdir -p "$work/runtime/etc/ssl/certs" && cp "$work/build/etc/ssl/certs/ca-certificates.crt" "$work/runtime/etc/ssl/certs/"
  printf 'nonroot:x:65532:65532:nonroot:/data:/sbin/nologin\n' >"$work/runtime/etc/passwd"
  chmod 1777 "$work/runtime/tmp"
  # The certificates of this machine: the registry of packages may be a mirror.
  cp -L /etc/ssl/certs/ca-certificates.crt "$work/build/etc/ssl/certs/"
  base localhost/doorlist-build-base "$work/build" "ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt"
  base localhost/doorlist-runtime-base "$work/runtime"
  rm -rf "$work/build" "$work/runtime"

  echo "Building the image…"
  mounts=()
  [ -e "$HOME/.npmrc" ] && mounts+=(--volume "$HOME/.npmrc:/root/.npmrc:ro")
  for file in /etc/resolv.conf /etc/hosts; do mounts+=(--volume "$file:$file:ro"); done
  buildah build --quiet --format docker --isolation chroot --network host "${mounts[@]}" \
    --build-arg BUILD_IMAGE=localhost/doorlist-build-base --build-arg RUNTIME_IMAGE=localhost/doorlist-runtime-base \
    --tag localhost/doorlist:test . >"$work/log" 2>&1 || { tail -30 "$work/log"; exit 1; }
}

[ -n "${IMAGE:-}" ] || build
image=${IMAGE:-localhost/doorlist:test}
bytes=$(podman image inspect "$image" --format '{{.Size}}')
echo "size: $((bytes / 1000000)) MB"
check "the image is under 200 MB" test "$bytes" -lt 200000000

echo "Running it: not root, read-only, without capabilities…"
podman ${RUNTIME:+--runtime "$RUNTIME"} run --detach --name "$container" --network host --read-only --cap-drop ALL \
  --security-opt no-new-privileges --ulimit nofile=4096:4096 --ulimit nproc=4096:4096 --volume "$container:/data" --env PORT=39211 "$image" >/dev/null
address=http://127.0.0.1:39211
for _ in $(seq 120); do
  curl --silent --fail "$address/readyz" >/dev/null && break
  sleep 1
done
check "it is ready" curl --silent --fail "$address/readyz"
check "the dashboard is there" curl --silent --fail --location "$address/sign-in"
check "the documentation is there" curl --silent --fail "$address/docs/client"
check "the user is not root" test "$(podman top "$container" huser | tail -1)" = 65532
check "commands run in it" podman exec "$container" doorlist waitlist create wl_acme --name Acme
key=$(podman exec "$container" doorlist key create --waitlist wl_acme --env production --quiet)
check "a person signs up" curl --silent --fail "$address/sdk/v1/waitlist/signup" --header "Authorization: Bearer $key" \
  --header 'Content-Type: application/json' --data '{"waitlistId":"wl_acme","entries":[{"email":"ada@example.com"}]}'
check "the health check passes" podman healthcheck run "$container"
check "it prints the command that works in it" bash -c "podman logs $container 2>&1 | grep --quiet '^  KEY=\$(doorlist key create'"
podman stop --time 30 "$container" >/dev/null
check "it stops by itself" test "$(podman inspect "$container" --format '{{.State.ExitCode}}')" = 0
podman start "$container" >/dev/null
for _ in $(seq 60); do
  curl --silent --fail "$address/readyz" >/dev/null && break
  sleep 1
done
check "data is still there after a restart" bash -c "podman exec $container doorlist entry list --waitlist wl_acme | grep --quiet ada@example.com"

[ "$failures" = 0 ] && echo "All of it works."
exit "$((failures > 0))"
