"""The answers of the development server, on the engine."""

import pytest

from tests.e2e import test_answers

pytestmark = pytest.mark.xdist_group("engine")
globals().update({name: each for name, each in vars(test_answers).items() if name.startswith("test_")})
