"""Which test proves which promise of the window: gestures, keys, and faults that others had."""

ALIGN, KEYS, MOUSE = "ui/plots/test_align_by_hand", "ui/plots/test_keys", "ui/plots/test_mouse"
DRAWING, OVERVIEW, SNAP = (
    "ui/plots/test_drawing",
    "ui/plots/test_overview",
    "ui/plots/test_snapping",
)
WORK, ACCESS, DETAILS = "ui/test_work", "ui/test_access", "ui/test_details"
WINDOW, WINDOW_KEYS, FAULTS = "ui/test_window", "ui/test_window_keys", "ui/test_reported_faults"
NOTICES, JOURNAL, OPEN = "ui/test_notices", "ui/test_journal", "ui/test_open"
READOUT, CELLS, VIEW = "ui/plots/test_readout", "ui/plots/test_cells", "ui/plots/test_view_model"
JUDGING, FRAMES = "ui/test_judging", "ui/plots/test_frames"
TABS = "ui/test_tab_everywhere"
PROBING, BAND, CARDS = "ui/test_probing", "ui/plots/test_tolerance_band", "ui/test_cards"
WALK, RESIDUAL = "ui/plots/test_random_walk", "analysis/test_residual"

Proof = tuple[tuple[str, str], ...]

GESTURES: dict[str, Proof] = {
    "wheel: zoom time about the pointer": (
        (MOUSE, "test_that_the_wheel_zooms_time_about_the_pointer"),
    ),
    "Shift+wheel: pan time": ((MOUSE, "test_that_shift_wheel_pans_and_keeps_the_span"),),
    "Ctrl+wheel: zoom this pane's value": (
        (MOUSE, "test_that_a_wheel_over_the_axis_or_with_ctrl_zooms_this_panes_values_only"),
    ),
    "wheel over an axis: that axis, with ↔ or ↕ pointer": (
        (MOUSE, "test_that_the_pointer_over_an_axis_says_which_way_the_wheel_goes"),
        (MOUSE, "test_that_the_wheel_over_the_time_axis_zooms_time"),
    ),
    "drag in empty plot: pan": (
        (MOUSE, "test_that_a_drag_pans_by_exactly_what_the_hand_moved_and_keeps_the_span"),
    ),
    "right drag, or Z then drag: box zoom": (
        (MOUSE, "test_that_a_drawn_box_is_what_is_shown_afterwards"),
    ),
    "click, Shift+click: cursor A, cursor B with Δ of every signal": (
        (MOUSE, "test_that_a_click_puts_cursor_a_on_the_nearest_sample_and_shift_click_cursor_b"),
        (DRAWING, "test_that_read_outs_stand_in_the_header_and_not_on_the_curves"),
    ),
    "double click: fit this pane": (
        (MOUSE, "test_that_a_double_click_fits_the_pane_to_what_it_shows"),
    ),
    "drag the target bar: the whole target; residual and checks follow live": (
        (ALIGN, "test_that_dragging_the_bar_moves_every_target_curve_and_is_one_undo_step"),
        (WORK, "test_that_dragging_the_bar_moves_number_residual_and_cards_and_is_one_undo_step"),
    ),
    "Ctrl+drag a target curve": (
        (ALIGN, "test_that_ctrl_drag_on_a_target_curve_moves_the_whole_target"),
    ),
    "dragging with Shift: a tenth": ((ALIGN, "test_that_with_shift_the_target_moves_a_tenth"),),
    "dragging, Esc: back": (
        (ALIGN, "test_that_escape_puts_the_target_back_and_leaves_no_undo_step"),
    ),
    "dragging while locked: says so": (
        (ALIGN, "test_that_a_locked_target_does_not_move_and_says_so"),
    ),
    "dragging with Alt: snap": (
        (SNAP, "test_that_first_motion_catches_the_target_and_is_shown"),
        (SNAP, "test_that_letting_go_of_alt_frees_the_target_in_the_middle_of_a_drag"),
    ),
    "overview: drag box, edges, click": (
        (OVERVIEW, "test_that_dragging_the_box_pans_and_dragging_an_edge_zooms"),
        (OVERVIEW, "test_that_an_edge_dragged_over_the_other_leaves_two_samples"),
        (OVERVIEW, "test_that_a_click_jumps_there_and_keeps_the_span"),
    ),
}

_NUDGE = ((KEYS, "test_that_comma_and_full_stop_nudge_the_target"),)
_STEP = ((KEYS, "test_that_arrows_walk_from_sample_to_sample"),)
_PAGE = ((KEYS, "test_that_ctrl_arrows_page_and_home_and_end_go_to_the_ends"),)
_ZOOM = ((KEYS, "test_that_plus_and_minus_zoom_about_the_cursor"),)
_NEXT = ((KEYS, "test_that_n_and_p_go_from_one_difference_beyond_tolerance_to_the_next"),)
_CURSORS = ((KEYS, "test_that_a_and_b_put_cursors_into_view_side_by_side_and_escape_clears_them"),)
_FIT = ((KEYS, "test_that_f_fits_the_active_pane_and_shift_f_all"),)
_HOME = ((KEYS, "test_that_h_fits_everything_and_alt_left_goes_back"),)
_CARDS = ((ACCESS, "test_that_numbers_go_to_the_cards"),)
_SHEET = ((WINDOW_KEYS, "test_that_a_question_mark_shows_the_sheet_of_shortcuts"),)
_DRAG = ((WORK, "test_that_dragging_the_bar_moves_number_residual_and_cards_and_is_one_undo_step"),)
_ESTIMATE = ((WINDOW_KEYS, "test_that_ctrl_i_estimates_and_ctrl_shift_i_applies_the_offer"),)
_SAVE = ((WORK, "test_that_save_reopen_and_save_again_gives_the_same_bytes"),)
_DIALOGS = ((WINDOW_KEYS, "test_that_ctrl_o_and_ctrl_e_open_their_dialogs"),)

SHORTCUTS: dict[str, Proof] = {
    "Left": _STEP, "Right": _STEP, "Shift+Left": _STEP, "Shift+Right": _STEP,
    "Ctrl+Left": _PAGE, "Ctrl+Right": _PAGE, "Home": _PAGE, "End": _PAGE,
    "Up": ((KEYS, "test_that_up_and_down_choose_the_pane_that_keys_act_on"),),
    "Down": ((KEYS, "test_that_up_and_down_choose_the_pane_that_keys_act_on"),),
    "Space": ((KEYS, "test_that_space_plays_the_cursor_and_pauses_it"),),
    "+": _ZOOM, "Shift++": _ZOOM, "=": _ZOOM, "-": _ZOOM, "_": _ZOOM,
    "F": _FIT, "Shift+F": _FIT, "H": _HOME, "Alt+Left": _HOME,
    "Alt+Right": ((VIEW, "test_that_back_and_forward_walk_through_settled_views"),),
    "Z": ((MOUSE, "test_that_a_drawn_box_is_what_is_shown_afterwards"),),
    "A": _CURSORS, "B": _CURSORS, "Esc": _CURSORS,
    "Ctrl+G": (("ui/plots/test_goto", "test_that_ctrl_g_goes_to_a_step_and_gives_the_keys_back"),),
    "N": _NEXT, "P": _NEXT,
    "R": ((KEYS, "test_that_r_hides_the_residual_lanes_and_shows_them_again"),),
    ",": _NUDGE, ".": _NUDGE, "Shift+,": _NUDGE, "Shift+.": _NUDGE, "<": _NUDGE, ">": _NUDGE,
    "Shift+<": _NUDGE, "Shift+>": _NUDGE, "Alt+,": _NUDGE, "Alt+.": _NUDGE,
    "K": ((DETAILS, "test_that_one_anchor_gives_the_offset_and_two_give_drift_as_well"),),
    "Shift+K": ((KEYS, "test_that_an_anchor_may_begin_in_the_target"),),
    "S": ((SNAP, "test_that_without_a_key_nothing_snaps_and_the_toggle_turns_that_about"),),
    "L": ((KEYS, "test_that_l_locks_and_unlocks"),),
    "M": ((DETAILS, "test_that_marks_are_listed_worded_gone_to_and_deleted_undoably"),),
    "D": ((FRAMES, "test_that_d_shows_both_cameras_by_turns_in_one_place_and_stops"),),
    "[": ((FRAMES, "test_that_brackets_and_the_list_change_the_speed"),),
    "]": ((FRAMES, "test_that_brackets_and_the_list_change_the_speed"),),
    "V": ((DETAILS, "test_that_side_by_side_shows_each_trace_on_its_own_clock_over_one_range"),),
    "Ctrl+Shift+C": ((DETAILS, "test_that_what_the_cursors_read_is_copied_with_all_its_digits"),),
    "Ctrl+Z": _DRAG, "Ctrl+Shift+Z": _DRAG,
    "Ctrl+Y": ((WINDOW_KEYS, "test_that_ctrl_y_does_again_what_was_taken_back"),),
    "Ctrl+O": _DIALOGS, "Ctrl+E": _DIALOGS, "Ctrl+S": _SAVE, "Ctrl+Shift+S": _SAVE,
    "Ctrl+Shift+O": ((WINDOW_KEYS, "test_that_ctrl_shift_o_asks_for_a_session_file"),),
    "Ctrl+N": ((WINDOW_KEYS, "test_that_ctrl_n_asks_for_another_window"),),
    "Ctrl+W": ((WINDOW_KEYS, "test_that_ctrl_w_closes_the_pair_and_shows_the_start_page"),),
    "Ctrl+Q": ((WINDOW_KEYS, "test_that_ctrl_q_closes_this_window"),),
    "Ctrl+Shift+E": ((DETAILS, "test_that_the_visible_range_is_exported_in_the_background"),),
    "0": _CARDS, "1": _CARDS, "2": _CARDS, "3": _CARDS, "4": _CARDS, "5": _CARDS, "6": _CARDS,
    "Ctrl+1": ((DETAILS, "test_that_marks_are_listed_worded_gone_to_and_deleted_undoably"),),
    "Ctrl+2": ((DETAILS, "test_that_the_lag_of_each_signal_is_shown_apart_and_moves_no_clock"),),
    "Ctrl+3": ((DETAILS, "test_that_statistics_are_those_of_the_raw_samples_in_view"),),
    "Ctrl+4": ((DETAILS, "test_that_the_xy_view_draws_both_traces_and_keeps_the_cursor_in_step"),),
    "F5": ((WINDOW_KEYS, "test_that_after_cancel_f5_runs_the_checks_again"),),
    "Ctrl+5": ((PROBING, "test_that_a_probe_is_set_up_by_keys_alone"),),
    "Ctrl+Shift+M": (("ui/campaign/test_opening", "test_that_menu_and_start_page_open_a_campaign"),),
    "Ctrl+F1": (("ui/test_guide_viewer", "test_that_ctrl_f1_opens_it"),),
    "Ctrl+F": ((ACCESS, "test_that_single_letters_are_text_in_a_text_field"),),
    "Ctrl+I": _ESTIMATE, "Ctrl+Shift+I": _ESTIMATE,
    "F1": ((ACCESS, "test_that_menus_and_sheet_come_from_one_table"),), "?": _SHEET,
    "F11": ((WINDOW_KEYS, "test_that_f11_fills_the_screen_and_back"),),
    "Ctrl+Shift+P": ((ACCESS, "test_that_the_palette_finds_and_does_what_is_typed"),),
}  # fmt: skip

PROMISES: dict[str, Proof] = {
    "while dragging, the checks' states follow; quick looks are marked and replaced": (
        (JUDGING, "test_that_a_quick_look_follows_the_hand_and_the_full_answer_follows_its_rest"),
        (JUDGING, "test_that_moving_on_ends_a_full_run_and_looks_again"),
        (JUDGING, "test_that_where_all_checks_are_quick_all_of_them_follow"),
    ),
    "a verdict that flips within the offset's own interval is marked": (
        (JUDGING, "test_that_a_verdict_that_flips_within_the_offset_is_marked"),
        (JUDGING, "test_that_the_answer_is_shown_before_other_offsets_are_tried"),
    ),
    "cancel is felt inside a check": (
        (JUDGING, "test_that_cancel_inside_a_check_is_felt_and_begins_nothing_anew"),
    ),
    "single letters only when no text field has focus": (
        (ACCESS, "test_that_single_letters_are_text_in_a_text_field"),
    ),
    "menus, sheet and palette show the same shortcuts": (
        (ACCESS, "test_that_menus_and_sheet_come_from_one_table"),
        (DETAILS, "test_that_every_new_verb_stands_in_menu_sheet_and_palette"),
    ),
    "camera images: sim beside target at the cursor, read ahead, blinking on demand": (
        (FRAMES, "test_that_both_cameras_show_the_image_of_the_cursors_instant"),
        (FRAMES, "test_that_the_images_beside_the_shown_ones_are_read_ahead"),
        (FRAMES, "test_that_without_motion_a_key_shows_the_other_image"),
        (FRAMES, "test_that_no_speed_flashes_more_than_three_times_a_second"),
    ),
    "paired probing: a span, a command, a response, against a budget": (
        (PROBING, "test_that_a_probe_is_set_up_by_mouse_between_the_cursors_and_shown_as_a_card"),
        (PROBING, "test_that_a_probe_is_set_up_by_keys_alone"),
        (PROBING, "test_that_budgets_are_saved_edited_loaded_and_undone"),
        (PROBING, "test_that_findings_note_and_saved_session_tell_of_it"),
    ),
    "the residual lane shows what is within tolerance, by the rule that N and P walk by": (
        (BAND, "test_that_the_band_is_what_scale_and_level_allow_at_each_sample"),
        (BAND, "test_that_what_n_finds_lies_outside_the_band_and_the_rest_inside"),
    ),
    "measurements: worst first, what decides before what was counted, in their own state's colour": (
        (CARDS, "test_that_what_decides_stands_before_what_was_counted"),
        (CARDS, "test_that_dot_and_interval_have_the_colour_of_the_measurements_own_state"),
        (CARDS, "test_that_an_interval_never_reads_as_from_one_number_to_the_same"),
    ),
    "what could not be read is mended from its red bar": (
        (OPEN, "test_that_a_text_that_is_no_table_is_read_otherwise_from_its_bar"),
        (OPEN, "test_that_what_no_delimiter_mends_leads_to_other_files"),
    ),
    "Tab reaches every control of window, dialogs, pages, cards and images": (
        (ACCESS, "test_that_tab_reaches_every_control"),
        (TABS, "test_that_tab_reaches_every_control_of_every_dialog"),
        (TABS, "test_that_no_dialog_is_left_out"),
        (TABS, "test_that_tab_reaches_every_control_of_every_page_of_details"),
    ),
    "contrast, and no state by colour alone": (
        ("ui/test_theme", "test_that_words_stand_out_at_least_four_and_a_half_to_one"),
        ("ui/test_theme", "test_that_no_state_has_the_colour_of_a_trace"),
        ("ui/test_theme", "test_that_a_badge_says_its_state_in_a_word_and_a_sign"),
    ),
    "view changes have a history of their own": (
        (VIEW, "test_that_back_and_forward_walk_through_settled_views"),
    ),
}

FAULTS_OF_ALIGNMENT: dict[str, Proof] = {
    "C3 right size, wrong sign": (
        (ALIGN, "test_that_the_strip_says_in_words_which_way_and_how_far"),
        (
            "analysis/test_estimate",
            "test_that_a_late_target_has_a_positive_offset_and_an_early_one_a_negative",
        ),
    ),
    "C4 a periodic signal has rivals": (
        (NOTICES, "test_that_an_ambiguous_estimate_names_its_rivals_and_a_click_takes_another"),
    ),
    "C5 the pick is on the curve, rates differ, another peak can be clicked": (
        (NOTICES, "test_that_an_ambiguous_estimate_names_its_rivals_and_a_click_takes_another"),
        ("analysis/test_estimate", "test_that_rates_may_differ"),
    ),
    "C6 nothing moves": (
        ("analysis/test_estimate", "test_that_nothing_is_estimated_where_nothing_can_be"),
        ("checks/test_alignment", "test_that_silence_is_inconclusive_with_the_reason"),
    ),
    "C7 one transform for view, checks, residual and export": (
        (READOUT, "test_that_a_cursor_reads_what_the_checks_resample"),
        (READOUT, "test_that_short_and_long_residuals_are_the_one_the_analysis_defines"),
        (WORK, "test_that_the_note_and_the_json_hold_the_numbers_on_the_screen"),
        (
            "session/test_export_range",
            "test_that_values_stand_as_recorded_as_corrected_and_as_residual",
        ),
    ),
    "C8 a second anchor adds drift; each has its residual and its undo": (
        (DETAILS, "test_that_one_anchor_gives_the_offset_and_two_give_drift_as_well"),
    ),
    "C9 stepwise offsets are not linear": (
        (
            DETAILS,
            "test_that_an_anchor_far_off_the_line_is_flagged_and_the_clocks_are_called_not_linear",
        ),
    ),
    "C11 a few common rows give no number": (
        ("checks/test_alignment", "test_that_a_few_common_rows_give_no_number"),
    ),
    "C12 no overlap: both ranges, one click": (
        (
            FAULTS,
            "test_that_traces_that_do_not_overlap_name_both_ranges_and_one_click_brings_them_together",
        ),
    ),
    "C15 exports carry raw and aligned time": (
        (DETAILS, "test_that_the_visible_range_is_exported_in_the_background"),
        (
            "session/test_export_range",
            "test_that_raw_and_aligned_time_and_the_parameters_are_written",
        ),
    ),
    "C16 the note says how the alignment came about": (
        (WORK, "test_that_the_note_and_the_json_hold_the_numbers_on_the_screen"),
    ),
    "C17 the read-out goes through the drawn transform": (
        (READOUT, "test_that_reading_goes_through_the_same_lenses_as_alignment_and_correction"),
    ),
    "C19 the residual is target less sim": (
        (READOUT, "test_that_the_residual_is_target_less_sim_and_the_same_dragging_and_at_rest"),
        (
            "analysis/test_residual",
            "test_that_a_sparse_target_is_read_between_its_samples_and_a_held_action_is_not",
        ),
    ),
    "C20 unequal spans: the rest is shaded": (
        (DRAWING, "test_that_only_what_lacks_a_counterpart_is_hatched"),
    ),
    "C22 nothing moves by a slip": (
        (ALIGN, "test_that_a_slip_on_the_bar_moves_nothing"),
        (ALIGN, "test_that_ctrl_drag_beside_every_target_curve_moves_nothing_and_says_why"),
        (WORK, "test_that_escape_takes_a_drag_back_and_leaves_no_undo_step"),
        (WORK, "test_that_a_locked_alignment_says_so_and_stays"),
    ),
    "C23 the whole recording slides": (
        (ALIGN, "test_that_dragging_the_bar_moves_every_target_curve_and_is_one_undo_step"),
    ),
}

FAULTS_OF_PLOTS: dict[str, Proof] = {
    "D1 one NaN": ((DRAWING, "test_that_one_dropped_sample_leaves_the_rest_of_the_curve"),),
    "D3 clipping with NaN or repeated stamps": (
        (DRAWING, "test_that_no_content_breaks_the_picture"),
        (DRAWING, "test_that_repeated_stamps_and_a_single_row_are_drawn"),
        (
            CELLS,
            "test_that_cells_hold_every_sample_in_view_once_and_none_is_wider_than_a_pixel_and_a_half",
        ),
    ),
    "D5 steps × gaps × decimation": (
        (CELLS, "test_that_steps_with_gaps_and_dropped_samples_keep_every_value_under_decimation"),
    ),
    "D6 sixty notches": ((MOUSE, "test_that_sixty_notches_end_at_the_limits_and_not_in_a_hang"),),
    "D8 infinite samples": (
        (DRAWING, "test_that_infinite_samples_do_not_spoil_the_range_and_are_marked_and_counted"),
    ),
    "D10 constants": ((DRAWING, "test_that_a_constant_of_any_size_is_a_line_through_the_middle"),),
    "D12 linked panes agree": (
        (MOUSE, "test_that_every_pane_the_axis_and_the_strip_share_one_range_and_one_left_edge"),
        (
            "ui/plots/test_random_walk",
            "test_that_after_a_walk_of_gestures_the_panes_agree_and_undo_returns_to_the_start",
        ),
    ),
    "D13 another screen": (
        (FAULTS, "test_that_another_screen_lays_everything_out_anew_and_panes_agree"),
    ),
    "D14 cursor trails": ((FAULTS, "test_that_a_moving_cursor_leaves_no_trail"),),
    "D16 the span of a pan": (
        (MOUSE, "test_that_a_drag_pans_by_exactly_what_the_hand_moved_and_keeps_the_span"),
        (VIEW, "test_that_panning_many_times_keeps_the_span_to_the_last_digits"),
    ),
    "D17 the first drag": (
        (FAULTS, "test_that_the_first_drag_after_opening_moves_the_target_and_no_axis"),
    ),
    "D18 two drags in a row": ((OVERVIEW, "test_that_two_drags_in_a_row_both_move_the_box"),),
    "D19 wheel on the cursor": (
        (MOUSE, "test_that_the_wheel_zooms_while_the_pointer_is_over_a_cursor"),
    ),
    "D20 the box dragged out of the window": (
        (OVERVIEW, "test_that_a_box_dragged_out_of_the_window_stops_at_the_end"),
    ),
    "D22 ten thousand marks and toggles": (
        (DRAWING, "test_that_ten_thousand_toggles_are_merged_into_few_bands"),
        ("ui/plots/test_goto", "test_that_ten_thousand_marks_are_drawn_as_few_lines"),
    ),
    "D23 panes line up": ((MOUSE, "test_that_axes_stay_above_each_other_when_numbers_grow"),),
    "D24 a pane added later": (
        (MOUSE, "test_that_a_pane_added_later_is_born_with_range_and_cursors"),
    ),
    "D25 wide pens": ((DRAWING, "test_that_a_wider_line_costs_no_wider_pen"),),
    "D26 no OpenGL": ((FAULTS, "test_that_nothing_of_the_window_asks_for_open_gl"),),
    "D27 no wiggle": ((CELLS, "test_that_bins_are_anchored_to_the_data_and_not_to_the_view"),),
    "D28 read-outs from raw data": (
        (READOUT, "test_that_a_cursor_reads_what_the_checks_resample"),
        (DETAILS, "test_that_what_the_cursors_read_is_copied_with_all_its_digits"),
    ),
    "D30 wheel over a list": (
        (FAULTS, "test_that_the_wheel_over_a_side_list_leaves_the_panes_alone"),
    ),
    "D31 shades": ((DRAWING, "test_that_spans_of_evidence_tint_and_never_cover_a_curve"),),
}

FAULTS_OF_APPLICATIONS: dict[str, Proof] = {
    "G1 reloads": ((FAULTS, "test_that_ten_reloads_leave_memory_flat"),),
    "G2 the layout is kept": (
        (FAULTS, "test_that_the_layout_is_kept_for_the_next_pair_and_what_it_lacks_is_listed"),
        (WINDOW, "test_that_a_closed_dock_stays_closed_when_the_next_pair_opens"),
    ),
    "G6 a crash loses nothing": (
        (JOURNAL, "test_that_kill_nine_loses_nothing_older_than_two_seconds"),
    ),
    "G8 quit during load": (
        (WINDOW, "test_that_closing_while_a_pair_is_being_read_ends_in_order"),
        (WINDOW, "test_that_closing_while_checks_run_ends_in_order"),
    ),
    "G9 workers speak on the window's thread": (
        ("ui/test_worker", "test_that_what_the_work_says_arrives_on_the_windows_thread_in_order"),
    ),
    "G10 an exception in a slot": (
        (JOURNAL, "test_that_an_unexpected_exception_keeps_the_work_and_says_where_the_log_is"),
    ),
    "G11 a truncated recording": (
        (OPEN, "test_that_a_broken_file_gets_a_red_bar_with_place_and_remedy"),
    ),
    "G12 themes reach everything": (
        ("ui/test_theme", "test_that_the_dark_theme_reaches_every_part_and_back"),
    ),
    "G13 exports: range, channels, progress, cancel": (
        (FAULTS, "test_that_an_export_of_many_samples_shows_progress_and_can_be_cancelled"),
        (DETAILS, "test_that_only_the_active_pane_is_exported_and_a_recording_never_overwritten"),
    ),
    "G15 figures are the note's own": (
        ("findings/test_figures", "test_that_every_axis_has_a_title"),
        ("findings/test_figures", "test_that_a_figure_is_drawn_to_the_same_bytes"),
    ),
    "G16 the pair is the only mode": (
        (OPEN, "test_that_one_trace_alone_shows_curves_and_says_what_the_checks_need"),
    ),
}
