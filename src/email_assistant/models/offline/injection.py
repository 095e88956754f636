"""Recognises text that gives orders to an assistant instead of writing to a person."""

import re

from email_assistant.mail.message import Message
from email_assistant.models.offline.reading import own_words

_ORDERS = (
    # "Ignore all previous instructions", with up to four words between, in five languages.
    r"\b(?:ignor\w{0,4}|disregard|forget|override|bypass)\b(?:\W{1,3}\w{1,15}){0,4}?\W{1,3}"
    r"(?:instructions?|rules|prompts?|guidelines|anweisung(?:en)?|regeln|consignes|instrucciones|reglas)\b",
    r"(?:指示|命令|ルール)(?:を|は)?(?:すべて|全て)?(?:無視|忘れ)",
    r"\b(?:you are|you're|act as|du bist|sie sind|tu es|vous êtes|eres)\b(?:\W{1,3}\w{1,15}){0,3}?\W{1,3}"
    r"(?:ai|ki|ia|llm|assistant|assistent|asistente|chatbot|bot|language model|sprachmodell)\b",
    r"(?:\b(?:note|message|instructions?|orders?|commands?|attention|hinweis|anweisung(?:en)?)\s(?:to|for|an|für)"
    r"\s(?:(?:the|any|all|your|den|die|das|ai|ki|email|mail)\s){0,3}"
    r"(?:ai|ki|llm|assistants?|assistent(?:en)?|agents?|model|chatbot|bot)\b)",
    r"\b(?:note|message|instructions?|nota|mensaje|messaggio|notitie)\s(?:pour|para|per|voor)\s(?:l'|el\s|la\s|il\s|de\s)?"
    r"(?:assistante?|asistente|assistente|ia|bot|robot)\b",
    r"\b(?:dear|hello|hey|hi|attention)\s(?:ai|llm|chatbot|(?:ai|email|mail|virtual)\s(?:assistant|agent))\b",
    r"\b(?:system|developer)\s(?:prompt|message|override)\b",
    r"(?:^|\n)\W{0,4}(?:system|assistant|developer)\s?:",
    r"<\/?(?:system|instructions?|assistant|tool_call)>|\[/?inst\]|<\|im_(?:start|end)\|>|<<sys>>",
    r"#{2,}\s?(?:new\s)?(?:system|instructions?)\b",
    r"\b(?:do not|don't|never|without)\s(?:tell|telling|inform|informing|notify|notifying|show|showing|alert|alerting)"
    r"\s(?:this\s(?:to\s)?)?(?:the\s)?(?:user|owner|human|recipient)\b",
    r"\bwithout\s(?:(?:asking|their|my|his|her|human|user|any)\s){0,2}(?:approval|confirmation|asking me|review)\b",
    r"\bapproval\s(?:step|gate|process)?\s?(?:is|has been|was)\s(?:switched off|disabled|granted|skipped|turned off)\b",
    r"\b(?:call|use|invoke|run)\s(?:the\s|your\s)?[`'\"]?(?:send_email|compose_email|schedule_meeting|check_calendar"
    r"|search_memory|[a-z]{1,20}_\w{1,20}\stool)\b|\b(?:send_email|compose_email|schedule_meeting)\s?\(",
    r"\b(?:forward|send|bcc|copy)\b(?:\W{1,3}[\w']{1,15}){0,8}?\W{1,3}(?:this|the|your|his|her|my)\s(?:mailbox|inbox)\b",
    r"\b(?:approved|authori[sz]ed) by (?:the )?(?:manager|management|staff|admin\w{0,10}|supervisor)\b",
    r"\bno (?:further |human )?review (?:is )?(?:necessary|needed|required)\b",
    r"\b(?:approve|accept)\s(?:all|every|any)\s(?:pending\s)?(?:actions?|requests?|drafts?)\b",
)
_PATTERNS = tuple(re.compile(order, re.IGNORECASE) for order in _ORDERS)
_SHORT = 3_000


def orders_an_assistant(message: Message) -> bool:
    """Whether something in the message is addressed to an assistant: subject, text, signature, names, quoted text."""
    parts = [
        own_words(message),
        message.signature[:_SHORT],
        message.sender.name[:200],
        message.quoted[:_SHORT],
    ]
    parts += [attachment.name[:200] for attachment in message.attachments[:50]]
    text = re.sub(r"[ \t]+", " ", "\n".join(parts))
    flat = re.sub(r"\s+", " ", text)
    return any(pattern.search(text) or pattern.search(flat) for pattern in _PATTERNS)


def is_order_to_an_assistant(sentence: str) -> bool:
    """Whether a sentence is addressed to an assistant."""
    flat = re.sub(r"\s+", " ", sentence)
    return any(pattern.search(flat) for pattern in _PATTERNS)
