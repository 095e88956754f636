"""The declaration of `reply_pipeline`."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from email_assistant.workflow_registry import Workflow


def dependencies(built: Any) -> Any:
    """The dependencies of the graph."""
    from email_assistant.mail.authorship import Authorship
    from email_assistant.memory.learner import Learner
    from email_assistant.tools.check_calendar import CheckCalendar
    from email_assistant.tools.lookups import GetContact
    from email_assistant.tools.mail_tools import SendEmail
    from email_assistant.workflows.reply_pipeline.checking import FactCheck
    from email_assistant.workflows.reply_pipeline.dependencies import PipelineDependencies
    from email_assistant.workflows.reply_pipeline.sources import (
        PastMail,
        SenderContact,
        SentAnswers,
        SharedEvents,
    )
    from email_assistant.workflows.reply_pipeline.tools import CheckDays, CreateDraft, LookUpSender

    s, clock = built.settings, built.agenda_clock
    authorship = Authorship(built.mailbox, built.user.own)
    return PipelineDependencies(
        models=built.models,
        senders=built.senders,
        profiles=built.profiles,
        learner=Learner(built.profiles, built.models),
        retrievers=(
            SenderContact(built.contacts),
            SharedEvents(built.calendar, clock, s.timezone),
            PastMail(built.knowledge, authorship),
        ),
        tools={
            "check_calendar": CheckDays(CheckCalendar(built.calendar, clock), clock),
            "get_contact": LookUpSender(GetContact(built.contacts)),
            "create_draft": CreateDraft(),
        },
        send_email=SendEmail(built.sending),
        drafts=built.sending.drafts,
        user=built.user,
        clock=clock,
        checker=FactCheck(built.user, clock, authorship),
        invitations=built.invitations,
        examples=SentAnswers(built.knowledge, built.mailbox),
    )


def build(built: Any, **compile_options: Any) -> Any:
    """The compiled graph, observed by the journal."""
    from email_assistant.workflows.reply_pipeline.email import mail_of
    from email_assistant.workflows.reply_pipeline.graph import pipeline_graph

    compiled = pipeline_graph(dependencies(built)).compile(name="reply_pipeline", **compile_options)
    reading = partial(mail_of, user=built.user)
    return compiled.with_config(
        {"callbacks": [built.observer("reply_pipeline", snapshots=True, mail_of=reading)]}
    )


def email_input(inputs: Mapping[str, Any], user: Any) -> Any:
    """The mail of an input, given as `email` or as `email_input`."""
    from email_assistant.workflows.reply_pipeline.email import email_input_of

    return email_input_of(inputs, user)  # type: ignore[arg-type]


WORKFLOW = Workflow("reply_pipeline", build, last_node="rejected", email_input=email_input)
