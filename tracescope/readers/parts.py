"""One recording in several tables, each on its own clock: merged to one trace."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tracescope.model.trace import Channel, HealthNote, Role, Source, Trace
from tracescope.readers.assemble import Placed, check_given, placed, trace_of
from tracescope.readers.base import ImportChoices, TimeUnit
from tracescope.readers.names import unique_names
from tracescope.readers.notes import noticed, warned
from tracescope.readers.roles import roles_for, words_of


@dataclass(slots=True)
class Part:
    """One table of the recording: ``stem`` is what its channels are prefixed with, ``label`` what it is called."""

    stem: str
    label: str
    where: Placed


def for_part(choices: ImportChoices) -> ImportChoices:
    """Return the choices without roles: these are settled over all parts together."""
    return replace(choices, roles=())


def agree_on_unit(parts: list[Part], choices: ImportChoices) -> None:
    """Read all clocks in the unit of the table with most rows: a few events tell no unit."""
    stamped = [p for p in parts if p.where.clock.clock.kind == "stamped"]
    if choices.time_unit is not None or not stamped:
        return
    best = max(stamped, key=lambda p: p.where.table.rows)
    unit: TimeUnit = best.where.clock.clock.unit  # type: ignore[assignment]
    again = replace(for_part(choices), time_unit=unit)
    for part in stamped:
        clock = part.where.clock.clock
        if clock.unit != unit and not clock.is_epoch and "name" not in clock.because:
            part.where = placed(part.where.table, again)


def with_clocks(parts: list[Part]) -> tuple[list[Part], list[HealthNote]]:
    """Keep the tables that have a clock; without any, the first alone. Say which were left out."""
    stamped = [p for p in parts if p.where.clock.clock.kind == "stamped"]
    kept = stamped or parts[:1]
    lost = [p.label for p in parts if p not in kept]
    return kept, [
        warned("table-left-out", f"{name} has no clock", name, 1, "left out") for name in lost
    ]


def name_columns(part: Part, joints: list[str]) -> None:
    """Prefix names with the part's; vectors with an element a joint get the joints' names."""
    table = part.where.table
    width: dict[str, int] = {}
    for column in table.columns:
        if column.index is not None:
            width[column.column] = width.get(column.column, 0) + 1
    for column in table.columns:
        vector = column.index is not None and width[column.column] == len(joints)
        name = f"{column.column}/{joints[column.index or 0]}" if vector else column.name
        prefix = f"{part.stem}/" if part.stem else ""
        column.column = f"{prefix}{column.column or column.name}"
        column.name = f"{prefix}{name}"


def merged(
    source: str,
    parts: list[Part],
    choices: ImportChoices,
    notes: list[HealthNote],
    joints: list[str],
) -> Trace:
    """Lay all parts on the clock of the one that measures; each channel keeps its own stamps.

    Raises:
        TraceReadError: where a role names a channel that does not exist.
    """
    for part in parts:
        name_columns(part, joints)
    columns = [c for part in parts for c in part.where.table.columns]
    names, renamed = unique_names([c.name for c in columns], source)
    for column, name in zip(columns, names, strict=True):
        column.name = name
    check_given(columns, choices, source)
    for column, (role, because) in zip(columns, roles_for(columns, choices), strict=True):
        column.role, column.role_because = role, because
    main = max(parts, key=_weight)
    plain = for_part(choices)
    traces = [(part, trace_of(part.where, plain)) for part in parts]
    base = next(trace for part, trace in traces if part is main)
    channels: list[Channel] = []
    health = [*_several(parts, main), *notes, *renamed]
    metadata: list[tuple[str, str]] = []
    for part, trace in traces:
        channels += trace.rebased(base.clock.origin_ns).channels
        health += [replace(n, where=f"{part.label}: {n.where}".rstrip(": ")) for n in trace.health]
        metadata += [(f"{part.label}: {key}", text) for key, text in trace.metadata]
    return Trace(
        source=Source(source, rows_in_file=len(base)),
        clock=replace(
            base.clock,
            column=f"{main.stem}/{base.clock.column}" if main.stem else base.clock.column,
            because=f"clock of {main.label}: {base.clock.because}",
        ),
        time_s=base.time_s,
        channels=tuple(channels),
        step=base.step,
        health=tuple(health),
        metadata=tuple(metadata),
    )


def _several(parts: list[Part], main: Part) -> list[HealthNote]:
    if len(parts) < 2:
        return []
    what = f"the recording spans {len(parts)} tables, each on its own clock; rows are those of {main.label}"
    return [noticed("several-tables", what, ", ".join(p.label for p in parts), len(parts))]


def _weight(part: Part) -> tuple[bool, bool, int]:
    """Rank tables as row clock: a state first, then one that measures, then the one with most rows."""
    roles = {c.role for c in part.where.table.columns}
    return "state" in words_of(part.stem)[:1], Role.OBSERVATION in roles, part.where.table.rows
