"""`assay audit`: gold labels that detectors disagree with, decided, verified and revised."""

from assay.cli.audit.adjudicate import adjudicate
from assay.cli.audit.apply import apply
from assay.cli.audit.compare import compare
from assay.cli.audit.flag import flag
from assay.cli.audit.profile import profile
from assay.cli.audit.verify import verify
from assay.cli.errors import Command
from assay.cli.help import command_group

app = command_group(
    "Gold labels looked at again: detectors flag them, people decide, models verify, and a new "
    "version of the data has the revised ones."
)
for each in (flag, adjudicate, verify, apply, profile, compare):
    app.command(cls=Command)(each)
