"""The models that a server lists."""

import aiohttp

from assay.core.system.secrets import Secrets
from assay.llm.calls.answers import HttpAnswer, read_problem
from assay.llm.calls.http import CONNECTING, MOST_BYTES, find_proxy
from assay.llm.calls.server_errors import ServerErrors
from assay.llm.settings.options import Endpoint

_PATIENCE = 15.0  # seconds


async def listed_models(endpoint: Endpoint) -> tuple[str, ...] | None:
    """The names of its models; None if it does not list them as such servers do.

    Raises `ServiceError` if it cannot be reached or rejects the key.
    """
    errors = ServerErrors(endpoint)
    answer = await _get(endpoint, errors)
    if answer is None:
        return None
    data = answer.json()
    if answer.status in (401, 403):
        raise errors.error(read_problem(answer, data, endpoint.errors), answer, known=False)
    rows = data.get("data") if isinstance(data, dict) else None
    if answer.status != 200 or not isinstance(rows, list):
        return None
    names = (row.get("id") for row in rows if isinstance(row, dict))
    return tuple(name for name in names if isinstance(name, str) and name.isprintable())


async def _get(endpoint: Endpoint, errors: ServerErrors) -> HttpAnswer | None:
    url = errors.url.with_path(errors.url.path.removesuffix("/chat/completions") + "/models")
    headers = {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}
    patience = aiohttp.ClientTimeout(total=_PATIENCE, sock_connect=CONNECTING)
    try:
        async with (
            aiohttp.ClientSession(headers=headers, timeout=patience) as session,
            session.get(url, allow_redirects=False, proxy=find_proxy(url)) as response,
        ):
            body = b""
            async for piece in response.content.iter_any():
                body += piece
                if len(body) > MOST_BYTES:
                    return None
            shown = Secrets(endpoint.key).hide_bytes(body)
            return HttpAnswer(response.status, response.headers.copy(), shown)
    except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
        failure = errors.unreached(error, known=False)
    except (aiohttp.ClientError, TimeoutError):
        return None
    raise failure  # not inside the except: aiohttp's errors hold the headers, and so the key
