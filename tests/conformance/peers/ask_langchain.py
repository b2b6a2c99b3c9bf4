"""One question to the mock through LangChain's ChatAnthropic: whole, streamed, and with a wrong key."""

import json
import sys
from functools import reduce
from operator import add

from anthropic import AuthenticationError
from langchain_anthropic import ChatAnthropic

url, content = sys.argv[1], json.loads(sys.argv[2])
asked = [{"role": "user", "content": content}]


def model(key):
    return ChatAnthropic(model="mock-reader", base_url=url, api_key=key, max_retries=0)


def seen(message):
    """Text, cited text and tokens."""
    (block,) = message.content
    return [block["text"], block["citations"][0]["cited_text"], message.usage_metadata["output_tokens"]]


whole, streamed = model("test-key").invoke(asked), reduce(add, model("test-key").stream(asked))
try:
    model("wrong").invoke(asked)
except AuthenticationError as error:
    print(json.dumps({"whole": seen(whole), "streamed": seen(streamed), "error": error.status_code}))
