"""Which languages a model's card names."""

from pathlib import Path

import pytest

from groundwire_server.models.model_card import card_languages


@pytest.mark.parametrize("name", ["small", "base"])
def test_an_embedded_model_names_its_languages(name: str) -> None:
    assert card_languages(name) == ("en", "he")


@pytest.mark.parametrize(
    ("card", "languages"),
    [
        ("---\nlicense: mit\nlanguage: en\n---\n# A model", ("en",)),
        ("---\nlanguage: [en, de-AT, 'fr']\ntags:\n- text\n---\n", ("en", "de", "fr")),
        ("---\nlanguage:\n- en\n- pt\ntags:\n- no\n---\n", ("en", "pt")),
        ("---\nlanguage:\n  - en\n  - zh\ntags:\n  - pl\n---\n", ("en", "zh")),
        ("---\nlanguage: multilingual\n---\n", ()),
        ("# A model\n\nlanguage: en\n", ()),
        ("", ()),
    ],
)
def test_a_folder_names_them_in_the_head_of_its_card(
    tmp_path: Path, card: str, languages: tuple[str, ...]
) -> None:
    (tmp_path / "README.md").write_text(card, encoding="utf-8")
    assert card_languages(str(tmp_path)) == languages


def test_a_model_without_a_card_names_none(tmp_path: Path) -> None:
    assert card_languages(str(tmp_path)) == ()
    assert card_languages("org/name") == ()
