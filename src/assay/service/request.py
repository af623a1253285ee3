"""The request for a service and its limits; each of its options is declared here, once."""

from dataclasses import dataclass, field
from typing import Annotated

from assay.app.served import DetectorChoice
from assay.core.options import Option

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8766
LIMITS = "Limits of the service"


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """The limits that one client cannot pass, so that it does not keep the others waiting."""

    body: Annotated[
        int, Option("Largest body of a check.", "MIB", LIMITS, "max_body", least=1, most=1024)
    ] = 8
    job_body: Annotated[
        int,
        Option("Largest body of a job.", "MIB", LIMITS, "max_job_body", least=1, most=65536),
    ] = 256
    examples: Annotated[
        int, Option("Most examples in one check.", "N", LIMITS, "max_examples", least=1)
    ] = 100
    characters: Annotated[
        int, Option("Longest text in characters.", "N", LIMITS, "max_characters", least=1)
    ] = 200_000
    sentences: Annotated[
        int,
        Option(
            "Most sentences in a response of a check; jobs may have any number.",
            "N",
            LIMITS,
            "max_sentences",
            least=1,
        ),
    ] = 200
    seconds: Annotated[
        int,
        Option("Longest time that a check may take.", "SECONDS", LIMITS, "max_seconds", least=1),
    ] = 120
    upload_seconds: Annotated[
        int,
        Option(
            "Longest time that a body may take to arrive.",
            "SECONDS",
            LIMITS,
            "max_upload_seconds",
            least=1,
        ),
    ] = 60
    requests: Annotated[
        int,
        Option(
            "Requests answered at the same time; whoever comes then is told when to come again.",
            "N",
            LIMITS,
            "max_requests",
            least=1,
        ),
    ] = 64
    streams: Annotated[
        int,
        Option(
            "Events and results of jobs that each key reads at the same time.",
            "N",
            LIMITS,
            "max_streams",
            least=1,
        ),
    ] = 16
    queue: Annotated[
        int,
        Option("Jobs that may be waiting or running.", "N", LIMITS, "max_jobs", least=1),
    ] = 1000
    rate: Annotated[
        int | None,
        Option(
            "Requests a minute that each key may make; default: any number.",
            "N",
            LIMITS,
            "rate",
            least=1,
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class ServeRequest:
    """A service: its detectors, its address, its keys, the place of its jobs, and its limits."""

    detectors: DetectorChoice = field(default_factory=DetectorChoice)
    host: Annotated[
        str, Option("Address to listen on; others than this computer need keys.", "ADDRESS")
    ] = DEFAULT_HOST
    port: Annotated[
        int, Option("Port to listen on; 0 is any that is free.", "N", least=0, most=65535)
    ] = DEFAULT_PORT
    keys: Annotated[
        str | None,
        Option("File with a name and the SHA-256 of a key on each line.", "FILE"),
    ] = None
    store: Annotated[
        str | None,
        Option(
            "Folder or PostgreSQL URL of the jobs; default: ASSAY_JOBS, or ./assay-jobs.",
            "DIR|URL",
        ),
    ] = None
    keep_jobs: Annotated[
        int, Option("Days for which jobs are kept that have ended.", "DAYS", least=1)
    ] = 30
    workers: Annotated[
        int, Option("Jobs that are worked on at the same time.", "N", least=1, most=64)
    ] = 1
    public_name: Annotated[
        tuple[str, ...],
        Option("Name under which clients reach the service; may be repeated.", "NAME"),
    ] = ()
    behind_proxy: Annotated[
        bool, Option("Trust the address of clients that a proxy in front reports.")
    ] = False
    log_texts: Annotated[
        bool, Option("Also log the texts of requests, which are left out otherwise.")
    ] = False
    limits: ServiceLimits = field(default_factory=ServiceLimits)
