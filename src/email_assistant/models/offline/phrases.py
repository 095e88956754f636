"""What a draft is made of, in five languages."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Phrases:
    """Sentences of one language; `{…}` are filled in. Square brackets mark what the user has to fill in."""

    greeting: str
    greeting_nobody: str
    formal_greeting: str
    thanks: str
    thanks_no_subject: str
    received: str
    sorry: str
    meeting: str
    gap_time: str
    gap_answer: str
    gap_answers: str
    gap_order: str
    gap_remedy: str
    gap_action: str
    gap_plain: str
    ending: str
    closing: str
    formal_closing: str


PHRASES: Mapping[str, Phrases] = {
    "en": Phrases(
        greeting="Hi {name},",
        greeting_nobody="Hello,",
        formal_greeting="Dear {name},",
        thanks="Thank you for your message about “{subject}”.",
        thanks_no_subject="Thank you for your message.",
        received="I have received it.",
        sorry="I am sorry that you had trouble.",
        meeting="I suggest {when}; you will find it in the invitation.",
        gap_time="[confirm: a time that suits you]",
        gap_answer="[confirm: your answer to the question]",
        gap_answers="[confirm: your answer to question {number}]",
        gap_order="[confirm: availability, price and delivery date]",
        gap_remedy="[confirm: what you offer to do about it]",
        gap_action="[confirm: what you will do, and by when]",
        gap_plain="[confirm: what you want to say]",
        ending="Please let me know if anything is missing.",
        closing="Best regards,",
        formal_closing="Yours sincerely,",
    ),
    "de": Phrases(
        greeting="Hallo {name},",
        greeting_nobody="Guten Tag,",
        formal_greeting="Guten Tag {name},",
        thanks="vielen Dank für Ihre Nachricht zu „{subject}“.",
        thanks_no_subject="vielen Dank für Ihre Nachricht.",
        received="Sie ist angekommen.",
        sorry="Es tut mir leid, dass Sie Ärger hatten.",
        meeting="Ich schlage {when} vor; der Termin steht in der Einladung.",
        gap_time="[confirm: eine Zeit, die Ihnen passt]",
        gap_answer="[confirm: Ihre Antwort auf die Frage]",
        gap_answers="[confirm: Ihre Antwort auf Frage {number}]",
        gap_order="[confirm: Verfügbarkeit, Preis und Liefertermin]",
        gap_remedy="[confirm: was Sie als Lösung anbieten]",
        gap_action="[confirm: was Sie tun werden, und bis wann]",
        gap_plain="[confirm: was Sie sagen möchten]",
        ending="Geben Sie mir gern Bescheid, falls etwas fehlt.",
        closing="Viele Grüße",
        formal_closing="Mit freundlichen Grüßen",
    ),
    "fr": Phrases(
        greeting="Bonjour {name},",
        greeting_nobody="Bonjour,",
        formal_greeting="Bonjour {name},",
        thanks="Merci pour votre message au sujet de « {subject} ».",
        thanks_no_subject="Merci pour votre message.",
        received="Je l'ai bien reçu.",
        sorry="Veuillez excuser ces désagréments.",
        meeting="Je vous propose {when} ; vous le trouverez dans l'invitation.",
        gap_time="[confirm: un horaire qui vous convient]",
        gap_answer="[confirm: votre réponse à la question]",
        gap_answers="[confirm: votre réponse à la question {number}]",
        gap_order="[confirm: disponibilité, prix et date de livraison]",
        gap_remedy="[confirm: la solution que vous proposez]",
        gap_action="[confirm: ce que vous ferez, et pour quand]",
        gap_plain="[confirm: ce que vous souhaitez dire]",
        ending="N'hésitez pas à me dire s'il manque quelque chose.",
        closing="Bien à vous,",
        formal_closing="Cordialement,",
    ),
    "es": Phrases(
        greeting="Hola {name}:",
        greeting_nobody="Buenos días:",
        formal_greeting="Buenos días, {name}:",
        thanks="Gracias por su mensaje sobre «{subject}».",
        thanks_no_subject="Gracias por su mensaje.",
        received="Lo he recibido.",
        sorry="Lamento las molestias.",
        meeting="Propongo {when}; lo encontrará en la invitación.",
        gap_time="[confirm: una hora que le venga bien]",
        gap_answer="[confirm: su respuesta a la pregunta]",
        gap_answers="[confirm: su respuesta a la pregunta {number}]",
        gap_order="[confirm: disponibilidad, precio y fecha de entrega]",
        gap_remedy="[confirm: la solución que ofrece]",
        gap_action="[confirm: qué hará y para cuándo]",
        gap_plain="[confirm: lo que quiere decir]",
        ending="Dígame, por favor, si falta algo.",
        closing="Un saludo,",
        formal_closing="Atentamente,",
    ),
    "ja": Phrases(
        greeting="{name} 様",
        greeting_nobody="ご担当者様",
        formal_greeting="{name} 様",
        thanks="「{subject}」の件、ご連絡ありがとうございます。",
        thanks_no_subject="ご連絡ありがとうございます。",
        received="確かに受け取りました。",
        sorry="ご不便をおかけし、申し訳ございません。",
        meeting="{when} ではいかがでしょうか。招待状をご確認ください。",
        gap_time="[confirm: ご都合のよい日時]",
        gap_answer="[confirm: ご質問への回答]",
        gap_answers="[confirm: ご質問 {number} への回答]",
        gap_order="[confirm: 在庫、価格、納期]",
        gap_remedy="[confirm: ご提案する対応]",
        gap_action="[confirm: 対応の内容と期日]",
        gap_plain="[confirm: お伝えしたいこと]",
        ending="ご不明な点がございましたらお知らせください。",
        closing="よろしくお願いいたします。",
        formal_closing="何卒よろしくお願い申し上げます。",
    ),
}
