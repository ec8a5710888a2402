"""Contact stiffness of both sides, as a lead: it is read inside each trace, so no other finding gates it."""

from __future__ import annotations

from dataclasses import replace

from tracescope.analysis.contact_law import Contact, Stiffness, contacts
from tracescope.analysis.intervals import bonferroni
from tracescope.analysis.workbench import Workbench
from tracescope.checks.dynamics_measure import MOTION
from tracescope.model.check import CheckResult, Lead, Measurement, State, state_of

RATIO = "contact stiffness ratio"


def with_contacts(result: CheckResult, bench: Workbench) -> CheckResult:
    """Add what touching shows. It cannot fail the check: a force's scale multiplies a stiffness alike.

    A ratio wholly outside its tolerance keeps the check from passing.
    """
    found = contacts(bench, bonferroni(bench.case.confidence, 2))
    if not found:
        return result
    measured = [m for contact in found for m in _measured(contact, bench)]
    apart = [c for c in found if _state(c, bench) is State.FAIL]
    result = replace(
        result,
        measurements=(*result.measurements, *measured),
        leads=(*result.leads, *(_lead(c, bench) for c in apart)),
    )
    if result.state is not State.PASS or not apart:
        return result
    first = apart[0]
    said = f"{RATIO} of {first.force} {first.ratio.estimate:.3g} lies outside its tolerance"
    return replace(
        result,
        state=State.INCONCLUSIVE,
        reason=f"{said}; a stiffer contact and a scaled force are not told apart",
        settle=f"pressing both sides with one known load and reading {first.position}",
    )


def _state(contact: Contact, bench: Workbench) -> State:
    return state_of(contact.ratio.interval, bench.case.tolerances[MOTION])


def _unit(contact: Contact, bench: Workbench) -> str:
    force, position = (bench.case.pair.sim[n].unit for n in (contact.force, contact.position))
    return f"{force}/{position}" if force and position else ""


def _measured(contact: Contact, bench: Workbench) -> list[Measurement]:
    confidence = bonferroni(bench.case.confidence, 2)
    note = f"{contact.position} fitted on {contact.force} and its own speed while touching"
    out = [
        Measurement(
            f"contact stiffness in the {side}",
            contact.force,
            found.estimate,
            found.interval,
            _unit(contact, bench),
            found.n,
            confidence=confidence,
            required=False,
            note=note,
        )
        for side, found in (("sim", contact.sim), ("target", contact.target))
    ]
    inside = _state(contact, bench) is State.PASS
    why = "" if inside else "; a stiffer contact and a scaled force are not told apart"
    ratio = Measurement(
        RATIO,
        contact.force,
        contact.ratio.estimate,
        contact.ratio.interval,
        "",
        contact.ratio.n,
        bench.case.tolerances[MOTION],
        MOTION.key,
        confidence,
        required=False,
        covered=inside,
        note=f"target over simulator, each against {contact.position} in its own trace{why}",
    )
    return [ratio, *out]


def _plain(found: Stiffness) -> str:
    return f"{found.estimate:.0f}" if found.estimate >= 1000 else f"{found.estimate:.4g}"


def _lead(contact: Contact, bench: Workbench) -> Lead:
    unit = _unit(contact, bench)
    tail = f" {unit}" if unit else ""
    return Lead(
        f"consistent with a contact {contact.ratio.estimate:.3g} times as stiff at {contact.force}"
        f" ({_plain(contact.target)}{tail} against {_plain(contact.sim)}{tail})",
        "dynamics",
        (contact.force,),
        f"one known load on both sides gives the same {contact.position}",
        ("observation-scaling",),
        "contact stiffness",
        contact.ratio.estimate,
    )
