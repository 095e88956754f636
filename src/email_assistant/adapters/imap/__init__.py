"""A mailbox that is read over IMAP and sends over SMTP."""
