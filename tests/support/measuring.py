"""The suites' reports of this product, each made once in a process."""

import asyncio
from functools import cache

from eval.figures import SuiteReport
from eval.one import measured
from eval.setup import Setup


@cache
def report_of(name: str) -> SuiteReport:
    """What the suite reports without a model; tests of one suite share the `xdist_group` figures-NAME, and with it this report."""
    return asyncio.run(measured(name, Setup()))
