"""How wide packed weights are, module by module: mixed quantisations give some layers more bits than others.

A config states one width for all and exceptions for some: by module (MLX, AutoRound) or by group (compressed-tensors). Which one
holds for a tensor also shows in the shapes of its scales, and those are believed before the config's general word.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hubcmp.families._roles import strip

_HOLDERS = ("quantization_config", "quantization", "compression_config")
_NESTS = ("text_config", "llm_config", "language_config", "transformer_layer_config", "model")
_BITS = ("bits", "w_bit", "num_bits")
_GROUPS = ("group_size", "q_group_size")
_WIDEST = 16
"""Most bits of a packed parameter."""
_MOST = 16
"""Different schemes that one config is believed to mix."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """Bits of one parameter, and how many parameters share a scale (0 when a whole row does, or nobody says)."""

    bits: int
    group: int = 0

    def fits(self, packed: int, scales: int, container: int) -> bool:
        """Say whether a row of so many containers and scales can be of this scheme."""
        return self.group > 0 and packed == -(-scales * self.group * self.bits // container)


@dataclass(frozen=True, slots=True)
class Schemes:
    """What a config says: every scheme in it, the first being the rule, and the `modules` that are exceptions."""

    known: tuple[Scheme, ...] = ()
    modules: Mapping[str, Scheme] = field(default_factory=dict)

    def of(self, module: str, packed: int, scales: int, container: int) -> Scheme | None:
        """Return a module's own scheme, else the first that its shapes fit, else the rule; None without any."""
        fitting = (scheme for scheme in self.known if scheme.fits(packed, scales, container))
        return self.modules.get(strip(module)) or next(fitting, self.known[0] if self.known else None)


def schemes(config: Mapping[str, Any]) -> Schemes:
    """Return the schemes that a config.json names, wherever its quantisation stands."""
    tables = list(_tables(config))
    exceptions = {strip(name): scheme for table in tables for name, scheme in _exceptions(table)}
    general = (scheme for table in tables for scheme in _general(table))
    return Schemes(tuple(dict.fromkeys((*general, *exceptions.values())))[:_MOST], exceptions)


def _tables(config: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for level in (config, *(config.get(nest) for nest in _NESTS)):
        if isinstance(level, dict):
            yield from (level[key] for key in _HOLDERS if isinstance(level.get(key), dict))


def _general(table: Mapping[str, Any]) -> Iterator[Scheme]:
    groups = table.get("config_groups")
    weights = [g.get("weights") for g in groups.values() if isinstance(g, dict)] if isinstance(groups, dict) else []
    yield from (scheme for item in (table, *weights) if (scheme := _scheme(item, Scheme(0))) is not None)


def _exceptions(table: Mapping[str, Any]) -> Iterator[tuple[str, Scheme]]:
    """Yield modules with a table of their own, which may leave out what the rule says."""
    rule = _scheme(table, Scheme(0)) or Scheme(0)
    extra = table.get("extra_config")
    for name, item in (*table.items(), *(extra.items() if isinstance(extra, dict) else ())):
        if isinstance(name, str) and (scheme := _scheme(item, rule)) is not None:
            yield name, scheme


def _scheme(item: object, rule: Scheme) -> Scheme | None:
    if not isinstance(item, dict) or not any(key in item for key in _BITS):
        return None
    bits, group = _whole(item, _BITS, rule.bits), _whole(item, _GROUPS, rule.group)
    return Scheme(bits, group) if 0 < bits <= _WIDEST else None


def _whole(item: Mapping[str, Any], keys: Sequence[str], default: int) -> int:
    values = (item[key] for key in keys if type(item.get(key)) is int)
    return max(next(values, default), 0)
