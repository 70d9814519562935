#!/bin/sh
# Did the bot get worse? Plays the version in BASE and the one here on the same cards, and compares them.
# Usage: sh gate.sh [BASE [AGENT]]. AGENT is its id in bench.yaml.
# It exits with status 1 if the bot certainly lost more than 50 big blinds per 100 hands, and 6 if it cannot tell.
set -eu
base=${1:-origin/main}
agent=${2:-bot}
git rev-parse --quiet --verify "$base^{commit}" > /dev/null || { echo "gate.sh: there is no version $base" >&2; exit 2; }
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT

mkdir "$out/base"
git archive "$base" . | tar -x -C "$out/base"
(cd "$out/base" && molt-bench --config "$OLDPWD/bench.yaml" --quiet --output-dir "$out/old" > "$out/log")
molt-bench --config bench.yaml --quiet --output-dir "$out/new" > "$out/log"
molt-bench compare "$out"/old/* "$out"/new/* --agent "$agent" --fail-below 500
