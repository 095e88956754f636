"""Reports that a letter was not delivered, in the forms that mail systems write them; made up after their documented formats."""

from collections.abc import Mapping

NULL = "Return-Path: <>\nAuto-Submitted: auto-replied\n"
_STATUS = "Final-Recipient: rfc822; {to}\nAction: failed\nStatus: 5.1.1\n"


def bounces(message_id: str, to: str, subject: str) -> Mapping[str, bytes]:
    """Program → its report on the letter of that Message-ID, recipient's address and subject."""
    said = "550 5.1.1 The email account that you tried to reach does not exist"
    status = _STATUS.format(to=to)
    named = f"From: robin@vale.example\nTo: {to}\nSubject: {subject}\nMessage-ID: {message_id}\n"
    wrapped = f"Remote-MTA: dns; mx.far.example\nDiagnostic-Code: smtp; 550 5.1.1\n <{to}>: Recipient address rejected: User unknown\n"
    sorry = (
        "I'm sorry to have to inform you that your message could not\nbe delivered to one or more recipients."
    )
    made = {
        "Postfix": _report(
            "Mail Delivery System <MAILER-DAEMON@mx.vale.example>", "Undelivered Mail Returned to Sender",
            f"{sorry}\n\n<{to}>: host mx.far.example said: 550 5.1.1 User unknown\n    (in reply to RCPT TO command)\n",
            status + wrapped, _whole(named), NULL,
        ),
        "Postfix, headers alone": _report(
            "Mail Delivery System <MAILER-DAEMON@mx.vale.example>", "Undelivered Mail Returned to Sender", sorry,
            status + wrapped, _headers(named), NULL,
        ),
        "Postfix, address rewritten": _report(
            "Mail Delivery System <MAILER-DAEMON@mx.vale.example>", "Undelivered Mail Returned to Sender", sorry,
            f"Original-Recipient: rfc822;{to}\n" + _STATUS.format(to="box17@far.example") + wrapped, _headers(named), NULL,
        ),
        "Gmail": _report(
            "Mail Delivery Subsystem <mailer-daemon@googlemail.com>", "Delivery Status Notification (Failure)",
            f"** Address not found **\n\nYour message wasn't delivered to {to} because the address couldn't be found.\n",
            status + f"Diagnostic-Code: smtp; {said}. For more\n information, go to https://support.example/\n", _whole(named),
            f"X-Failed-Recipients: {to}\nAuto-Submitted: auto-replied\nIn-Reply-To: {message_id}\nReferences: {message_id}\n",
        ),
        "Exchange Online": _report(
            "Microsoft Outlook <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@vale.example>", f"Undeliverable: {subject}",
            f"Your message to {to} couldn't be delivered.\n{to} wasn't found at far.example.\n",
            status + "Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by lookup\n", _whole(named),
            f"In-Reply-To: {message_id}\nAuto-Submitted: auto-replied\n",
        ),
        "Exchange": _report(
            "postmaster@far.example", f"Undeliverable: {subject}", "Delivery has failed to these recipients or groups:\n",
            status + "Diagnostic-Code: smtp;550 5.1.1 RESOLVER.ADR.ExRecipNotFound; not found\n", _headers(named), NULL,
        ),
        "Exim": _report(
            "Mail Delivery System <Mailer-Daemon@host.vale.example>", "Mail delivery failed: returning message to sender",
            f"A message that you sent could not be delivered.\n\n  {to}\n    host mx.far.example: 550 No such user here\n",
            status + "Diagnostic-Code: smtp; 550 No such user here\n", _headers(named), f"X-Failed-Recipients: {to}\n{NULL}",
        ),
        "Exim 4.8": _plain(
            "Mail Delivery System <Mailer-Daemon@host.vale.example>", "Mail delivery failed: returning message to sender",
            f"A message that you sent could not be delivered.\n\n  {to}\n    SMTP error from remote mail server after RCPT TO:<{to}>:\n"
            "    host mx.far.example: 550 No such user here\n\n------ This is a copy of the message, including all the headers. ------\n\n"
            f"{named}\nHello\n",
            f"X-Failed-Recipients: {to}\nAuto-Submitted: auto-replied\n",
        ),
        "Sendmail": _report(
            "Mail Delivery Subsystem <MAILER-DAEMON@mx.vale.example>", "Returned mail: see transcript for details",
            f"   ----- The following addresses had permanent fatal errors -----\n<{to}>\n    (reason: 550 5.1.1 User unknown)\n",
            status + "Diagnostic-Code: SMTP; 550 5.1.1 User unknown\n", _whole(named), "Auto-Submitted: auto-generated (failure)\n",
        ),
        "qmail": _plain(
            "MAILER-DAEMON@mx.vale.example", "failure notice",
            "Hi. This is the qmail-send program at mx.vale.example.\n"
            "I'm afraid I wasn't able to deliver your message to the following addresses.\n"
            f"This is a permanent error; I've given up. Sorry it didn't work out.\n\n<{to}>:\nRemote host said: 550 5.1.1 User unknown\n\n"
            f"--- Below this line is a copy of the message.\n\nReturn-Path: <robin@vale.example>\n{named}\nHello\n", "Return-Path: <>\n",
        ),
        "Courier": _report(
            '"Courier mail server at mx.vale.example" <@>', "NOTICE: mail delivery status.",
            f"The following recipients failed.\n\n<{to}>:\n >>> RCPT TO:<{to}>\n <<< 550 User unknown.\n",
            status + "Diagnostic-Code: smtp; 550 User unknown.\n", _headers(named), NULL,
        ),
        "Amazon SES": _report(
            "MAILER-DAEMON@eu-central-1.mail.example", "Delivery Status Notification (Failure)",
            f"An error occurred while trying to deliver the mail to the following recipients:\n{to}\n",
            status + "Diagnostic-Code: smtp; 550 5.1.1 user unknown\n", 
            _whole(named.replace(message_id, "<0107018@eu-central-1.mail.example>")), NULL,
        ),
    }  # fmt: skip
    numbered = {program: raw.replace("REPORT", str(n)) for n, (program, raw) in enumerate(made.items())}
    return {program: raw.replace("\n", "\r\n").encode() for program, raw in numbered.items()}


def _head(sender: str, subject: str, more: str) -> str:
    date = "Date: Fri, 20 Nov 2026 09:00:00 +0000\n"
    named = "Message-ID: <REPORT@reports.example>\n"
    return (
        f"{more}From: {sender}\nTo: robin@vale.example\nSubject: {subject}\n{date}{named}MIME-Version: 1.0\n"
    )


def _plain(sender: str, subject: str, text: str, more: str) -> str:
    return f"{_head(sender, subject, more)}Content-Type: text/plain; charset=us-ascii\n\n{text}"


def _report(sender: str, subject: str, text: str, status: str, returned: str, more: str) -> str:
    kind = 'Content-Type: multipart/report; report-type=delivery-status; boundary="=_b"\n\n'
    parts = (
        f"Content-Type: text/plain\n\n{text}\n",
        f"Content-Type: message/delivery-status\n\nReporting-MTA: dns; mx.vale.example\n\n{status}\n",
        returned,
    )
    return f"{_head(sender, subject, more)}{kind}" + "".join(f"--=_b\n{part}" for part in parts) + "--=_b--\n"


def _whole(named: str) -> str:
    return f"Content-Type: message/rfc822\n\nReceived: from far\n{named}\nHello\n"


def _headers(named: str) -> str:
    return f"Content-Type: text/rfc822-headers\n\n{named}\n"
