#!/bin/sh
# A command of email_assistant as the service of docs/email-assistant.service would run it: its user, folder and secrets. Needs root.
set -e
if [ -e /etc/email-assistant/secrets.env ]; then
    set -a
    . /etc/email-assistant/secrets.env
    set +a
fi
cd /etc/email-assistant
export EMAIL_ASSISTANT_DATA_DIR=/var/lib/email-assistant
umask 077
exec runuser -u email-assistant -- /opt/email-assistant/bin/email-assistant "$@"
