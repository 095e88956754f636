#!/bin/sh
# A command of email_assistant as its service would run it: with its user, folder and secrets. Needs root.
set -e
# Read as systemd reads it: what stands there is taken as it is, and nothing in it is run.
while IFS= read -r line || [ -n "$line" ]; do
    case $line in [A-Za-z_]*=*) ;; *) continue ;; esac
    value=${line#*=}
    case $value in
        \"*\") value=${value#\"} value=${value%\"} ;;
        \'*\') value=${value#\'} value=${value%\'} ;;
    esac
    export "${line%%=*}=$value"
done < /etc/email-assistant/secrets.env
cd /etc/email-assistant
export EMAIL_ASSISTANT_DATA_DIR=/var/lib/email-assistant
umask 077
exec runuser -u "$(stat -c %U /var/lib/email-assistant)" -- /opt/email-assistant/bin/email-assistant "$@"
