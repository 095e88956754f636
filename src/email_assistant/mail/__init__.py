"""What an email is: addresses, messages, MIME to text, quoting, threading, and the mailbox port."""
