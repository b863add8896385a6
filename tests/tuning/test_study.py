"""Processes that share a study: who lives, and who does not."""

import os
import socket
import subprocess
import sys

from lsgnn.tuning.study import _started, worker_is_gone


def test_a_killed_process_is_gone_before_its_parent_has_noticed() -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    mark = f"{socket.gethostname()}:{child.pid}:{_started(child.pid)}"
    assert not worker_is_gone(mark)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # dead, and still in the list of processes
    assert worker_is_gone(mark)
    child.wait()
