"""The routes of the service, one module for each area."""

# Each of these modules has a `router`; add yours.
ROUTERS: tuple[str, ...] = ("checks", "jobs", "state", "pages")
