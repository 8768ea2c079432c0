"""``musodds rules``: the rule presets side by side."""

from __future__ import annotations

from musodds.cli.options import Format, FormatOption, Lang, LangOption, OutputOption
from musodds.cli.output import check_output, emit, screen_for


def command(
    format: FormatOption = Format.TABLE,
    output: OutputOption = "-",
    lang: LangOption = Lang.EN,
) -> None:
    """The rule presets, side by side."""
    check_output(output)

    from musodds.mus.rules import PRESETS
    from musodds.report.csv_ import rules_csv
    from musodds.report.json_ import rules_json
    from musodds.report.markdown import rules_markdown
    from musodds.report.table import rules_table
    from musodds.report.text import Words

    words, screen = Words(lang.value), screen_for(output)
    if format is Format.JSON:
        text = rules_json(PRESETS)
    elif format is Format.CSV:
        text = rules_csv(PRESETS)
    elif format is Format.MARKDOWN:
        text = rules_markdown(PRESETS, words, screen)
    else:
        text = rules_table(PRESETS, words, screen)
    emit(text, output)
