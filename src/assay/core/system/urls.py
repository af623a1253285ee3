"""Places that the user names: files and folders, or servers by their URLs."""


def is_url(place: str) -> bool:
    """True if a place is the URL of a server and not a path."""
    return "://" in place


def shown(url: str) -> str:
    """A URL without users, passwords and settings."""
    scheme, _, rest = url.partition("?")[0].partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"
