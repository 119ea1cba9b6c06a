#!/bin/sh
# What `make` needs of a machine; says in one sentence what is missing. Prints the Python to use.
# Usage: check_machine.sh [PYTHON]     (run in the folder where .venv will be)

needed_mib=1500 # the environment, its build and the default run's results

fail() {
    echo "Cannot set up: $1" >&2
    exit 1
}

is_new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

python=""
for candidate in ${1:-python3.11 python3.12 python3.13 python3 python}; do
    if is_new_enough "$candidate"; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    found=$("${1:-python3}" --version 2>&1 | head -n 1)
    case $found in
    Python*) fail "$found is too old; install Python 3.11 and run again (or name it: make PYTHON=/path/to/python3.11)." ;;
    *) fail "there is no Python; install Python 3.11 and run again (or name it: make PYTHON=/path/to/python3.11)." ;;
    esac
fi

"$python" -c 'import ensurepip, venv' >/dev/null 2>&1 ||
    fail "Python's venv module is missing; install it (on Debian and Ubuntu: apt-get install python3-venv)."

headers=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
[ -f "$headers/Python.h" ] ||
    fail "Python's C headers are missing; install them (on Debian and Ubuntu: apt-get install python3-dev)."

compiler=${CXX:-c++}
program=$(mktemp) || fail "no temporary file can be made."
trap 'rm -f "$program"' EXIT
echo '#include <vector>
int main() { return std::vector<int>{0}[0]; }' | $compiler -std=c++17 -x c++ -o "$program" - >/dev/null 2>&1 ||
    fail "there is no working C++17 compiler '$compiler'; install one (on Debian and Ubuntu: apt-get install g++) or set CXX."

if [ ! -x .venv/bin/snakemake ]; then
    free_mib=$(df -Pk . | awk 'NR == 2 { print int($4 / 1024) }')
    [ "$free_mib" -ge "$needed_mib" ] ||
        fail "$free_mib MiB of disk space are free here and $needed_mib MiB are needed; free some and run again."
fi

echo "$python"
