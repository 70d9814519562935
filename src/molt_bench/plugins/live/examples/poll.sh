#!/usr/bin/env bash
# A live agent in bash and curl: checks or calls, whatever happens. Usage: poll.sh INVITATION
set -u
base=${1-}
if [ -z "$base" ]; then echo "usage: poll.sh INVITATION" >&2; exit 1; fi
lost=0
request=(-X GET "$base/v1/turn?wait=25")
while true; do
  # The body, and the status on a line of its own. Whatever goes wrong, the same request is sent again.
  answer=$(curl -s -w '\n%{http_code}' "${request[@]}")
  status=${answer##*$'\n'}
  body=${answer%$'\n'*}
  case "$status" in 000 | 5*) lost=$((lost + 1)) ;; *) lost=0 ;; esac
  if [ "$lost" -ge 300 ]; then echo "the server is gone: the run may be over" >&2; exit 1; fi
  case "$status:$body" in
    410:* | *'"over":{'*) echo "the run is over"; exit 0 ;;
    404:*) echo "no such invitation" >&2; exit 1 ;;
    200:*'"turn_token":"'*)
      token=${body#*'"turn_token":"'} token=${token%%'"'*}
      kind=call
      case "$body" in *'{"kind":"check"}'*) kind=check ;; esac
      request=(-X POST "$base/v1/act?wait=25" -H 'Content-Type: application/json'
        -d "{\"turn_token\":\"$token\",\"kind\":\"$kind\"}")
      ;;
    2*:* | 4*:*) request=(-X GET "$base/v1/turn?wait=25") ;;
    *) sleep 1 ;;
  esac
done
