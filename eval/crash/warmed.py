"""What the process that is forked for each worker has in memory: every graph compiled once, and two scenarios gone through.

That was done on an event loop and over connections that are closed by now: a fork inherits memory, and nothing that is open.
"""

import gc
import tempfile
import threading
from pathlib import Path

from eval.crash.scenarios import SCENARIOS
from eval.crash.worker import FINISH, PREPARE, Job, scenario_house, work
from eval.workbench import built

for _scenario in SCENARIOS.values():
    built(scenario_house(Path("/nonexistent"), _scenario), _scenario.graph)()
for _name in ("assistant", "orders"):
    with tempfile.TemporaryDirectory() as _folder:
        for _task in (PREPARE, FINISH):
            work(Job(Path(_folder), _name, _task))
if threading.active_count() > 1:
    raise RuntimeError(f"threads are left that a fork would break: {threading.enumerate()}")
gc.collect()
gc.freeze()
gc.disable()  # A worker lives for half a second.
