"""One question to the mock through litellm: whole, streamed, and with a wrong key."""

import json
import sys

import litellm

url, content = sys.argv[1], json.loads(sys.argv[2])
litellm.suppress_debug_info = True


def answer(key, **options):
    asked = [{"role": "user", "content": content}]
    return litellm.completion("anthropic/mock-reader", asked, api_base=url, api_key=key, num_retries=0, **options)


def seen(completion):
    """Text, cited text and tokens."""
    message = completion.choices[0].message
    (quotes,) = message.provider_specific_fields["citations"]
    return [message.content, quotes[0]["cited_text"], completion.usage.completion_tokens]


def joined(stream):
    """The same of a stream: litellm hands out each citation with a chunk of its own."""
    *chunks, last = stream
    deltas = [chunk.choices[0].delta for chunk in chunks]
    quotes = [one.provider_specific_fields["citation"] for one in deltas if one.provider_specific_fields]
    return ["".join(one.content or "" for one in deltas), quotes[0]["cited_text"], last.usage.completion_tokens]


whole = seen(answer("test-key"))
streamed = joined(answer("test-key", stream=True, stream_options={"include_usage": True}))
try:
    answer("wrong")
except litellm.AuthenticationError as error:
    print(json.dumps({"whole": whole, "streamed": streamed, "error": error.status_code}))
