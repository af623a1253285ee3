"""The routes of the studio, one module for each area."""

# Each of these modules has a `router`; add yours.
ROUTERS: tuple[str, ...] = (
    "session",
    "people",
    "projects",
    "exchange",
    "items",
    "pages",
    "work",
    "audit",
)
