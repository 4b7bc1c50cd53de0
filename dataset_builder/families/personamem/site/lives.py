"""The facts of a life, rebuilt: each candidate of a story with its states and its mentions."""

from collections.abc import Iterator, Mapping, Sequence

from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.lives.bank import get_need
from personamem.dataset_builder.families.personamem.lives.life import Life, make_life
from personamem.dataset_builder.families.personamem.lives.mentions import Mention, Stance
from personamem.dataset_builder.families.personamem.lives.plan import plan_split
from personamem.dataset_builder.families.personamem.lives.rendering import render_mention
from personamem.dataset_builder.families.personamem.lives.stories import Role, Story
from personamem.dataset_builder.reports.site.records import Fact, Lane, Mark, Span
from personamem.loaders.formats.schema import COHORT_SIZE, Annotation, ContextRecord, Question

_STANCES = {
    Stance.OWN: "the user's own",
    Stance.ENDED: "the user's own, until now",
    Stance.OTHERS: "{who}'s",
    Stance.OTHERS_ENDED: "{who}'s, until now",
    Stance.DECLINED: "declined",
    Stance.CONDITIONAL: "on one occasion only",
    Stance.POINTED: "the user does it as {who} does",
    Stance.FORGET: "asked to be forgotten",
}

_STATES = {
    Role.CURRENT: "the user's own",
    Role.FORMER: "the user's own once",
    Role.SOMEBODY_ELSE: "somebody else's",
    Role.DECLINED: "declined",
    Role.CONDITIONAL: "on one occasion only",
    Role.FORGOTTEN: "to be forgotten",
    Role.NEW: "not brought up",
}


def read_life_facts(
    config: PersonaMemConfig,
    split: str,
    context: ContextRecord,
    questions: Sequence[Question],
    annotations: Mapping[str, Annotation],
) -> list[Fact] | None:
    """Return the stories of a persona, or None if they are not those of the context."""
    group, persona_index = divmod(context.persona_id, COHORT_SIZE)
    if not 0 <= group < len(plan_split(config, split)):
        return None
    life = make_life(config, split, group, persona_index)
    places = _find_mentions(life, context)
    stories_of = {quad.quad_id: quad.stories for quad in life.plan.quads}
    known = {annotations[question.question_id].quad_id for question in questions}
    if places is None or not known <= set(stories_of):
        return None
    last_day = max(context.session_dates)
    facts = []
    for story in life.plan.stories.values():
        asked = [
            question
            for question in questions
            if story.story_id in stories_of[annotations[question.question_id].quad_id]
        ]
        facts.append(_make_fact(life, story, places, asked, annotations, last_day))
    return sorted(facts, key=_find_first_question)


def _find_first_question(fact: Fact) -> str:
    asked = [mark.date for lane in fact.lanes for mark in lane.marks if mark.kind == "asked"]
    return min(asked, default="9999")


def _find_mentions(life: Life, context: ContextRecord) -> Mapping[str, tuple[int, ...]] | None:
    """Return the user's messages of each mention, or None if the context lacks one."""
    days: dict[str, list[int]] = {}
    for index, message in enumerate(context.messages):
        if message["role"] == "user":
            date = context.session_dates[context.session_at(index)]
            days.setdefault(date, []).append(index)
    places = {}
    for mentions in life.mentions.values():
        for mention in mentions:
            rendered = render_mention(life.config.seed, mention, life.speaker)
            texts = {each["content"] for each in rendered if each["role"] == "user"}
            found = [
                index
                for index in days.get(mention.day.isoformat(), ())
                if context.messages[index]["content"] in texts
            ]
            if not found:
                return None
            places[mention.mention_id] = tuple(found)
    return places


def _make_fact(
    life: Life,
    story: Story,
    places: Mapping[str, tuple[int, ...]],
    asked: Sequence[Question],
    annotations: Mapping[str, Annotation],
    last_day: str,
) -> Fact:
    need = get_need(story.need_id)
    marks: dict[str, list[Mark]] = {key: [] for key in story.candidates if key}
    for mention in life.mentions[story.story_id]:
        marks[mention.choice].append(_mark_told(mention, places))
    persona = life.persona_index
    own = [story.candidates[story.candidate_in(persona, role)] for role in story.chain or (0,)]
    for question in asked:
        annotation = annotations[question.question_id]
        gold = annotation.option_keys[question.answer_index]
        marks.setdefault(gold if gold in marks else own[0], []).append(
            Mark(
                "asked",
                annotation.asked_on,
                question.question_type.replace("_", " "),
                question.question_id,
            )
        )
    lanes = []
    for role in range(COHORT_SIZE):
        key = story.candidates[story.candidate_in(persona, role)]
        if key:
            spans = tuple(_list_spans(life, story, role, last_day))
            found = sorted(marks[key], key=lambda mark: (mark.date, mark.kind))
            lanes.append(Lane(need.find_choice(key).phrase, spans, tuple(found)))
    note = f"Level of evidence: {story.level}."
    if story.silent_for == persona:
        note += " This persona never brings it up."
    elif story.private_for == persona:
        note += " The user calls it private."
    return Fact(story.story_id, _capitalise(need.about), story.topic, note, tuple(lanes))


def _mark_told(mention: Mention, places: Mapping[str, tuple[int, ...]]) -> Mark:
    who = mention.contact.name if mention.contact else ""
    text = _STANCES[mention.stance].format(who=who)
    return Mark("told", mention.day.isoformat(), text, places[mention.mention_id][0])


def _list_spans(life: Life, story: Story, role: int, last_day: str) -> Iterator[Span]:
    """Yield what a role was, stage by stage; stages that change nothing are joined."""
    if story.silent_for == life.persona_index:
        return
    starts = life.plan.calendar.list_stage_starts(story.boundaries, story.until)
    stages = range(max(1, len(story.chain)))
    states = [story.state_of(role, stage) for stage in stages]
    begun = 0
    for stage in stages:
        if stage + 1 < len(states) and states[stage + 1] is states[stage]:
            continue
        end = starts[stage + 1].isoformat() if stage + 1 < len(states) else last_day
        state = states[stage]
        yield Span(starts[begun].isoformat(), end, _STATES[state], state is Role.CURRENT)
        begun = stage + 1


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]
