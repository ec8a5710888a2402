"""The loop: predict, test, compare; one rule decides, and more than one changed factor is said."""

import json

import numpy as np
import pytest

from tests.builders import exercise, trace
from tests.findings import hand
from tests.session.files import exercise_files, write_csv
from tracescope.cli.main import main
from tracescope.findings.follow_up import changed_factors, factors_of
from tracescope.model.errors import UsageError
from tracescope.session.export import export_note
from tracescope.session.ledger import read_prediction
from tracescope.session.store import load_session

DATE = "2026-11-30T09:12:44+01:00"


@pytest.fixture(scope="module")
def note(tmp_path_factory):
    """The note of the classic exercise: it predicts a scale inside 0.95 to 1.05 after the correction."""
    folder = tmp_path_factory.mktemp("first")
    sim, target = exercise_files(folder)
    path = folder / "note.json"
    main(["check", str(sim), str(target), "--note", str(path), "--date", DATE, "--quiet"])
    return path


def pair_with(folder, scale: float, rows: int = 40, dt: float = 0.05):
    rng = np.random.default_rng(7)
    sim, _ = exercise(seed=0)
    obs = np.column_stack([sim[f"obs[{i}]"].as_float() for i in range(2)])[:rows]
    action = sim["action[0]"].as_float()[:rows, None]
    clipped = np.clip(action, -0.5, 0.5)
    target = trace(
        dt, scale * obs + rng.normal(0, 0.005, obs.shape), clipped, applied=clipped, t0=0.01
    )
    return (
        str(write_csv(folder / "sim.csv", trace(dt, obs, action))),
        str(write_csv(folder / "target.csv", target)),
    )


def followed_up(folder, files, note):
    out = folder / "follow.json"
    main(["check", *files, "--follow-up", str(note), "--note", str(out), "--quiet", "--date", DATE])
    return json.loads(out.read_text("utf-8"))["note"]["follow_up"]


def test_that_a_right_prediction_is_held(tmp_path, note):
    follow = followed_up(tmp_path, pair_with(tmp_path, 1.0), note)
    assert follow["outcome"] == "held"
    assert {o["outcome"] for o in follow["outcomes"]} == {"held"}
    assert follow["surviving"][0] == "observation-scaling"


def test_that_a_wrong_prediction_is_refuted_and_its_hypothesis_falls(tmp_path, note):
    follow = followed_up(tmp_path, pair_with(tmp_path, 1.3), note)
    assert follow["outcome"] == "refuted"
    assert "observation-scaling" not in follow["surviving"]
    assert "action" in follow["surviving"]


def test_that_too_little_data_decides_nothing(tmp_path, note):
    follow = followed_up(tmp_path, pair_with(tmp_path, 1.0, rows=6), note)
    assert follow["outcome"] == "not decided"
    assert "observation-scaling" in follow["surviving"]


def test_that_the_notes_form_a_chain(tmp_path, note):
    files = pair_with(tmp_path, 1.0)
    second = tmp_path / "second.json"
    main(["check", *files, "--follow-up", str(note), "--note", str(second), "--quiet"])
    prediction = read_prediction(second)
    assert [link.outcome for link in prediction.chain] == ["held"]
    assert prediction.chain[0].sha256 == read_prediction(note).sha256


def test_that_a_session_keeps_what_it_follows(tmp_path, note):
    files = pair_with(tmp_path, 1.0)
    path = tmp_path / "s.tracescope"
    main(["check", *files, "--follow-up", str(note), "--session", str(path), "--quiet"])
    assert load_session(path).prediction == read_prediction(note)


def test_that_the_note_and_the_table_say_what_became_of_it(tmp_path, note, capsys):
    files = pair_with(tmp_path, 1.0)
    out = tmp_path / "n.md"
    main(["check", *files, "--follow-up", str(note), "--note", str(out)])
    assert "The prediction is held." in out.read_text("utf-8")
    assert "The prediction is held." in capsys.readouterr().out


def test_that_the_same_factors_are_no_change():
    factors = factors_of(hand.case())
    assert changed_factors(factors, factors) == []


def test_that_every_changed_factor_is_named(tmp_path, note):
    before = read_prediction(note).factors
    from tests.builders import case
    from tracescope.model.correction import Correction

    other = case(
        trace(0.1, np.zeros((9, 2)), np.full((9, 1), 2.0)), trace(0.05, np.zeros((9, 2)))
    ).with_correction(Correction("obs[0]", 1.5))
    said = " | ".join(changed_factors(before, factors_of(other)))
    for word in ("corrections", "simulator rate", "channels"):
        assert word in said


@pytest.mark.parametrize("content", ["", "{}", '{"next_test": null}', "[1]"])
def test_that_what_is_no_note_is_refused(tmp_path, content):
    path = tmp_path / "x.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match="not a JSON note"):
        read_prediction(path)


def test_that_a_note_that_predicts_nothing_cannot_be_followed(tmp_path):
    path = tmp_path / "n.json"
    export_note(hand.judged_session(()), path, DATE)
    with pytest.raises(UsageError, match="predicts nothing"):
        read_prediction(path)
