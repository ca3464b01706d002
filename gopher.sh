#!/bin/sh
# Gopher's launcher: makes .venv from requirements.lock when it is missing or out of date, then runs `python -m gopher`.
# It needs Python 3.11 to 3.13 and nothing else.
set -eu

root=$(dirname -- "$(readlink -f -- "$0")") # the clone, also through a link from a directory on PATH
cd -- "$root"

up_to_date() {
    [ -x .venv/bin/python ] && [ -f .venv/gopher-root ] && cmp -s requirements.lock .venv/gopher-requirements.lock &&
        [ "$(cat .venv/gopher-root)" = "$root" ]
}

find_python() {
    found=
    for candidate in python3 python3.13 python3.12 python3.11 python; do
        # Run it: a name on PATH may be a shim without a Python behind it.
        version=$("$candidate" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
        case $version in
            3.11 | 3.12 | 3.13) python=$candidate; return ;;
            *) found="$found, $candidate is $version" ;;
        esac
    done
    echo "gopher: needs Python 3.11, 3.12 or 3.13 on PATH (found ${found:-, none}); install one of them and try again." |
        sed 's/found , /found: /' >&2
    exit 1
}

if ! up_to_date; then
    find_python
    "$python" devstack/environment.py || exit $?
fi
exec "$root/.venv/bin/python" -m gopher "$@"
