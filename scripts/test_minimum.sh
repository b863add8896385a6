#!/usr/bin/env bash
# The tests with the lowest versions that pyproject.toml declares, without extras, in a venv of its own. torch stays the
# pinned one. A version that the package index does not have is left at what pip finds; the list of what was
# installed is printed first.   scripts/test_minimum.sh [PYTHON [FOLDER for counts]]
set -euo pipefail
cd "$(dirname "$0")/.."
python="${1:-python3}"
venv="${LSGNN_MINIMUM_VENV:-build/minimum}"
counts="${2:-$venv/counts}"
mkdir -p "$counts"
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
"$venv/bin/pip" install -q "$(grep '^torch==' constraints.txt)"
"$python" - <<'PY' > "$venv/lowest.txt"
import tomllib
for line in tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"]:
    if not line.startswith("torch>"):
        print(line.replace(">=", "==") + ".*")
PY
while read -r wanted; do
  "$venv/bin/pip" install -q "$wanted" || { echo "not in the index: $wanted"; "$venv/bin/pip" install -q "${wanted%%==*}"; }
done < "$venv/lowest.txt"
"$venv/bin/pip" install -q -c constraints.txt pytest hypothesis
"$venv/bin/pip" install -q --no-deps -e .
"$venv/bin/pip" list --format=freeze > "$counts/installed.txt"
failed=0
for part in graph propagate nn train runs tuning cli; do  # each has its counts in a file: what passed is not run again
  grep -q 'errors="0" failures="0"' "$counts/$part.xml" 2> /dev/null && continue
  OMP_NUM_THREADS=1 "$venv/bin/python" -m pytest -q -p no:cacheprovider --junitxml="$counts/$part.xml" "tests/$part" || failed=1
done
"$venv/bin/python" -m tests.minimum "$counts" --record
exit $failed
