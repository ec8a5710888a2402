"""Kinds of faults that people reported of other tools, and the tests that hold them off.

Each row: what was reported, where, and the tests (module::function) that make such an input themselves.
What drawing and dialogs owe a row is held by tests of the window.
"""

from __future__ import annotations

from pathlib import Path

import pytest

D, C, V, E = "test_csv_dialects", "test_clocks", "test_vectors_and_parts", "test_errors"
UI = "ui/test_import"

FAULTS: dict[str, tuple[str, list[str]]] = {
    "A1": (
        "semicolon file is one column (PlotJuggler #479)",
        [
            f"{D}::test_that_the_delimiter_is_told_from_the_content",
            f"{D}::test_that_a_chosen_delimiter_wins_over_what_is_detected",
        ],
    ),
    "A2": (
        "tab, pipe, colon, blanks as delimiters (PlotJuggler #828)",
        [f"{D}::test_that_the_delimiter_is_told_from_the_content"],
    ),
    "A3": (
        "decimal mark from the locale cuts numbers (PlotJuggler #1237)",
        [
            f"{D}::test_that_the_decimal_mark_comes_from_the_content_and_never_from_the_locale",
            f"{D}::test_that_a_cell_not_consumed_to_its_end_is_an_error_with_line_and_column",
        ],
    ),
    "A4": (
        "comma in a quoted name adds a column (PlotJuggler #378)",
        [f"{D}::test_that_quoted_cells_may_hold_the_delimiter_and_quotes"],
    ),
    "A5": (
        "slash in a name is a tree separator (PlotJuggler #525)",
        [f"{D}::test_that_names_stay_exactly_as_the_file_spells_them"],
    ),
    "A6": (
        "duplicate names crash (PlotJuggler #529)",
        [f"{D}::test_that_duplicate_names_are_numbered_and_said"],
    ),
    "A7": (
        "preamble; time in two columns (PlotJuggler #734)",
        [
            f"{D}::test_that_a_preamble_before_the_header_is_kept_as_metadata",
            f"{D}::test_that_the_header_line_can_be_chosen",
            f"{C}::test_that_a_time_split_over_two_columns_is_joined_exactly",
        ],
    ),
    "A8": (
        "byte order mark glued to the first name (pandas #4793)",
        [f"{D}::test_that_the_encoding_is_told_and_no_mark_sticks_to_the_first_name"],
    ),
    "A10": (
        "writer died inside a number (pandas #44082)",
        [
            f"{D}::test_that_a_last_line_cut_inside_a_number_is_dropped_and_said",
            f"{D}::test_that_a_last_line_with_cells_missing_is_dropped_and_a_whole_one_kept",
        ],
    ),
    "A12": (
        "short rows look like missing data (pandas #9729)",
        [f"{D}::test_that_ragged_rows_are_counted_listed_and_told_from_empty_cells"],
    ),
    "A16": (
        "union of topics with empty cells (PlotJuggler #1038)",
        [f"{C}::test_that_a_union_of_rates_gives_each_signal_its_own_clock"],
    ),
    "A17": (
        "no time column (PlotJuggler #508)",
        [
            f"{C}::test_that_a_rate_is_never_invented",
            f"{UI}::test_that_what_cannot_be_read_is_said_and_cancel_changes_nothing",
        ],
    ),
    "A18": (
        "state left from the file before (PlotJuggler #61)",
        [f"{C}::test_that_loaders_keep_no_state_between_files"],
    ),
    "A20": (
        "generic error for mixed cells (pulseview #93)",
        [
            f"{D}::test_that_mixed_cells_give_an_error_that_names_place_text_and_what_to_do",
            f"{D}::test_that_hexadecimal_cells_are_integers",
        ],
    ),
    "A21": (
        "a line that starts with NaN hangs (3DTK #6)",
        [
            f"{D}::test_that_spellings_of_nothing_are_missing_values",
            f"{D}::test_that_spellings_of_infinity_are_infinite",
            f"{E}::test_that_reading_can_be_cancelled",
        ],
    ),
    "A23": (
        "a wrong time format ends the import (PlotJuggler #526)",
        [
            f"{C}::test_that_columns_that_do_not_exist_are_refused_with_the_closest_names",
            f"{UI}::test_that_what_cannot_be_read_is_said_and_cancel_changes_nothing",
            f"{UI}::test_that_a_field_is_judged_as_it_is_when_a_button_is_pressed",
        ],
    ),
    "A24": (
        "the delimiter is forgotten (PlotJuggler #557)",
        ["test_mapfile::test_that_what_was_written_reads_back_equal"],
    ),
    "A25": (
        "large files crash (PlotJuggler #549)",
        [
            f"{V}::test_that_block_borders_do_not_matter",
            "test_large::test_that_a_large_table_is_read_in_bounded_memory",
        ],
    ),
    "A28": (
        "blank lines and odd line ends (DPS5005_pyGUI #14)",
        [f"{D}::test_that_all_line_ends_and_blank_lines_are_accepted"],
    ),
    "B1": (
        "rows out of order abort (PlotJuggler PR 721)",
        [
            f"{C}::test_that_rows_out_of_order_are_sorted_counted_and_located",
            f"{C}::test_that_row_order_and_splitting_can_be_chosen",
        ],
    ),
    "B3": (
        "int64 nanoseconds become floats (pyqtgraph #2119)",
        [
            f"{C}::test_that_integer_nanoseconds_are_kept_without_loss",
            f"{C}::test_that_nanoseconds_with_missing_stamps_are_kept_without_loss",
        ],
    ),
    "B4": (
        "epoch axis loses its resolution (pyqtgraph #2020)",
        [f"{C}::test_that_epoch_seconds_are_drawn_relative_with_even_steps"],
    ),
    "B6": (
        "start times with and without a zone (asammdf #1072)",
        [f"{C}::test_that_dates_are_stamps_and_only_those_with_a_zone_are_comparable"],
    ),
    "B7": (
        "simulator from 0, robot from 1970 (drcsim #391)",
        [
            f"{C}::test_that_an_epoch_and_a_clock_from_zero_are_not_put_on_one_origin",
            f"{C}::test_that_overlapping_epochs_are_put_on_one_origin",
        ],
    ),
    "B9": (
        "receive time against sensor stamp (PlotJuggler #344)",
        [f"{C}::test_that_two_time_columns_are_compared_and_the_clock_in_use_is_named"],
    ),
    "B10": (
        "stamps fall to 0 between episodes (unitree_lerobot #41)",
        [
            f"{C}::test_that_a_restart_of_the_clock_begins_a_new_episode",
            f"{C}::test_that_a_restart_of_the_step_counter_splits_rows_without_a_clock",
        ],
    ),
    "B11": ("jitter rejected (lerobot #2364)", [f"{C}::test_that_jitter_is_no_ground_to_refuse"]),
    "B12": (
        "the wrong stream is the base clock (robot-log-visualizer PR 72)",
        [f"{V}::test_that_command_and_measurement_in_two_files_are_one_recording"],
    ),
    "B16": (
        "relative and absolute series in one plot (PlotJuggler #202)",
        [f"{C}::test_that_a_column_that_counts_from_another_origin_is_said_to"],
    ),
    "B17": (
        "steps that are no samples (PlotJuggler #486)",
        ["ui/plots/test_keys::test_that_arrows_walk_from_sample_to_sample"],
    ),
    "B18": (
        "nominal and real rate differ (IsaacLab #902)",
        [
            f"{C}::test_that_a_nominal_rate_and_a_measured_rate_stand_side_by_side",
            f"{C}::test_that_a_constant_dt_column_that_does_not_fit_the_stamps_is_said",
        ],
    ),
    "B19": (
        "a file opens after its first sample (lichtblick #409)",
        [f"{C}::test_that_small_stamps_stay_as_the_file_has_them"],
    ),
}

H, F, ER = "test_hdf5_general", "test_hdf5_faults", "test_errors"
M, FL, DE = "test_layout_meaning", "test_layouts_flat", "test_layouts_demos"

FAULTS |= {
    "E1": (
        "a truncated file gives a low-level message (h5py #1179)",
        [
            f"{F}::test_that_a_cut_file_says_how_much_of_it_is_there",
            f"{F}::test_that_a_file_cut_inside_its_header_is_told",
            f"{F}::test_that_a_cut_file_of_a_layout_is_told",
            f"{ER}::test_that_a_truncated_hdf5_says_expected_and_found_bytes",
        ],
    ),
    "E2": (
        "a file never closed (h5py #1807)",
        [
            f"{F}::test_that_a_file_whose_writer_was_killed_is_read_or_explained",
            f"{F}::test_that_a_mark_of_writing_is_seen_past_and_explained",
            f"{F}::test_that_a_marked_and_damaged_file_is_never_waited_for",
        ],
    ),
    "E3": (
        "unable to lock: a notebook has it open (COMPAS #683)",
        [f"{F}::test_that_a_file_another_process_has_open_for_writing_is_read_and_said"],
    ),
    "E4": (
        "no locks on network storage (h5py #1101)",
        [f"{F}::test_that_locks_that_cannot_be_had_are_no_obstacle"],
    ),
    "E5": (
        "a viewer stops the logger from opening again (h5py #712)",
        [
            f"{F}::test_that_a_writer_reopens_at_will_and_new_rows_are_seen",
            "ui/test_growing::test_that_a_writer_appends_while_the_window_shows_its_file",
            f"{ER}::test_that_no_file_is_changed_or_held_open",
        ],
    ),
    "E6": (
        "saving empties a file in use (h5py #1864)",
        [f"{F}::test_that_a_saved_trace_never_lands_on_its_source"],
    ),
    "E7": (
        "signature not found (h5py #1488)",
        [
            f"{F}::test_that_what_is_no_hdf5_is_named_by_its_content",
            "test_named_formats::test_that_a_format_is_named_whatever_the_file_is_called",
        ],
    ),
    "E8": (
        "a compression filter is missing (h5py #2294)",
        [f"{H}::test_that_a_missing_compression_filter_is_named_and_costs_only_its_dataset"],
    ),
    "E10": ("an empty dataset (silx #1055)", [f"{H}::test_that_odd_types_cost_only_their_dataset"]),
    "E11": (
        "scalars, zero-length and plain 1-D datasets (PyMca PR 160)",
        [
            f"{H}::test_that_odd_types_cost_only_their_dataset",
            f"{H}::test_that_values_are_exact_in_any_number_type",
            f"{H}::test_that_a_file_without_series_says_so",
        ],
    ),
    "E13": (
        "elements of variable length (silx #1951)",
        [
            f"{H}::test_that_odd_types_cost_only_their_dataset",
            f"{F}::test_that_bit_fields_and_opaque_data_cost_only_themselves",
        ],
    ),
    "E16": (
        "fixed keys are expected (robomimic #238)",
        [
            f"{DE}::test_that_other_key_names_are_no_obstacle",
            f"{M}::test_that_every_dataset_is_listed_whatever_it_is_called",
            f"{H}::test_that_fields_are_found_by_name_whatever_the_group",
        ],
    ),
    "E17": (
        "the library in several threads (VVD_Viewer #5)",
        [
            f"{F}::test_that_no_two_threads_have_files_open_at_once",
            f"{H}::test_that_opening_from_several_threads_gives_whole_traces",
        ],
    ),
    "E19": (
        "one damaged file ends a batch (bonito #157)",
        [
            f"{F}::test_that_one_damaged_episode_or_file_does_not_end_the_others",
            f"{FL}::test_that_a_half_written_trajectory_costs_only_itself",
        ],
    ),
    "E21": (
        "the viewer's lock makes the next scan fail (silx #2859)",
        [
            f"{F}::test_that_a_writer_is_not_blocked_while_the_file_is_open_here",
            f"{F}::test_that_a_file_in_single_writer_mode_is_read_as_it_grows",
            f"{F}::test_that_a_file_that_changes_while_it_is_read_is_read_again",
        ],
    ),
    "F1": (
        "sizes of state and action differ (lerobot PR 415)",
        [f"{M}::test_that_state_and_action_may_differ_in_size"],
    ),
    "F2": (
        "unknown columns are invisible (lerobot #3880)",
        [
            f"{M}::test_that_every_dataset_is_listed_whatever_it_is_called",
            f"{V}::test_that_extra_columns_are_listed_as_other",
        ],
    ),
    "F4": (
        "actions beyond their limits (IsaacLab #2636)",
        [
            f"{M}::test_that_actions_beyond_their_limits_are_kept",
            "checks/test_action::test_that_a_side_never_approached_is_untested",
        ],
    ),
    "F5": (
        "order, sign and scale of joints differ (IsaacLab #2437)",
        [
            f"{DE}::test_that_isaac_lab_says_which_joints_are_relative",
            "checks/test_observation_scaling::test_that_channels_in_each_others_place_are_a_swap",
        ],
    ),
    "F6": (
        "the row flagged done holds the next episode (envpool #194)",
        [
            f"{M}::test_that_what_follows_an_end_is_another_episode",
            "checks/test_termination::test_reset_row_belongs_to_next_episode",
        ],
    ),
    "F7": (
        "one done mixes failure and time limit (gymnax PR 108)",
        [
            f"{M}::test_that_ends_at_one_length_are_called_possible_time_limits",
            "checks/test_termination::test_done_at_round_length_is_possibly_truncated",
        ],
    ),
    "F10": (
        "an action acts on an older observation (SimplerEnv #49)",
        ["checks/test_timing::test_that_a_later_response_is_measured_in_rows_and_milliseconds"],
    ),
    "F11": (
        "delay in whole steps is too coarse (mjlab #1084)",
        ["analysis/test_lag::test_that_lag_intervals_cover"],
    ),
    "F12": (
        "gain and offset from action to joint differ (IsaacLab #1077)",
        ["analysis/test_action_map::test_that_every_map_is_named_with_its_numbers"],
    ),
    "F13": (
        "vectors in cells, two units, several files (sage)",
        [
            f"{V}::test_that_vectors_are_read_in_any_spelling",
            f"{V}::test_that_seconds_in_one_recording_and_microseconds_in_the_other_agree",
            f"{V}::test_that_command_and_measurement_in_two_files_are_one_recording",
        ],
    ),
}

ALL_A = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 17, 18, 20, 21, 23, 24, 25, 28]
ALL_B = [1, 3, 4, 6, 7, 9, 10, 11, 12, 16, 17, 18, 19]
ALL_E = [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 13, 16, 17, 19, 21]
ALL_F = [1, 2, 4, 5, 6, 7, 10, 11, 12, 13]


def test_that_every_row_is_there():
    rows = {"A": ALL_A, "B": ALL_B, "E": ALL_E, "F": ALL_F}
    assert set(FAULTS) >= {f"{section}{n}" for section, numbers in rows.items() for n in numbers}


@pytest.mark.parametrize("row", FAULTS)
def test_that_every_fault_has_tests_that_exist(row):
    what, tests = FAULTS[row]
    assert what
    assert tests
    for test in tests:
        module, name = test.split("::")
        path = module if "/" in module else f"readers/{module}"
        text = (Path(__file__).parents[1] / f"{path}.py").read_text(encoding="utf-8")
        assert f"def {name}(" in text, test
