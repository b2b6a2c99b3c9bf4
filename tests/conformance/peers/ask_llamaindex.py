"""One question to the mock through LlamaIndex's Anthropic: whole, streamed, and with a wrong key."""

import json
import sys

from anthropic import AuthenticationError
from llama_index.core.base.llms.types import CitableBlock, CitationBlock
from llama_index.core.llms import ChatMessage, TextBlock
from llama_index.llms.anthropic import Anthropic

url, (document, question) = sys.argv[1], json.loads(sys.argv[2])
# LlamaIndex sends what can be cited as a search result.
source = TextBlock(text=document["source"]["data"])
citable = CitableBlock(title=document["title"], source="t", content=[source])
asked = [ChatMessage(role="user", blocks=[citable, TextBlock(text=question["text"])])]


def model(key):
    # It knows the sizes of the service's own models only.
    return Anthropic(model="claude-sonnet-4-5", base_url=url, api_key=key, max_tokens=100, max_retries=0)


def seen(response):
    """Text, cited text and tokens."""
    (text,) = (block.text for block in response.message.blocks if isinstance(block, TextBlock))
    (quote,) = (block for block in response.message.blocks if isinstance(block, CitationBlock))
    return [text, quote.cited_content.text, response.raw["usage"].output_tokens]


whole = model("test-key").chat(asked)
*_, streamed = model("test-key").stream_chat(asked)
try:
    model("wrong").chat(asked)
except AuthenticationError as error:
    print(json.dumps({"whole": seen(whole), "streamed": seen(streamed), "error": error.status_code}))
