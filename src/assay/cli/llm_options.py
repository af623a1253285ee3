"""The options of every command that may ask a model, in the same words."""

from typing import Annotated

import typer

_PANEL = "The model"
_LIMITS = "Limits and money"

Model = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MODEL",
        help="The model that a judge asks, as in openai/gpt-4o; given several times, they vote.",
        rich_help_panel=_PANEL,
        show_default=False,
    ),
]
OneModel = Annotated[
    str,
    typer.Option(
        metavar="MODEL",
        help="The model that judges ask; what else there is to say of it, the settings say.",
        show_default=False,
    ),
]
Votes = Annotated[
    int,
    typer.Option(
        metavar="N", help="Ask every question N times; the answers vote.", rich_help_panel=_PANEL
    ),
]
Peers = Annotated[
    str,
    typer.Option(
        metavar="NAME|FILE",
        help="For faithjudge: annotated responses to learn from.",
        rich_help_panel=_PANEL,
    ),
]
BaseUrl = Annotated[
    str,
    typer.Option(metavar="URL", help="The server, as in https://.../v1.", rich_help_panel=_PANEL),
]
KeyEnv = Annotated[
    str,
    typer.Option(
        metavar="VARIABLE",
        help="The environment variable that holds the key.",
        rich_help_panel=_PANEL,
    ),
]
Temperature = Annotated[
    float | None,
    typer.Option(
        metavar="T", help="How freely it answers; 0, or 0.7 with --votes.", rich_help_panel=_PANEL
    ),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(metavar="N", help="The longest reply, in tokens; 4096.", rich_help_panel=_PANEL),
]
ModelSeed = Annotated[
    int | None,
    typer.Option(
        metavar="S",
        help="Ask for the same reply each time, where the server can.",
        rich_help_panel=_PANEL,
    ),
]
Logprobs = Annotated[
    bool,
    typer.Option("--logprobs", help="Ask for token probabilities.", rich_help_panel=_PANEL),
]
Concurrency = Annotated[
    int | None,
    typer.Option(metavar="N", help="Calls at the same time; 16.", rich_help_panel=_LIMITS),
]
Timeout = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS", help="The longest wait for one attempt; 120.", rich_help_panel=_LIMITS
    ),
]
Deadline = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        help="The longest time for a call with all its attempts; 600.",
        rich_help_panel=_LIMITS,
    ),
]
Attempts = Annotated[
    int | None,
    typer.Option(metavar="N", help="Attempts at a call; 5.", rich_help_panel=_LIMITS),
]
Rpm = Annotated[
    int | None, typer.Option(metavar="N", help="Calls a minute.", rich_help_panel=_LIMITS)
]
Tpm = Annotated[
    int | None, typer.Option(metavar="N", help="Tokens a minute.", rich_help_panel=_LIMITS)
]
BudgetUsd = Annotated[
    float | None,
    typer.Option(
        metavar="X", help="Stop before more US dollars are spent.", rich_help_panel=_LIMITS
    ),
]
BudgetTokens = Annotated[
    int | None,
    typer.Option(metavar="N", help="Stop before more tokens are used.", rich_help_panel=_LIMITS),
]
BudgetCalls = Annotated[
    int | None,
    typer.Option(metavar="N", help="Stop before more calls are made.", rich_help_panel=_LIMITS),
]
Cache = Annotated[
    str,
    typer.Option(
        metavar="FILE",
        help="Keep replies there, and do not pay for the same question again.",
        rich_help_panel=_LIMITS,
    ),
]
Prices = Annotated[
    str,
    typer.Option(metavar="FILE", help="Prices in the place of ours.", rich_help_panel=_LIMITS),
]
