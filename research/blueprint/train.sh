#!/bin/sh
# Train depths one after the other, with all that `build.py --steps prepare` wrote into a folder: needs only a C compiler.
#
#     train.sh FOLDER THREADS DEPTH:SECONDS:VALUE_SECONDS ...
#
# Seconds are of training and of estimating values. A second call with the same folder continues from the checkpoints.
set -eu
here=$(dirname "$0")
folder=$1
threads=$2
shift 2
cc -O3 -march=native -pthread -o "$folder/trainer" "$here/cards.c" "$here/solver.c" "$here/main.c" -lm
if [ ! -e "$folder/turns" ]; then
    "$folder/trainer" turns "$folder/cards" "$folder/turns" --threads "$threads"
fi
for plan in "$@"; do
    depth=${plan%%:*}
    rest=${plan#*:}
    echo "depth $depth"
    "$folder/trainer" solve --cards "$folder/cards" --turns "$folder/turns" --tree "$folder/$depth.tree" \
        --checkpoint "$folder/$depth.checkpoint" --threads "$threads" --seconds "${rest%%:*}" --value-seconds "${rest#*:}" \
        --strategy "$folder/$depth.strategy" --values "$folder/$depth.values"
done
