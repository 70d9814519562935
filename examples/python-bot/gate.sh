#!/bin/sh
# Did the bot get worse? Plays the version in BASE and the one here on the same cards, and compares them.
# Usage: sh gate.sh [BASE]; it fails if the bot has lost more than 50 big blinds per 100 hands, or may have.
set -eu
base=${1:-origin/main}
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT

mkdir "$out/base"
git archive "$base" . | tar -x -C "$out/base"
(cd "$out/base" && molt-bench --config "$OLDPWD/bench.yaml" --quiet --output-dir "$out/old")
molt-bench --config bench.yaml --quiet --output-dir "$out/new"
molt-bench compare "$out"/old/* "$out"/new/* --agent bot --fail-below 500
