#!/usr/bin/env bash
# Starts MongoDB as a replica set with passwords, which requires a key file shared by its members. There is one member,
# so a key generated at each start is enough; a second member would need the same key.
set -euo pipefail

umask 077
head -c 600 /dev/urandom | base64 --wrap=0 >/tmp/keyfile
exec docker-entrypoint.sh mongod --replSet rs0 --keyFile /tmp/keyfile "$@"
