"""The routes of the studio, one module for each area."""

# Each of these modules has a `router`; add yours.
ROUTERS: tuple[str, ...] = (
    "session",
    "invitations",
    "people",
    "projects",
    "uploads",
    "exchange",
    "board",
    "items",
    "item_pages",
    "pages",
    "work",
    "batches",
    "detectors",
    "members",
    "training",
    "discussion",
    "adjudication",
    "audit",
)
