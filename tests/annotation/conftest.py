"""Studios of both kinds, people, projects and browsers that are signed in."""

from tests.annotating import client, make_person, make_project, quick_hashes, studio, studio_at

__all__ = ["client", "make_person", "make_project", "quick_hashes", "studio", "studio_at"]
