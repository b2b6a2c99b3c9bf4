"""All paths but the endpoints: health, models, and the control of this server, from this machine only."""

from collections.abc import Awaitable, Callable
from urllib.parse import parse_qs

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mock_llm.endpoints import ENDPOINTS, Wire, wire_of
from mock_llm.errors import RequestError
from mock_llm.explanation import explained
from mock_llm.faults import Script
from mock_llm.hosts import is_loopback
from mock_llm.journal import Journal
from mock_llm.personas import PERSONAS
from mock_llm.records import Json, JsonObject
from mock_llm.sending import check_key, check_needs
from mock_llm.version import __version__
from mock_llm.wires.bodies import identity

LARGEST_SCRIPT = 1024 * 1024  # bytes

Handler = Callable[[Request], Awaitable[Json]]  # what it returns is sent as JSON

# Error types for the statuses that Starlette itself gives.
KINDS = {404: "not_found_error", 500: "api_error"}


def routes(api_key: str, persona: str, journal: Journal, script: Script) -> Starlette:
    """The application for these paths. It also answers every path that is not served."""
    key = api_key.encode()

    async def health(request: Request) -> JsonObject:
        """Tells a client which server this is. It needs no key and shows none."""
        return {
            "status": "ok",
            "server": "mock_llm",
            "version": __version__,
            "persona": persona,
            "personas": list(PERSONAS),
        }

    async def models(request: Request) -> JsonObject:
        return _wire(request).models(parse_qs(request.url.query, keep_blank_values=True))

    async def model(request: Request) -> JsonObject:
        return _wire(request).model(request.path_params["name"])

    async def read_journal(request: Request) -> JsonObject:
        return {"calls": journal.as_list()}

    async def clear_journal(request: Request) -> JsonObject:
        journal.clear()
        return {"calls": []}

    async def set_script(request: Request) -> JsonObject:
        script.replace(await _script_steps(request))
        return {"steps": len(script)}

    async def explain(request: Request) -> JsonObject:
        """The explanation of the last call that was answered from its prompt."""
        if journal.last_request is None:
            raise RequestError("no call to explain yet: send one first", status=404, kind=KINDS[404])
        return explained(journal.last_request, persona).as_dict()

    def open_to(check: Callable[[Request], None], handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            check(request)
            return _json(request, await handler(request), 200)

        return endpoint

    def anybody(request: Request) -> None:
        pass

    def key_holder(request: Request) -> None:
        wire, headers = _wire(request), dict(request.headers.raw)
        check_key(headers, key, wire)
        check_needs(headers, wire)

    def owner(request: Request) -> None:
        _check_near(request)
        check_key(dict(request.headers.raw), key, _wire(request))

    return Starlette(
        routes=[
            Route("/health", open_to(anybody, health), methods=["GET"]),
            Route("/v1/models", open_to(key_holder, models), methods=["GET"]),
            Route("/v1/models/{name:path}", open_to(key_holder, model), methods=["GET"]),
            Route("/_mock/journal", open_to(owner, read_journal), methods=["GET"]),
            Route("/_mock/journal", open_to(owner, clear_journal), methods=["DELETE"]),
            Route("/_mock/script", open_to(owner, set_script), methods=["POST"]),
            Route("/_mock/explain", open_to(owner, explain), methods=["GET"]),
        ],
        exception_handlers={HTTPException: _no_route, RequestError: _refused, Exception: _internal_error},
    )


async def _script_steps(request: Request) -> object:
    """The steps of a script: a JSON list of them, or a single one."""
    raw = b""
    async for part in request.stream():
        raw += part
        if len(raw) > LARGEST_SCRIPT:
            raise RequestError(
                f"a script can have at most {LARGEST_SCRIPT} bytes", status=413, kind="request_too_large"
            )
    try:
        steps = msgspec.json.decode(raw)
    except (ValueError, RecursionError) as error:
        raise RequestError(f"The request body is not valid JSON: {error}") from None
    return [steps] if isinstance(steps, dict) else steps


def _check_near(request: Request) -> None:
    """Refuse other machines, and web pages whose own host name leads to this machine."""
    peer = request.client.host if request.client else ""
    if not (is_loopback(peer) and is_loopback(_host_name(request.headers.get("host", "")))):
        raise RequestError("only this machine may control the server", status=403, kind="permission_error")


def _host_name(header: str) -> str:
    """The name in a Host header, without its port."""
    return header[1:].partition("]")[0] if header.startswith("[") else header.partition(":")[0]


def _wire(request: Request) -> Wire:
    return wire_of(request.url.path, dict(request.headers.raw))


def _json(request: Request, body: object, status: int, headers: dict[str, str] | None = None) -> Response:
    own = {_wire(request).id_header: _identity(request)}
    return Response(msgspec.json.encode(body), status, {**(headers or {}), **own}, media_type="application/json")


def _identity(request: Request) -> str:
    return identity("req", f"{request.method} {request.url.path}".encode())


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestError)
    return _json(request, _wire(request).error_body(error, _identity(request)), error.status, error.headers)


async def _no_route(request: Request, error: Exception) -> Response:
    """An unknown path, or a method that its path does not take."""
    assert isinstance(error, HTTPException)
    known = request.url.path in ENDPOINTS
    status = 405 if known else error.status_code
    where = f"{request.method} {request.url.path[:200]}"
    said = {404: f"{where} is not served: try POST {' or '.join(ENDPOINTS)}", 405: f"{where}: Method Not Allowed"}
    refusal = RequestError(said.get(status, error.detail), status=status,
                           kind=KINDS.get(status, "invalid_request_error"))  # fmt: skip
    refusal.headers.update({"allow": "POST"} if known else error.headers or {})
    return await _refused(request, refusal)


async def _internal_error(request: Request, error: Exception) -> Response:
    """A bug of this server."""
    return await _refused(request, RequestError("Internal server error", status=500, kind=KINDS[500]))
