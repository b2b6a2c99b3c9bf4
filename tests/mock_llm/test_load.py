"""Many numbered requests with faults in between; the benchmark of that name does the same with more of them."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_no_request_is_lost_or_answered_twice():
    command = [sys.executable, "-m", "benchmarks.mock_load", "--requests", "1000", "--connections", "16"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.endswith("every request was answered once\n") and " × 529" in run.stdout
