// Reads a mail with postal-mime, as a web client does, and tells what it understood as JSON.
import { readFileSync } from 'node:fs';
import PostalMime from 'postal-mime';

const mail = await PostalMime.parse(readFileSync(0));
const people = (list) => (list ?? []).map((each) => each.address);
const calendar = mail.attachments.find((each) => each.mimeType === 'text/calendar');
process.stdout.write(
  JSON.stringify({
    from: mail.from?.address ?? '',
    to: people(mail.to),
    cc: people(mail.cc),
    subject: mail.subject ?? '',
    id: mail.messageId ?? '',
    text: mail.text ?? '',
    calendar: calendar ? new TextDecoder().decode(calendar.content) : '',
  }),
);
