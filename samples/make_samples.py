"""Make the bundled sample pairs: ``python samples/make_samples.py [FOLDER]``.

Every seed is fixed: running it again writes the same bytes. Each pair's ``truth.toml`` says what is
wrong with it and which states of the checks are right.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from _files import WRITERS
from _more_systems import (
    Ranged,
    Scene,
    Swing,
    Ticks,
    run_swing,
    with_camera,
    with_range,
    with_ticks,
)
from _sample import CHECKS, FAIL, PASS, SOUND, UNSURE, Sample, truth_toml
from _systems import Latch, Log, Slider, exercise, run_latch, run_slider


def _slider_pair(target: Slider) -> tuple[Log, Log]:
    return run_slider(Slider(noise_seed=101)), run_slider(target)


def exercise_sample() -> Sample:
    sim, target = exercise()
    return Sample(
        "exercise", "The classic exercise: 40 steps, two faults",
        "The target's observation reads 1.5 times the simulator's, its action is bounded at 0.5 and "
        "logged only after the bound; its stamps are 10 ms late.",
        "list", sim, target,
        question="The residual grows with the observation: is that the machine's dynamics?",
        numbers={
            "clock_offset_s": 0.01, "observation_scale": 1.5, "action_bound": 0.5, "rows_bounded": 9,
            "sim_reach": 0.9000564694, "comparable_transitions": 33, "transitions": 39,
            "comparable_transitions_own_norms": 30,
        },
        expected={
            "alignment": (PASS,), "observation-scaling": (FAIL,), "action": (FAIL,),
            "timing": (UNSURE,), "dynamics": (UNSURE,),
        },
        place=1,
        corrections=("obs[0]=1.5", "obs[1]=1.5"),
        corrected={"observation-scaling": (PASS,), "action": (FAIL,), "dynamics": (UNSURE,)},
    )  # fmt: skip


def latch_sample() -> Sample:
    return Sample(
        "latch", "A gripper meets a strike plate",
        "The simulator's contact spring is soft and its commands act at once; the target's plate is "
        "six times stiffer and its commands act 60 ms late, so onset and peak force differ.",
        "hdf5",
        run_latch(Latch(noise_seed=201, stiffness_n_m=3000.0)),
        run_latch(Latch(noise_seed=202, stiffness_n_m=18000.0, delay_rows=3, offset_s=0.0348)),
        question="The peak force differs: a wrong force scale, a late command, or a stiffer plate?",
        numbers={
            "sim_stiffness_n_m": 3000.0, "target_stiffness_n_m": 18000.0, "response_delay_s": 0.06,
            "clock_offset_s": 0.0348,
        },
        expected={"timing": (FAIL, UNSURE), "dynamics": (FAIL, UNSURE)},
        shown=("obs", 2),
        place=2,
    )  # fmt: skip


def healthy_sample() -> Sample:
    sim, target = _slider_pair(Slider(noise_seed=102, offset_s=0.0123, jitter_s=0.0002))
    return Sample(
        "healthy", "The same system twice",
        "Nothing: one system recorded twice, each with its own noise.", "hdf5", sim, target,
        question="Nothing is wrong here: what may one conclude, and from how much?",
        numbers={"clock_offset_s": 0.0123},
        place=3,
    )  # fmt: skip


def clock_sample() -> Sample:
    sim, target = _slider_pair(Slider(noise_seed=112, offset_s=0.4))
    late = target.rows(slice(9, None))
    late.fields["step"] = late.fields["step"] - 9
    late.fields["timestamp"] = late.fields["timestamp"] - 9 * 0.02
    return Sample(
        "clock", "The counters start at different moments",
        "The target's recorder started 9 steps after the episode and counted from 0.", "wide",
        sim, late,
        question="Every channel disagrees at once: what do they have in common?",
        numbers={"start_offset_rows": 9, "start_offset_s": 0.18},
        expected={"alignment": (FAIL,)} | dict.fromkeys(CHECKS[1:], (UNSURE,)),
    )  # fmt: skip


def scaling_sample() -> Sample:
    sim, target = _slider_pair(Slider(noise_seed=122, recorded_position_scale=1.25))
    return Sample(
        "scaling", "One channel reads too much",
        "The target records its position 1.25 times too large; the policy got the right one.",
        "wide", sim, target,
        question="The motion agrees and one position does not: gain, unit or machine?",
        numbers={"observation_scale": 1.25},
        expected={"observation-scaling": (FAIL,), "dynamics": (UNSURE,)},
        corrections=("obs_0=1.25",),
        corrected={"observation-scaling": (PASS,), "dynamics": SOUND},
    )  # fmt: skip


def clipped_sample() -> Sample:
    sim, target = _slider_pair(Slider(noise_seed=132, reach=0.6))
    return Sample(
        "clipped", "The actuator gives less than it is asked",
        "The target's drive is bounded at 0.6 of the commanded range.", "list", sim, target,
        question="The target lags behind in fast moves only: friction, delay or a bound?",
        numbers={"action_bound": 0.6},
        expected={"action": (FAIL,), "dynamics": SOUND},
        shown=("action_applied", 0),
    )  # fmt: skip


def late_sample() -> Sample:
    sim, target = _slider_pair(Slider(noise_seed=142, delay_rows=2, jitter_s=0.004))
    return Sample(
        "late", "Commands act late and rows come unevenly",
        "The target's actions act two rows (40 ms) later and its rows come with 4 ms of jitter.",
        "hdf5", sim, target,
        question="The loop rings on the target: gains, damping or time?",
        numbers={"response_delay_rows": 2, "response_delay_s": 0.04, "jitter_s": 0.004},
        expected={"timing": (FAIL,), "dynamics": SOUND},
    )  # fmt: skip


def friction_sample() -> Sample:
    sim, target = _slider_pair(Slider(noise_seed=152, damping=2.5))
    return Sample(
        "friction", "The rail brakes more than the model",
        "The target's viscous friction is five times the simulator's; everything before it is right.",
        "wide", sim, target,
        question="Observations and actions agree where they can be compared: what is left?",
        numbers={"sim_damping_1_s": 0.5, "target_damping_1_s": 2.5},
        expected={"dynamics": (FAIL,)},
        shown=("obs", 1),
    )  # fmt: skip


def reward_sample() -> Sample:
    sim, target = _slider_pair(Slider(noise_seed=162, reward_scale=1.3))
    return Sample(
        "reward", "The same motion is paid differently",
        "The target's reward is 1.3 times the simulator's for the same state and action.", "list",
        sim, target,
        question="The return is higher on the target: does the machine do better?",
        numbers={"reward_scale": 1.3},
        expected={"reward": (FAIL,)},
        shown=("reward", 0),
    )  # fmt: skip


def ended_sample() -> Sample:
    sim, target = _slider_pair(Slider(noise_seed=172, limit_m=-0.2))
    return Sample(
        "ended-early", "One episode stops in the middle",
        "The target stops when the slider passes -0.20 m; the simulator has no such limit.", "hdf5",
        sim, target,
        question="The target's episode is shorter: did it fail, or was it stopped?",
        numbers={"limit_m": -0.2, "target_end_row": len(target.fields["step"]) - 1,
                 "sim_end_row": len(sim.fields["step"]) - 1},
        expected={"termination": (FAIL,)},
        place=9,
    )  # fmt: skip


def range_sample() -> Sample:
    sim, target = _slider_pair(Slider(noise_seed=182))
    bursts = ((212, 236), (520, 533))
    return Sample(
        "range-sensor", "A range finder reads far, then freezes",
        "The target's range finder reads 30 mm too far and repeats its last value over two bursts of 24 and "
        "13 rows; nothing else differs.", "wide",
        with_range(sim, Ranged(noise_seed=301)),
        with_range(target, Ranged(noise_seed=302, bias_m=0.03, dropouts=bursts)),
        question="The range is off and sometimes frozen: the sensor, or the machine's motion?",
        numbers={"bias_m": 0.03, "longest_dropout_rows": 24, "dropouts": 2},
        expected={"observation-scaling": (FAIL,), "dynamics": SOUND},
        shown=("obs", 3),
        place=4,
    )  # fmt: skip


def camera_sample() -> Sample:
    sim, target = (
        log.rows(slice(0, 420)) for log in _slider_pair(Slider(noise_seed=192, offset_s=0.006))
    )
    return Sample(
        "camera", "The camera sees another light",
        "The target's lamp is dimmer and warmer and throws a glare beside the marker, which pulls the "
        "marker's place, computed from the picture, to one side. The motion is the same.", "hdf5",
        with_camera(sim, Scene(noise_seed=311)),
        with_camera(target, Scene(noise_seed=312, gain=0.82, tint=(1.06, 0.98, 0.84), glare=150.0,
                                  grain=3.0)),
        question="The marker is seen in another place: did the arm move, or the light?",
        numbers={"lamp_gain": 0.82, "clock_offset_s": 0.006},
        expected={"observation-scaling": (FAIL,), "dynamics": SOUND},
        place=5,
        shown=("obs", 3),
    )  # fmt: skip


def tail_sample() -> Sample:
    sim, target = _slider_pair(Slider(noise_seed=202))
    return Sample(
        "slow-ticks", "One row in seventy comes late",
        "The target's rows come on the same mean interval, but every 71st is 14 ms late and its latency is "
        "38 ms; the median is that of the simulator.", "hdf5",
        with_ticks(sim, Ticks(noise_seed=321)),
        with_ticks(target, Ticks(noise_seed=322, late_s=0.014, late_latency_s=0.03)),
        question="The mean rate is right and the policy stumbles: what does the mean hide?",
        numbers={"late_s": 0.014, "every_rows": 71, "late_latency_s": 0.038},
        expected={"timing": (FAIL,), "dynamics": SOUND},
        shown=("latency", 0),
        place=6,
    )  # fmt: skip


def gain_sample() -> Sample:
    sim, target = _slider_pair(Slider(noise_seed=212, gain=0.6))
    return Sample(
        "weak-drive", "A weak drive looks like a late one",
        "The target's drive gives 0.6 of every command, at once. The slider follows later, as if the "
        "command had been delayed.", "wide", sim, target,
        question="The target trails behind its reference: a delay in the loop, or too little gain?",
        numbers={"action_gain": 0.6, "response_delay_rows": 0},
        expected={"action": (FAIL,), "dynamics": SOUND},
        place=7,
    )  # fmt: skip


def periodic_sample() -> Sample:
    return Sample(
        "periodic", "Every stride looks like the last one",
        "A leg repeats a stride of 1.000 s. The target's recording begins 0.26 s later in the stride, or "
        "that and any number of strides: the traces cannot tell.", "hdf5",
        run_swing(Swing(noise_seed=331)), run_swing(Swing(noise_seed=332, phase_s=0.26)),
        question="Five offsets fit equally well: which one is right?",
        numbers={"period_s": 1.0, "phase_s": 0.26},
        expected={"alignment": (UNSURE,)} | dict.fromkeys(CHECKS[1:], (UNSURE,)),
        place=8,
    )  # fmt: skip


def samples() -> list[Sample]:
    return [
        exercise_sample(), latch_sample(), healthy_sample(), clock_sample(), scaling_sample(),
        clipped_sample(), late_sample(), friction_sample(), reward_sample(), ended_sample(),
        range_sample(), camera_sample(), tail_sample(), gain_sample(), periodic_sample(),
    ]  # fmt: skip


TOLERANCES = """\
# The exercise's own norms for calling two transitions comparable.
schema = 1

[tolerances]
"dynamics.match_observation_norm" = [0.0, 0.05]
"dynamics.match_action_norm" = [0.0, 0.01]
"""


def make(folder: Path) -> None:
    """Write every pair below ``folder``."""
    lines = [
        "# Sample pairs",
        "",
        "Made by `python samples/make_samples.py`; each `truth.toml` says what is wrong.",
        "",
    ]
    for sample in samples():
        home = folder / sample.name
        home.mkdir(parents=True, exist_ok=True)
        write, ending = WRITERS[sample.fmt]
        write(sample.sim, home / f"sim.{ending}")
        write(sample.target, home / f"target.{ending}")
        (home / "truth.toml").write_bytes(truth_toml(sample).encode())
        lines.append(f"* `{sample.name}/`: {sample.title}. {sample.question}")
    (folder / "exercise" / "tolerances.toml").write_bytes(TOLERANCES.encode())
    (folder / "README.md").write_bytes(("\n".join(lines) + "\n").encode())


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
