"""What can go wrong, as a small tree.

MockError            a mistake the caller can correct: a port, a persona, a key
└── RequestError     a request that the real service would refuse; carries the HTTP status
"""


class MockError(Exception):
    """Base of every error of this package. The message names the value and the remedy."""


class RequestError(MockError):
    """A request that is refused, with the status and the error type that the service gives it.

    >>> error = RequestError("max_tokens: Field required")
    >>> error.status, error.kind, str(error)
    (400, 'invalid_request_error', 'max_tokens: Field required')
    """

    def __init__(
        self, message: str, *, status: int = 400, kind: str = "invalid_request_error", param: str = "", code: str = ""
    ) -> None:
        super().__init__(message)
        self.status = status  # HTTP status, 400 to 599
        self.kind = kind  # error.type of the Anthropic envelope
        self.param = param  # the field at fault, as "messages.0.content"; "" where there is none
        self.code = code  # error.code of the OpenAI envelope; "" where there is none
        self.headers: dict[str, str] = {}  # sent with the refusal
