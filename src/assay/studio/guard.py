"""The limits of requests to the studio, and the policy of its pages."""

from collections.abc import Iterable
from dataclasses import dataclass

from starlette.datastructures import Headers

from assay.studio.errors import StudioFailures
from assay.studio.security import Cookies
from assay.web.guard import MEBIBYTE, Entrance

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)


@dataclass(frozen=True, slots=True)
class Limits:
    """The largest body of a request in bytes: of an import, and of any other."""

    upload: int = 256 * MEBIBYTE
    body: int = MEBIBYTE


def studio_entrance(cookies: Cookies, hosts: Iterable[str], limits: Limits) -> Entrance:
    """The entrance of a studio: large uploads are for whoever is signed in."""

    def limit(path: str, headers: Headers) -> int:
        is_upload = path.startswith("/api/projects/") and path.endswith("/import")
        if is_upload and cookies.token(cookies.session, headers):
            return limits.upload
        return limits.body

    return Entrance("the studio", hosts, _POLICY, limit, StudioFailures())
