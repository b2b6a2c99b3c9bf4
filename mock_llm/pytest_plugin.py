"""A pytest plugin: the fixture `mock_llm` is a server, and a marker says how it behaves.

    @pytest.mark.mock_llm(persona="gullible", delay_ms=0, script=[{"status": 529}])
    def test_it(mock_llm):
        client = anthropic.Anthropic(base_url=mock_llm.url, api_key=mock_llm.api_key)
        ...
        assert mock_llm.journal[-1].persona == "gullible"

Servers are kept for the whole run, one per persona and delay; each test finds the journal empty and
the script as its marker says.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pytest

from mock_llm.errors import MockError
from mock_llm.records import JsonObject
from mock_llm.server import Server, start


class Options(NamedTuple):
    """What the marker takes: some of the parameters of `mock_llm.start`."""

    persona: str = "reader"
    delay_ms: float = 0
    script: Iterable[JsonObject] = ()


Servers = dict[tuple[str, float], Server]  # by persona and delay


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "mock_llm(persona='reader', delay_ms=0, script=[]): how the server of the fixture `mock_llm` behaves"
    )


@pytest.fixture(scope="session")
def _mock_llm_servers() -> Iterator[Servers]:
    """The servers of this run."""
    servers: Servers = {}
    yield servers
    for server in servers.values():
        server.stop()


# A fixture of this name hides the package of the same name only where a test takes it as an argument.
@pytest.fixture(name="mock_llm")
def mock_llm_server(request: pytest.FixtureRequest, _mock_llm_servers: Servers) -> Server:
    """A running stand-in for a language model, as the marker `mock_llm` describes it."""
    options = _options(request.node)
    kind = (options.persona, options.delay_ms)
    try:
        if kind not in _mock_llm_servers:
            _mock_llm_servers[kind] = start(persona=options.persona, delay_ms=options.delay_ms)
        server = _mock_llm_servers[kind]
        server.journal.clear()
        server.script(options.script)
    except MockError as error:
        pytest.fail(f"mock_llm: {error}", pytrace=False)
    return server


def _options(node: pytest.Item) -> Options:
    """What the markers of a test say; of two, the nearer one counts."""
    persona, delay_ms, script = Options()
    for marker in reversed(list(node.iter_markers("mock_llm"))):
        wrong = [*map(repr, marker.args), *(name for name in marker.kwargs if name not in Options._fields)]
        if wrong:
            known = ", ".join(f"{name}=…" for name in Options._fields)
            pytest.fail(f"the marker mock_llm does not take {wrong[0]}: write {known}", pytrace=False)
        persona = marker.kwargs.get("persona", persona)
        delay_ms = marker.kwargs.get("delay_ms", delay_ms)
        script = marker.kwargs.get("script", script)
    return Options(persona, delay_ms, script)
