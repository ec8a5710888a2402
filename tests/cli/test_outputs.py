"""What a command writes: tried first, told with a remedy, and nothing printed that steers a terminal."""

import os

import pytest

from tests.session.files import exercise_files
from tracescope.cli.main import UNUSABLE, main
from tracescope.cli.output import told
from tracescope.model.errors import UsageError
from tracescope.session.atomic import refuse_unwritable, refuse_unwritable_folder

OUTPUTS = {
    "--note": "gone/note.html",
    "--json": "gone/out.json",
    "--session": "gone/a.tracescope",
    "--figures": "file/figures",
}


@pytest.fixture
def files(tmp_path):
    (tmp_path / "file").write_text("in the way", "utf-8")
    return [str(path) for path in exercise_files(tmp_path)]


@pytest.mark.parametrize(("flag", "place"), OUTPUTS.items())
def test_that_an_output_nobody_can_write_is_refused_before_the_checks(
    files, tmp_path, capsys, monkeypatch, flag, place
):
    def never(*_):
        raise AssertionError("the checks ran first")

    monkeypatch.setattr("tracescope.cli.check_command.judge", never)
    assert main(["check", *files, flag, str(tmp_path / place)]) == UNUSABLE
    said = capsys.readouterr().err
    assert "cannot be" in said
    assert "→" in said


def test_that_all_outputs_that_cannot_be_are_told_at_once(files, tmp_path, capsys):
    asked = [word for flag, place in OUTPUTS.items() for word in (flag, str(tmp_path / place))]
    assert main(["check", *files, *asked]) == UNUSABLE
    assert capsys.readouterr().err.count("→") == len(OUTPUTS)


def test_that_a_trial_leaves_nothing_behind(tmp_path):
    refuse_unwritable(tmp_path / "note.html")
    refuse_unwritable_folder(tmp_path / "a" / "b")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_that_a_folder_without_leave_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    for refuse in (refuse_unwritable, refuse_unwritable_folder):
        with pytest.raises(UsageError, match="choose another place"):
            refuse(tmp_path / "out")


@pytest.mark.parametrize("name", ["a.txt", "a", "a.json"])
def test_that_a_session_keeps_its_ending(files, tmp_path, capsys, name):
    assert main(["check", *files, "--session", str(tmp_path / name)]) == UNUSABLE
    assert "a.tracescope" in capsys.readouterr().err
    assert not (tmp_path / name).exists()


def test_that_a_sample_folder_that_cannot_be_made_has_a_remedy(files, tmp_path, capsys):
    assert main(["sample", "exercise", "--to", str(tmp_path / "file" / "in")]) == UNUSABLE
    assert "→" in capsys.readouterr().err


@pytest.mark.parametrize("sign", ["\u202e", "\u2066", "\x1b[31m", "\x07", "\x9b2J", "\u200f"])
def test_that_no_name_steers_the_terminal(tmp_path, capsys, sign):
    name = f"obs_{sign}x"
    rows = "\n".join(f"{0.02 * k:.2f},{0.1 * k:.3f},{0.2 * k:.3f}" for k in range(40))
    for side in ("sim", "target"):
        (tmp_path / f"{side}.csv").write_text(f"timestamp,{name},obs_1\n{rows}\n", "utf-8")
    sides = [str(tmp_path / f"{side}.csv") for side in ("sim", "target")]
    main(["inspect", sides[0]])
    main(["check", *sides])
    main(["check", *sides, "--correct", f"no{sign}=2"])
    said = capsys.readouterr()
    assert sign[0] not in said.out + said.err
    assert told(sign[0]) in said.out + said.err


def test_that_ordinary_text_is_printed_as_it_is():
    assert told("Größe → −1.5 µs\n\tπ") == "Größe → −1.5 µs\n\tπ"


def test_that_a_key_measurement_without_a_tolerance_says_so_in_words(files, capsys):
    main(["check", *files])
    said = " ".join(capsys.readouterr().out.split())
    assert "tolerance not judged" not in said
    assert "nothing measured, tolerance" not in said
