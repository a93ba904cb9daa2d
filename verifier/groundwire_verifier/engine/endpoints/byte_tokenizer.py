"""Text as pieces of three bytes: what stands for tokens where a model's tokeniser is not here.

Tokens of an endpoint are its own business; only their number matters here, and the text has to come
back whole. Three bytes are fewer than a token of English or Hebrew prose has in the tokenisers of
today, so that a text that fits into a window by this measure most likely fits.
"""

import re
from collections.abc import Sequence

import numpy as np

from groundwire_verifier.domain.types import ChatTurn

PIECE_BYTES = 3
_PADDING = 0xFF
"""No byte of UTF-8, so that a last piece that is shorter can be told."""

_TURN_MARKS = re.compile(
    r"<(?=[|\uff5c])|<(?=/?s>)|<(?=(?:bos|eos|pad|unk|mask)>)|<(?=(?:start|end)_of_\w+>)|<(?=<SYS>)"
    r"|<(?=/?think>)|<(?=/?tool_(?:call|response)>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|THINK)\])"
)
_WORD_JOINER = "\u2060"


class ByteTokenizer:
    """Implements `groundwire_verifier.domain.prompts.Tokenizer` without a model.

    `is_chat` says that the endpoint makes a turn of the text by its own template.
    """

    def __init__(self, *, is_chat: bool) -> None:
        self._is_chat = is_chat

    def encode_template(self, text: str) -> list[int]:
        """The pieces of words of ours, as they stand."""
        return _pieces(text)

    def encode_texts(self, texts: Sequence[str]) -> list[list[int]]:
        """The pieces of each text of others.

        The endpoint's tokeniser may take what looks like the mark of a turn for one, so an
        invisible character is put into those of the common templates.
        """
        return [_pieces(_TURN_MARKS.sub(lambda m: m.group() + _WORD_JOINER, t)) for t in texts]

    def decode_token(self, token_id: int) -> str:
        """The text of one piece, as far as it is whole characters."""
        return _bytes([token_id]).decode("utf-8", errors="replace")

    def decode(self, token_ids: Sequence[int]) -> str:
        """The text that these pieces were made of."""
        return text_of(token_ids)

    def marker_span(self, text: str) -> tuple[int, int] | None:
        """None: what the endpoint takes for a special token is not known."""
        return None

    def render_chat(self, turns: Sequence[ChatTurn], template_values: str) -> str | None:
        """The text of one turn alone: the endpoint puts its template around it."""
        return "".join(turn.text for turn in turns) if self._is_chat else None


def text_of(token_ids: Sequence[int]) -> str:
    """The text that these pieces were made of."""
    return _bytes(token_ids).decode("utf-8")


def _pieces(text: str) -> list[int]:
    data = text.encode("utf-8")
    data += bytes([_PADDING]) * (-len(data) % PIECE_BYTES)
    parts = np.frombuffer(data, dtype=np.uint8).reshape(-1, PIECE_BYTES).astype(np.int64)
    pieces: list[int] = (parts[:, 0] << 16 | parts[:, 1] << 8 | parts[:, 2]).tolist()
    return pieces


def _bytes(token_ids: Sequence[int]) -> bytes:
    pieces = np.array(token_ids, dtype=np.int64)
    parts = np.stack([pieces >> 16, pieces >> 8 & 0xFF, pieces & 0xFF], axis=-1)
    return parts.astype(np.uint8).tobytes().replace(bytes([_PADDING]), b"")
