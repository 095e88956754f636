"""Chunks: bounded, whole words, whole tables where they fit, and labels that are unlike each other."""

from hypothesis import given
from hypothesis import strategies as st

from email_assistant.workflows.claims_desk.documents.document import MAX_CHUNK, Section, chunks_of, pieces_of
from email_assistant.workflows.claims_desk.documents.reading import read_document

HEADINGS = st.sampled_from(["A", "a", "B", "A, part 2", "A (2)", "B > A", "4.2 Unpaid premium", "A > A"])
WORDS = st.text(alphabet="abcä.!:;\n ", min_size=1, max_size=3_000).map(lambda text: text.strip() or "x")
SECTIONS = st.lists(
    st.builds(
        Section,
        st.lists(HEADINGS, max_size=3).map(tuple),
        st.lists(WORDS, min_size=1, max_size=4).map(tuple),
    ),
    max_size=8,
)


@given(SECTIONS)
def test_chunks_keep_every_word_and_their_bounds(sections: list[Section]) -> None:
    """In order, none cut unless it is longer than a chunk; and every label is another one."""
    chunks = chunks_of("home.md", sections)
    assert all(0 < len(chunk.text) <= MAX_CHUNK for chunk in chunks)
    words = " ".join(block for section in sections for block in section.blocks).split()
    if all(len(word) <= MAX_CHUNK for word in words):
        assert " ".join(chunk.text for chunk in chunks).split() == words
    assert len({chunk.label.casefold() for chunk in chunks}) == len(chunks)
    assert all(
        chunk.label == "home.md" or chunk.label.startswith(("home.md §", "home.md, ", "home.md ("))
        for chunk in chunks
    )


def test_a_long_block_is_cut_between_lines_then_sentences_then_words() -> None:
    """The best place that there is; unspaced writing behind its full stops; one endless word wherever."""
    rows = pieces_of(["\n".join(["Item 100 euro"] * 200)])
    assert {row for piece in rows for row in piece.split("\n")} == {"Item 100 euro"}
    assert all(piece.endswith("here.") for piece in pieces_of(["One sentence stands here. " * 100]))
    assert {word for piece in pieces_of(["word " * 1_000]) for word in piece.split()} == {"word"}
    assert all(piece.endswith("。") for piece in pieces_of(["保険料が支払われていません。" * 200]))
    assert [len(piece) for piece in pieces_of(["x" * 2_500])] == [MAX_CHUNK, MAX_CHUNK, 100]


def test_parts_of_a_section_have_labels_of_their_own() -> None:
    """The first has the section's; a heading that imitates a part's label is numbered."""
    text = "# A\n" + "word " * 500 + "\n\n# A, part 2\nshort"
    labels = [(chunk.label, chunk.section) for chunk in read_document("a.md", text.encode()).chunks]
    assert [label for label, _ in labels] == [
        "a.md § A", "a.md § A, part 2", "a.md § A, part 3", "a.md § A, part 2 (2)",
    ]  # fmt: skip
    assert [section for _, section in labels] == ["a.md § A"] * 3 + ["a.md § A, part 2"]


def test_labels_do_not_change_when_another_section_does() -> None:
    """A citation on record is found again."""
    one = read_document("a.md", b"# A\none\n\n# B\ntwo")
    other = read_document("a.md", b"# A\nquite another text\n\n# B\ntwo")
    assert [chunk.label for chunk in one.chunks] == [chunk.label for chunk in other.chunks]
    assert one.digest != other.digest
