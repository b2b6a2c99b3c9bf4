"""The clients of both APIs, unmodified, for every table here."""

import anthropic
import openai
import pytest

collect_ignore = ["peers"]  # programs for environments of their own, no tests


@pytest.fixture(scope="session")
def clients(mock):
    """A function of a key: a client of each API, by its name, that does not try again."""

    def made(key=mock.api_key):
        return {
            "anthropic": anthropic.Anthropic(base_url=mock.url, api_key=key, max_retries=0),
            "openai": openai.OpenAI(base_url=f"{mock.url}/v1", api_key=key, max_retries=0),
        }

    return made


@pytest.fixture(scope="session")
def official(clients):
    return clients()
