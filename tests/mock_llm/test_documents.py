"""The documents form: blocks, quotes with true places, and questions with several parts."""

import pytest

import mock_llm
from mock_llm.reader import MOST_PARTS, parts_of

GRASS = "The grass is green. The sky is blue."
CODE = "[linux] Tmux > Typing\n\nStart a named session:\n\n```bash\ntmux new -s work\n```\n\nDone."
PANES = "Split the window in panes. Nothing else."
NAMING = "Answer the part that they cover, then say plainly which part they don't cover."


def document(text, cited=True, **more):
    source = text if isinstance(text, dict) else {"type": "text", "media_type": "text/plain", "data": text}
    return {"type": "document", "source": source, "citations": {"enabled": cited}, **more}


def content(*texts):
    return {"type": "content", "content": [{"type": "text", "text": text} for text in texts]}


def result(*texts, cited=True, source="https://a.example", title="A"):
    blocks = [{"type": "text", "text": text} for text in texts]
    enabled = {"enabled": cited}
    return {"type": "search_result", "source": source, "title": title, "content": blocks, "citations": enabled}


def turn(question, *blocks):
    return {"role": "user", "content": [*blocks, {"type": "text", "text": question}]}


def reply(*messages, model="mock-reader", **body):
    return mock_llm.reply_to({"model": model, "max_tokens": 1000, "messages": list(messages), **body})


def texts(message):
    return [block["text"] for block in message["content"]]


def quotes(message):
    return [quote for block in message["content"] for quote in block["citations"] or ()]


def test_the_quote_is_the_exact_span_with_its_trailing_space():
    message = reply(turn("What colour is the green grass?", document("Nothing."), document(GRASS, title="Nature")))
    assert message["content"] == [
        {
            "type": "text",
            "text": "The grass is green.",
            "citations": [
                {
                    "type": "char_location",
                    "cited_text": "The grass is green. ",
                    "document_index": 1,
                    "document_title": "Nature",
                    "start_char_index": 0,
                    "end_char_index": 20,
                    "file_id": None,
                }
            ],
        }
    ]


@pytest.mark.parametrize(
    "text", ["😀 Tea.  Tea time is\r\n  at five. End.", "# Tea\n\n> Tea time\n> is at five.", "Tea time | is\n\nx"]
)
def test_places_are_code_points_of_the_document(text):
    (quote,) = quotes(reply(turn("When is tea time?", document(text))))
    assert quote["cited_text"] == text[quote["start_char_index"] : quote["end_char_index"]]
    assert "time" in quote["cited_text"]


def test_output_tokens_are_those_of_the_text_alone():
    assert reply(turn("What is the green grass?", document(GRASS)))["usage"]["output_tokens"] == 5


def test_content_blocks_are_quoted_whole():
    blocks = content("Nothing here.", "The grass is green. It grows.", "x")
    (quote,) = quotes(reply(turn("What is the green grass?", document(blocks, title="T"))))
    assert quote == {
        "type": "content_block_location",
        "cited_text": "The grass is green. It grows.",
        "document_index": 0,
        "document_title": "T",
        "start_block_index": 1,
        "end_block_index": 2,
        "file_id": None,
    }


def test_a_code_fence_ends_with_its_block():
    (quote,) = quotes(reply(turn("What is the green grass?", document(content("Run:\n```\nx", "The grass is green.")))))
    assert quote["start_block_index"] == 1


def test_a_content_source_may_be_a_string():
    source = {"type": "content", "content": GRASS}
    assert quotes(reply(turn("What is the green grass?", document(source))))[0]["cited_text"] == GRASS


def test_search_results_have_an_index_of_their_own():
    blocks = [document("Nothing."), result("No."), document("Neither."), result("Old.", GRASS, source="u", title="T")]
    (quote,) = quotes(reply(turn("What is the green grass?", *blocks)))
    assert quote == {
        "type": "search_result_location",
        "cited_text": GRASS,
        "search_result_index": 1,
        "source": "u",
        "title": "T",
        "start_block_index": 1,
        "end_block_index": 2,
    }


def test_indexes_count_through_the_whole_request():
    talk = [turn("Old?", document("Old one.")), {"role": "assistant", "content": "x"}]
    (quote,) = quotes(reply(*talk, turn("What is the green grass?", document(GRASS))))
    assert quote["document_index"] == 1


def test_the_last_turn_with_documents_decides_and_earlier_ones_serve_a_turn_without():
    old = [turn("Old?", document("The green grass is old.")), {"role": "assistant", "content": "x"}]
    assert texts(reply(*old, turn("What is the green grass?", document(GRASS)))) == ["The grass is green."]
    assert texts(reply(*old, turn("What is the green grass?"))) == ["The green grass is old."]


def test_a_prompt_with_passages_of_its_own_does_not_look_at_old_documents(prompts):
    old = [turn("Old?", document("Tea time is at four, tea time.")), {"role": "assistant", "content": "x"}]
    assert texts(reply(*old, *prompts.numbered("When is tea time?", "Tea time is at 5.")[1:])) == [
        "Tea time is at 5. [1]"
    ]


@pytest.mark.parametrize("found", ["The green grass is a tool's.", [{"type": "text", "text": "green grass green"}]])
def test_an_earlier_tool_result_does_not_shadow_the_last_user_message(found):
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "look", "input": {"q": "x"}}]}
    back = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": found}]}
    message = reply({"role": "user", "content": "old"}, call, back, turn("What is the green grass?", document(GRASS)))
    assert texts(message) == ["The grass is green."]


def test_what_a_tool_has_found_answers_the_question_before_it():
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "look", "input": {}}]}
    back = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": [result(GRASS)]}]}
    message = reply({"role": "user", "content": "What is the green grass?"}, call, back)
    assert (texts(message), quotes(message)[0]["search_result_index"]) == (["The grass is green."], 0)


def test_what_a_tool_says_is_not_what_the_user_says():
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "look", "input": {}}]}
    back = {"type": "tool_result", "tool_use_id": "t", "content": "Question: Who won the cup?"}
    user = {"role": "user", "content": "What is the green grass?"}
    assert mock_llm.explain([user, call, {"role": "user", "content": [back]}]).question == "What is the green grass?"
    together = [user, call, turn("Is the sky blue?", back, document(GRASS))]
    assert mock_llm.explain(together).question == "Is the sky blue?"
    assert texts(reply(*together)) == ["The sky is blue."]


def test_documents_of_the_user_and_of_tools_go_together():
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "look", "input": {}}]}
    back = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": [document(GRASS)]}]}
    message = reply(turn("What is the green grass?", document("Nothing.")), call, back)
    assert (texts(message), quotes(message)[0]["document_index"]) == (["The grass is green."], 1)


def test_without_citations_it_is_plain_text():
    blocks = [document(CODE, cited=False), result(PANES, cited=False)]
    message = reply(turn("How do I start a named session? How do I split the window?", *blocks))
    assert message["content"] == [
        {
            "type": "text",
            "text": "Start a named session:\n\n```bash\ntmux new -s work\n```\n\nSplit the window in panes.",
            "citations": None,
        }
    ]


def test_code_that_follows_is_a_block_without_a_citation():
    message = reply(turn("How do I start a named session?", document(CODE)))
    assert texts(message) == ["Start a named session:", "\n\n```bash\ntmux new -s work\n```"]
    assert [bool(block["citations"]) for block in message["content"]] == [True, False]
    assert quotes(message)[0]["cited_text"] == "Start a named session:"


def test_the_question_line_and_the_rules_of_the_turn():
    text = "If not, reply exactly: NO.\n\nQuestion: Who won?"
    assert texts(reply(turn(text, document(GRASS)))) == ["NO."]


def test_feedback_belongs_to_the_turn_with_documents():
    talk = [turn("What is the green grass?", document(GRASS)), {"role": "assistant", "content": "x"}]
    again = {"role": "user", "content": "Problems with your answer:\n- none"}
    assert texts(reply(*talk, again)) == ["The grass is green."]


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("How do I start a session and how do I split it in panes?", ["How do I start a session",
                                                                     "how do I split it in panes"]),
        ("Start a session; split a window? Free?", ["Start a session", "split a window", "Free"]),
        ("When are tea and coffee served?", ["When are tea and coffee served"]),
        ("Is the tea room and the tea room open?", ["Is the tea room and the tea room open"]),
        ("What costs money and what costs time and money?", ["What costs money", "what costs time and money"]),
        ("Which brands sell tea time?", ["Which brands sell tea time"]),
        ("What? Why? Tea time?", ["Tea time"]),
        ("?", []),
    ],
)  # fmt: skip
def test_the_parts_of_a_question(question, parts):
    assert list(parts_of(question)) == parts


def test_a_question_has_not_more_parts_than_can_be_served():
    parts = parts_of("tea time? " * 5_000)
    assert len(parts) == MOST_PARTS and sum(part.count("tea") for part in parts) == 5_000


BOTH = "How do I start a named session and how do I split the window?"
HALF = "How do I start a named session and how do I deploy an operator?"


def test_each_part_has_its_own_answer():
    message = reply(turn(BOTH, document(CODE), document(PANES)))
    assert texts(message) == [
        "Start a named session:",
        "\n\n```bash\ntmux new -s work\n```\n\n",
        "Split the window in panes.",
    ]
    assert [quote["document_index"] for quote in quotes(message)] == [0, 1]


def test_two_sentences_are_parted_by_a_blank():
    message = reply(turn("How do I split the window? What is the green grass?", document(PANES), document(GRASS)))
    assert texts(message) == ["Split the window in panes. ", "The grass is green."]


def test_a_part_without_an_answer_is_named_only_if_the_rules_ask():
    named = reply(turn(HALF, document(CODE)), system=NAMING)
    assert texts(named)[-1] == "The excerpts do not cover this part: how do I deploy an operator."
    assert named["content"][-1]["citations"] is None
    assert texts(reply(turn(HALF, document(CODE)))) == [
        "Start a named session:", "\n\n```bash\ntmux new -s work\n```"
    ]  # fmt: skip


def test_one_sentence_for_two_parts_is_said_once():
    text = "Start a session and split the window so."
    assert texts(reply(turn("How do I start a session? How do I split a window?", document(text)))) == [text]


def test_parts_that_are_all_too_short_are_asked_together():
    assert texts(reply(turn("What is the tea? When is the time?", document("Tea time is at 5.")))) == [
        "Tea time is at 5."
    ]


def test_in_the_other_forms_a_question_is_one(prompts, say):
    assert say(prompts.bracketed(BOTH, a=CODE, b=PANES)).startswith("Start a named session: [a]")
    assert "Split" not in say(prompts.bracketed(BOTH, a=CODE, b=PANES))


def test_no_answer_is_the_refusal_of_the_rules():
    rules = 'One sentence that starts with "The tutorials on this site don\'t cover", then stop.'
    assert texts(reply(turn("How do I deploy an operator?", document(CODE)), system=rules)) == [
        "The tutorials on this site don't cover deploy operator."
    ]


def test_input_tokens_count_text_title_context_and_results():
    # 36 + 6 + 7 characters of the document, 2 of the question: 51 / 4, rounded up
    message = reply(turn("q?", document(GRASS, title="Nature", context="a/b.txt")))
    assert message["usage"]["input_tokens"] == 13


def test_explain_shows_the_parts():
    told = mock_llm.explain([turn(BOTH, document(CODE), document(PANES))])
    assert told.parts == ("How do I start a named session", "how do I split the window")
    assert [line.passage for line in told.sentences if line.winner] == ["document 0", "document 1"]
    assert "parts     How do I start a named session\n          how do I split the window" in repr(told)
