"""The set-up of templates that all pages share."""

from jinja2 import Environment, PackageLoader, StrictUndefined


def make_environment(folder: str) -> Environment:
    """An environment for the templates in a folder of this package; all values are escaped."""
    environment = Environment(
        loader=PackageLoader("assay.report", folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["grouped"] = "{:,}".format
    return environment
