#!/usr/bin/env bash
set -euo pipefail
declare -A map=([a]=1 [b]="two")
readonly DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
usage() { cat <<-EOF >&2
	Usage: ${0##*/} [-v] ${1:-x}
	EOF
}
function each { local -n ref=$1; for key in "${!ref[@]}"; do echo "$key ${ref[$key]^^}"; done; }
while getopts ":vh" opt; do
  case "$opt" in
    v|x) set -x ;;
    h) usage; exit 0 ;;
    *) usage; exit 1 ;;
  esac
done
if [[ $# -gt 0 && "$1" =~ ^[a-z]+$ ]] || (( ${#map[@]} > 1 )); then
  diff <(sort a) <(sort b) | tee >(wc -l) || true
elif ! command -v git >/dev/null 2>&1; then exit 1
fi
arr=(a b "c d"); arr+=("$(printf '%s\n' "${arr[@]:1:2}")")
for ((i = 0; i < 3; i++)); do echo $((i * 2)); done
trap 'rm -f "$tmp"' EXIT
until ping -c1 host &>/dev/null; do sleep 1; done &
[ -f x ] && . ./x; echo {1..3} $'a\tb'
select x in a b; do break; done <<< "1"
