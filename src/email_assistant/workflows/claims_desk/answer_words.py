"""What an answer is made of, in four languages; `{…}` are filled in."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AnswerWords:
    """Sentences of one language."""

    greeting: str
    greeting_nobody: str
    declined: str
    refunded: str
    due: str
    """Of a refund that somebody has still to pay."""
    person: str
    person_plain: str
    tracked: str
    sources: str
    complaint: str
    closing: str


WORDS: Mapping[str, AnswerWords] = {
    "en": AnswerWords(
        greeting="Dear {name},",
        greeting_nobody="Hello,",
        declined="Thank you for your message. {company} can only help with its own products and contracts, so we cannot answer this.",
        refunded="We have refunded {amount} {currency} for {policy}.",
        due="We will refund {amount} {currency} for {policy}.",
        person="A colleague will look at your matter. Its number is {ticket}.",
        person_plain="A colleague will look at your matter.",
        tracked="The number of your matter is {ticket}.",
        sources="This rests on: {labels}",
        complaint="If you do not agree, tell us, and we will open a complaint for you.",
        closing="Kind regards,",
    ),
    "de": AnswerWords(
        greeting="Guten Tag {name},",
        greeting_nobody="Guten Tag,",
        declined="{company} kann nur bei eigenen Produkten und Verträgen helfen; dies können wir nicht beantworten.",
        refunded="Wir haben {amount} {currency} für {policy} erstattet.",
        due="Wir werden {amount} {currency} für {policy} erstatten.",
        person="Eine Kollegin oder ein Kollege sieht sich Ihr Anliegen an. Die Nummer ist {ticket}.",
        person_plain="Eine Kollegin oder ein Kollege sieht sich Ihr Anliegen an.",
        tracked="Die Nummer Ihres Anliegens ist {ticket}.",
        sources="Das beruht auf: {labels}",
        complaint="Wenn Sie nicht einverstanden sind, sagen Sie es uns; wir nehmen dann eine Beschwerde für Sie auf.",
        closing="Mit freundlichen Grüßen",
    ),
    "fr": AnswerWords(
        greeting="Bonjour {name},",
        greeting_nobody="Bonjour,",
        declined="{company} ne peut aider que pour ses propres produits et contrats ; nous ne pouvons pas répondre à cela.",
        refunded="Nous avons remboursé {amount} {currency} pour {policy}.",
        due="Nous rembourserons {amount} {currency} pour {policy}.",
        person="Une collègue ou un collègue va examiner votre demande. Son numéro est {ticket}.",
        person_plain="Une collègue ou un collègue va examiner votre demande.",
        tracked="Le numéro de votre demande est {ticket}.",
        sources="Cela repose sur : {labels}",
        complaint="Si vous n'êtes pas d'accord, dites-le-nous : nous ouvrirons une réclamation pour vous.",
        closing="Cordialement,",
    ),
    "es": AnswerWords(
        greeting="Hola {name}:",
        greeting_nobody="Hola:",
        declined="Gracias por su mensaje. {company} solo puede ayudar con sus propios productos y contratos; a esto no podemos responder.",
        refunded="Hemos reembolsado {amount} {currency} por {policy}.",
        due="Le reembolsaremos {amount} {currency} por {policy}.",
        person="Un compañero o una compañera verá su asunto. Su número es {ticket}.",
        person_plain="Un compañero o una compañera verá su asunto.",
        tracked="El número de su asunto es {ticket}.",
        sources="Esto se basa en: {labels}",
        complaint="Si no está de acuerdo, díganoslo y abriremos una reclamación.",
        closing="Un cordial saludo,",
    ),
}


def words_of(language: str) -> AnswerWords:
    """The sentences of the language; English for one that is not among them."""
    return WORDS.get(language, WORDS["en"])
