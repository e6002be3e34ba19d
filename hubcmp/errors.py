"""What can go wrong, as one tree.

HubcmpError             base of all errors that hubcmp raises on purpose; `str()` is one line of advice
├── UsageError          the call itself is wrong (exit 2)
├── SourceError         something could not be fetched or opened (exit 3)
└── FormatError         something was fetched, but its content is refused or unreadable (exit 3)

Each message says what, where, why and what to do. Errors inside one source become a `Problem` on the
report, so the rest of the report still comes out.
"""

from dataclasses import dataclass


class HubcmpError(Exception):
    """Base of every error raised on purpose. `str(error)` is one line for a person."""


class UsageError(HubcmpError):
    """The command line or a call's arguments make no sense."""


class SourceError(HubcmpError):
    """A source could not be reached or opened; `reason` is the cell state (gated, rate-limited, offline ...)."""

    def __init__(self, message: str, reason: str = "unreachable") -> None:
        super().__init__(message)
        self.reason = reason


class FormatError(HubcmpError):
    """Content that is refused, because trusting it could give a wrong number or do harm."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that went wrong or looks wrong, kept as data: where it is and what it means for the reader.

    `failed` is True when a source failed, so that the exit code becomes 3; a mere warning leaves it False.
    """

    where: str
    message: str
    failed: bool = False

    def __str__(self) -> str:
        return f"{self.where}: {self.message.removeprefix(f'{self.where}: ')}"

    def of(self, ref: str) -> "Problem":
        """Return the problem with the reference it belongs to in front, for lists that hold those of several."""
        message = self.message.removeprefix(f"{self.where}: ")
        if self.where.startswith(ref):
            return Problem(self.where, message, self.failed)
        return Problem(ref if ref.endswith(f"/{self.where}") else f"{ref}: {self.where}", message, self.failed)
