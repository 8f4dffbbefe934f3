#!/usr/bin/env bash
# Starts MongoDB as a replica set with passwords, which it only does with a key that its members know each other by.
# There is one member, so a key that is made up at each start will do; a second one would need the same key.
set -euo pipefail

umask 077
head -c 600 /dev/urandom | base64 --wrap=0 >/tmp/keyfile
exec docker-entrypoint.sh mongod --replSet rs0 --keyFile /tmp/keyfile "$@"
