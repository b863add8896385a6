#!/bin/sh
# Runs a command that needs Chromium and its driver, or says in one sentence how to get them.
#
#   scripts/with_browser.sh python -m pytest -m browser
#
# On CI (CI=true) as root they are installed with apt; where that cannot be done the command is skipped, and that is said.
found() {
    command -v chromedriver > /dev/null && for name in chromium chromium-browser google-chrome; do
        command -v "$name" > /dev/null && return 0
    done
    return 1
}

if ! found && [ "${CI:-}" = true ]; then
    if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
        { apt-get update -q && apt-get install -q -y --no-install-recommends chromium chromium-driver; } > /dev/null 2>&1
    fi
    if ! found; then
        echo "browser tests skipped: this machine has no Chromium, and apt could not install it (no root, or no network)" >&2
        exit 0
    fi
fi
if ! found; then
    echo "there is no Chromium with its driver: run apt-get install chromium chromium-driver (as root), then again" >&2
    exit 1
fi
exec "$@"
