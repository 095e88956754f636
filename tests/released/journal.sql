BEGIN TRANSACTION;
CREATE TABLE backfill_chunks (
	backfill_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	messages JSON NOT NULL, 
	size INTEGER NOT NULL, 
	settled INTEGER NOT NULL, 
	worker TEXT NOT NULL, 
	leased_until DATETIME, 
	cost_nano_usd BIGINT, 
	done_at DATETIME, 
	CONSTRAINT pk_backfill_chunks PRIMARY KEY (backfill_id, position)
);
CREATE TABLE backfills (
	id INTEGER NOT NULL, 
	mailbox TEXT NOT NULL, 
	graph TEXT NOT NULL, 
	state TEXT NOT NULL, 
	"after" DATETIME, 
	"before" DATETIME NOT NULL, 
	cost_limit_nano_usd BIGINT, 
	planned BOOLEAN NOT NULL, 
	planner TEXT NOT NULL, 
	planner_until DATETIME, 
	started_at DATETIME NOT NULL, 
	ended_at DATETIME, 
	CONSTRAINT pk_backfills PRIMARY KEY (id)
);
CREATE TABLE catalogue_imports (
	revision INTEGER NOT NULL, 
	products INTEGER NOT NULL, 
	imported_at DATETIME NOT NULL, 
	CONSTRAINT pk_catalogue_imports PRIMARY KEY (revision)
);
CREATE TABLE category_corrections (
	id INTEGER NOT NULL, 
	mailbox TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	message_id TEXT NOT NULL, 
	category TEXT NOT NULL, 
	decided_at DATETIME NOT NULL, 
	forgotten_at DATETIME, 
	CONSTRAINT pk_category_corrections PRIMARY KEY (id), 
	CONSTRAINT uq_category_corrections_mailbox_key_message_id UNIQUE (mailbox, "key", message_id)
);
CREATE TABLE contacts (
	address TEXT NOT NULL, 
	name TEXT NOT NULL, 
	organisation TEXT NOT NULL, 
	phone TEXT NOT NULL, 
	role TEXT NOT NULL, 
	notes TEXT NOT NULL, 
	tags JSON NOT NULL, 
	source TEXT NOT NULL, 
	search_text TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	updated_at DATETIME NOT NULL, 
	CONSTRAINT pk_contacts PRIMARY KEY (address)
);
CREATE TABLE correspondents (
	mailbox TEXT NOT NULL, 
	address TEXT NOT NULL, 
	name TEXT NOT NULL, 
	name_skeleton TEXT NOT NULL, 
	domain TEXT NOT NULL, 
	domain_skeleton TEXT NOT NULL, 
	first_at DATETIME NOT NULL, 
	last_at DATETIME NOT NULL, 
	CONSTRAINT pk_correspondents PRIMARY KEY (mailbox, address)
);
INSERT INTO "correspondents" VALUES('maildir:/srv/assistant/data/mailbox','gordon.pryce@mailbox.example','Gordon Pryce','gordon pryce','mailbox.example','mallbox.example','2026-11-23 23:51:54.870017','2026-11-23 23:51:54.870017');
CREATE TABLE cursors (
	mailbox TEXT NOT NULL, 
	value TEXT NOT NULL, 
	updated_at DATETIME NOT NULL, 
	CONSTRAINT pk_cursors PRIMARY KEY (mailbox)
);
CREATE TABLE customers (
	tenant_id TEXT NOT NULL, 
	user_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	email TEXT NOT NULL, 
	since DATE NOT NULL, 
	CONSTRAINT pk_customers PRIMARY KEY (tenant_id, user_id), 
	CONSTRAINT uq_customers_tenant_id_email UNIQUE (tenant_id, email)
);
CREATE TABLE dead_letters (
	id INTEGER NOT NULL, 
	mailbox TEXT NOT NULL, 
	message_id TEXT NOT NULL, 
	graph TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	attempts INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	replayed_at DATETIME, 
	CONSTRAINT pk_dead_letters PRIMARY KEY (id), 
	CONSTRAINT fk_dead_letters_mailbox_message_id_graph_mail FOREIGN KEY(mailbox, message_id, graph) REFERENCES mail (mailbox, message_id, graph) ON DELETE CASCADE
);
CREATE TABLE email_assistant_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT email_assistant_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "email_assistant_version" VALUES('0017');
CREATE TABLE held_answers (
	id TEXT NOT NULL, 
	run_thread_id TEXT NOT NULL, 
	interrupt_id TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	answer JSON NOT NULL, 
	shown JSON NOT NULL, 
	due DATETIME NOT NULL, 
	state TEXT NOT NULL, 
	why TEXT NOT NULL, 
	following JSON NOT NULL, 
	given_at DATETIME NOT NULL, 
	begun_at DATETIME, 
	run_id TEXT NOT NULL, 
	ended_at DATETIME, 
	CONSTRAINT pk_held_answers PRIMARY KEY (id)
);
INSERT INTO "held_answers" VALUES('9560449ae8a74638abb5191f116ab20a','04ca9c1c-5f66-163e-39dc-41119b7922ec','108db55aa8b8d72ccdb198af46f52041','1cf2686a5c8b3ee47b4e00d6e261ee7a4d84c699d43c89d8647c1f3be0c0309a','{"type": "ignore", "args": {"action": "Notify: Spree Bank: Ungew\u00f6hnliche Kartenzahlung", "args": {}}}','{"type": "ignore", "kind": "notify", "title": "Notify: Spree Bank: Ungew\u00f6hnliche Kartenzahlung", "who": "Spree Bank", "subject": "Ungew\u00f6hnliche Kartenzahlung"}','2026-11-23 23:51:33.938229','done','','{}','2026-11-23 23:51:33.939176','2026-11-23 23:51:33.969877','01a20ad2-7380-71ec-8f8d-34e571aa8dc4','2026-11-23 23:51:34.755500');
INSERT INTO "held_answers" VALUES('c2aed912c6a24512a65d54593fcb142a','bc85f3bd-02f3-6ad1-108d-f94bb74773fa','7ddfa1b95f1fa9775b42ef908ba5392d','70251c36cb6e6a6ca49d2acf040eb43259a08a1ad11f56815ed7d1abfc11a5fe','{"type": "edit", "args": {"action": "Send reply to Gordon Pryce: Re: The table arrived scratched", "args": {"to": "Gordon Pryce <gordon.pryce@mailbox.example>", "cc": "", "subject": "Re: The table arrived scratched", "body": "Dear Gordon,\n\nI am sorry about the scratches. We pick the table up on Friday and bring a new top.\n\nRobin"}}}','{"type": "edit", "kind": "send_email", "title": "Send reply to Gordon Pryce: Re: The table arrived scratched", "who": "Gordon Pryce", "subject": "The table arrived scratched"}','2026-11-23 23:51:54.038366','done','','{}','2026-11-23 23:51:54.005009','2026-11-23 23:51:54.055504','01a20ad2-c1cf-725e-9b78-48a317eb5ffd','2026-11-23 23:51:54.903975');
INSERT INTO "held_answers" VALUES('e45976b8de1e4c449d59005b285094be','29369430-6e48-5abe-4f7d-5cee30272797','1bb67181b10c43aa828717eebc65747e','953eb9fc46a7ae30a7278c63cad0d25953d111d0deef0be5d6391c4067e27ffa','{"type": "response", "args": "Always offer a call instead of a price, and sign as Robin."}','{"type": "response", "kind": "send_email", "title": "Send reply to \u00c9lo\u00efse Marchand: Re: Demande de devis : chambre d''h\u00f4tes", "who": "\u00c9lo\u00efse Marchand", "subject": "Demande de devis : chambre d''h\u00f4tes"}','2026-11-23 23:51:54.972767','done','','{"thread": "29369430-6e48-5abe-4f7d-5cee30272797", "interrupt": "3f365c951c34bf533efd8548b33c3713", "digest": "a32197cb12b666e8754f2c5bdc67652daeabdeff36a96ddc3f94dcaa1c73aed9", "title": "Send reply to \u00c9lo\u00efse Marchand: Re: Demande de devis : chambre d''h\u00f4tes (draft 2)"}','2026-11-23 23:51:54.973300','2026-11-23 23:51:54.978370','01a20ad2-c577-72b3-8651-c113f49cab9a','2026-11-23 23:51:55.890181');
INSERT INTO "held_answers" VALUES('fc177e5e460a4cfbb6b508c2865fb547','fe3181c5-221c-2bef-cbbd-29cf3446f1af','d8b5531631b9ccb7f21a54d2005916af','29da873a6db85c0b12d4ea195747556d97f5d937b191eac0788620e2498a2159','{"type": "edit", "args": {"action": "Send reply to Mara Lindqvist: Re: Your quote for the reading room", "args": {"to": "Mara Lindqvist <mara@lindqvist.example>", "cc": "", "subject": "Re: Your quote for the reading room", "body": "Hello Mara,\n\nthe shelves are of solid oak, and the quote includes fitting.\n\nRobin"}}}','{"type": "edit", "kind": "send_email", "title": "Send reply to Mara Lindqvist: Re: Your quote for the reading room", "who": "Mara Lindqvist", "subject": "Your quote for the reading room"}','2026-11-23 23:53:04.358398','held','','{}','2026-11-23 23:52:34.359115',NULL,'',NULL);
CREATE TABLE incidents (
	tenant_id TEXT NOT NULL, 
	incident_id TEXT NOT NULL, 
	user_id TEXT NOT NULL, 
	policy_id TEXT NOT NULL, 
	issue TEXT NOT NULL, 
	is_valid TEXT NOT NULL, 
	resolution TEXT NOT NULL, 
	citations JSON NOT NULL, 
	confidence FLOAT NOT NULL, 
	amount TEXT NOT NULL, 
	created_at DATETIME NOT NULL, user_role TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT pk_incidents PRIMARY KEY (tenant_id, incident_id)
);
CREATE TABLE mail (
	id INTEGER NOT NULL, 
	mailbox TEXT NOT NULL, 
	message_id TEXT NOT NULL, 
	graph TEXT NOT NULL, 
	mail_thread_id TEXT NOT NULL, 
	run_thread_id TEXT NOT NULL, 
	status TEXT NOT NULL, 
	outcome TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	attempts INTEGER NOT NULL, 
	email_input JSON, 
	received_at DATETIME, 
	claimed_at DATETIME NOT NULL, 
	updated_at DATETIME NOT NULL, 
	CONSTRAINT pk_mail PRIMARY KEY (id), 
	CONSTRAINT uq_mail_mailbox_message_id_graph UNIQUE (mailbox, message_id, graph)
);
INSERT INTO "mail" VALUES(1,'maildir:/srv/assistant/data/mailbox','1794813164.Me40603b11ab448ec90c7eb9cc22b6259b7e1ad00.import','email_assistant','c118918f7d36ce09d34cead4d262540f','fe3181c5-221c-2bef-cbbd-29cf3446f1af','waiting_review','','',0,'{"from": "Mara Lindqvist <mara@lindqvist.example>", "to": "Robin Vale <robin@vale.example>", "subject": "Your quote for the reading room", "body": "Hi Robin,\n\nthank you for the quote, we like it a lot. Two things before we sign:\n\n1. Does the price include taking away the old shelves?\n2. Could the oak be oiled instead of varnished, and would that change the price?\n\nWe would love to have the room ready before our daughter comes home in\nFebruary.", "id": "1794813164.Me40603b11ab448ec90c7eb9cc22b6259b7e1ad00.import", "thread_id": "c118918f7d36ce09d34cead4d262540f", "quoted": "", "signature": "Warm regards,\nMara", "message_id": "<quote-2211@lindqvist.example>", "in_reply_to": "", "references": [], "headers": {}, "attachments": [], "notes": [], "date": "2026-11-16T07:12:44+00:00"}','2026-11-16 07:12:44.000000','2026-11-23 23:51:05.399081','2026-11-23 23:51:07.970942');
INSERT INTO "mail" VALUES(2,'maildir:/srv/assistant/data/mailbox','1794855909.M0012d2bad29b607be92402c6238247bfd12e5876.import','email_assistant','bc26b4eed8b57cc1d656a460eae6f094','bb5c5160-6eae-1e0c-d895-e8dd90935ec3','waiting_review','','',0,'{"from": "Daniel Ortiz <daniel.ortiz@ortizhale.example>", "to": "Robin Vale <robin@vale.example>", "subject": "Call about the Hudson loft", "body": "Robin,\n\nthe owners of the Hudson loft signed off on the layout, so we can start on\nmaterials. Could we have a 45-minute call on Tuesday, November 24 at\n11:00 am ET? I''d bring Lucy from the general contractor.\n\nIf that is too late in your day, any morning of mine that week works.\n\nDaniel", "id": "1794855909.M0012d2bad29b607be92402c6238247bfd12e5876.import", "thread_id": "bc26b4eed8b57cc1d656a460eae6f094", "quoted": "", "signature": "--\nDaniel Ortiz\nOrtiz & Hale Architects, New York", "message_id": "<CAF9v2hudson@ortizhale.example>", "in_reply_to": "", "references": [], "headers": {}, "attachments": [], "notes": [], "date": "2026-11-16T19:05:09+00:00"}','2026-11-16 19:05:09.000000','2026-11-23 23:51:05.399081','2026-11-23 23:51:08.110409');
INSERT INTO "mail" VALUES(3,'maildir:/srv/assistant/data/mailbox','1794968047.M96c901eeb68b492d01641efaa06bd6bd94da0133.import','email_assistant','3e90e39b87373542a49c8774e0706017','66004321-4404-273e-19ba-538e2a562fb2','waiting_review','','',0,'{"from": "Hosting Monitor <alerts@status.hosting.example>", "to": "Robin Vale <robin@vale.example>", "subject": "[ALERT] vale-web-1: disk usage 91%", "body": "CRITICAL since 02:11 UTC\n\nhost:     vale-web-1\ncheck:    disk usage on /var\nvalue:    91 % (limit 85 %)\n\nUploads to the portfolio will fail when the disk is full.\nThis message was generated automatically.", "id": "1794968047.M96c901eeb68b492d01641efaa06bd6bd94da0133.import", "thread_id": "3e90e39b87373542a49c8774e0706017", "quoted": "", "signature": "", "message_id": "<alert-778201@status.hosting.example>", "in_reply_to": "", "references": [], "headers": {"auto-submitted": "auto-generated", "x-priority": "1"}, "attachments": [], "notes": [], "date": "2026-11-18T02:14:07+00:00"}','2026-11-18 02:14:07.000000','2026-11-23 23:51:05.399081','2026-11-23 23:51:07.661090');
INSERT INTO "mail" VALUES(4,'maildir:/srv/assistant/data/mailbox','1794970983.M3f8887e27e6ecc704d9df9d803e7026a374c247c.import','email_assistant','b7da7b20a90e736b4dd30ff31ba6f5a4','2a573f97-d945-6d0b-31b2-2cabfd836b64','ignored','ignored','',0,'{"from": "PRIZE OFFICE <winner@lucky-draw.test>", "to": "Robin Vale <robin@vale.example>", "subject": "CONGRATULATIONS!!! You have won 850,000 USD", "body": "Dear Lucky Winner,\n\nyour email address has won 850,000 USD in our online draw. To claim your prize\nsend us your full name, address and a copy of your passport. Act now, this\noffer ends in 24 hours!!!\n\nMr. Peter Gold", "id": "1794970983.M3f8887e27e6ecc704d9df9d803e7026a374c247c.import", "thread_id": "b7da7b20a90e736b4dd30ff31ba6f5a4", "quoted": "", "signature": "", "message_id": "<xx81@lucky-draw.test>", "in_reply_to": "", "references": [], "headers": {}, "attachments": [], "notes": [], "date": "2026-11-18T03:03:03+00:00"}','2026-11-18 03:03:03.000000','2026-11-23 23:51:05.399081','2026-11-23 23:51:07.678857');
INSERT INTO "mail" VALUES(5,'maildir:/srv/assistant/data/mailbox','1794996000.M71262967494a95d538a7c5269671a4624aac61d7.import','email_assistant','263f313eebe5b059a91476945d716227','58f15381-31da-34d6-31e3-47cff8cf8e48','waiting_review','','',0,'{"from": "Petra Kunze <petra.kunze@cityhall.example>", "to": "Robin Vale <robin@vale.example>", "subject": "Permit hearing: shop window", "body": "Dear Robin Vale,\n\nyou are invited to the hearing on your shop window.\n\nWhen: Tuesday, 1 December 2026, 14:00-15:00 CET\nLocation: City Hall, room 214\n\nDoes this date suit you?\n\nPetra Kunze\nBuilding permits", "id": "1794996000.M71262967494a95d538a7c5269671a4624aac61d7.import", "thread_id": "263f313eebe5b059a91476945d716227", "quoted": "", "signature": "", "message_id": "<permit-77-req@cityhall.example>", "in_reply_to": "", "references": [], "headers": {}, "attachments": [{"name": "invite.ics", "content_type": "text/calendar", "size": 424}], "notes": [], "date": "2026-11-18T10:00:00+00:00", "calendars": ["BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//Rathaus Demo//Einladung//EN\nMETHOD:REQUEST\nBEGIN:VEVENT\nUID:permit-77@cityhall.example\nDTSTAMP:20261118T100000Z\nDTSTART:20261201T130000Z\nDTEND:20261201T140000Z\nSUMMARY:Permit hearing: shop window\nLOCATION:City Hall\\, room 214\nORGANIZER;CN=Petra Kunze:mailto:petra.kunze@cityhall.example\nATTENDEE;CN=Robin Vale;RSVP=TRUE:mailto:robin@vale.example\nEND:VEVENT\nEND:VCALENDAR\n"]}','2026-11-18 10:00:00.000000','2026-11-23 23:51:05.399081','2026-11-23 23:51:07.660384');
INSERT INTO "mail" VALUES(6,'maildir:/srv/assistant/data/mailbox','1795002000.Mf0495263cd152979844461c689b6a9cea06f7e61.import','email_assistant','79e3335aefa55cdad652d8d8237a720c','29369430-6e48-5abe-4f7d-5cee30272797','waiting_review','','',0,'{"from": "\u00c9lo\u00efse Marchand <eloise.marchand@maisonbleue.example>", "to": "Robin Vale <robin@vale.example>", "subject": "Demande de devis : chambre d''h\u00f4tes", "body": "Bonjour,\n\nnous ouvrons une maison d''h\u00f4tes de cinq chambres pr\u00e8s de Nantes et votre\ntravail nous pla\u00eet beaucoup. Pourriez-vous nous envoyer un devis pour la\npremi\u00e8re chambre ? Quels sont vos d\u00e9lais en ce moment ?", "id": "1795002000.Mf0495263cd152979844461c689b6a9cea06f7e61.import", "thread_id": "79e3335aefa55cdad652d8d8237a720c", "quoted": "", "signature": "Cordialement,\n\u00c9lo\u00efse Marchand", "message_id": "<devis-338@maisonbleue.example>", "in_reply_to": "", "references": [], "headers": {}, "attachments": [], "notes": [], "date": "2026-11-18T11:40:00+00:00"}','2026-11-18 11:40:00.000000','2026-11-23 23:51:05.399081','2026-11-23 23:51:55.872904');
INSERT INTO "mail" VALUES(7,'maildir:/srv/assistant/data/mailbox','1795082575.M089a9dfe583f00a03de9aba30174300bf3067fb5.import','email_assistant','124ba41133869675c6760e82c9cea0df','04ca9c1c-5f66-163e-39dc-41119b7922ec','done','dismissed','',0,'{"from": "Spree Bank <sicherheit@spreebank.example>", "to": "Robin Vale <robin@vale.example>", "subject": "Ungew\u00f6hnliche Kartenzahlung", "body": "Guten Tag Robin Vale,\n\nmit Ihrer Karte (Endziffern 4471) wurde heute um 10:58 Uhr eine ungew\u00f6hnliche\nZahlung von 1.240,00 EUR versucht. Wir haben die Zahlung vorsorglich gesperrt.\n\nWar diese Zahlung von Ihnen? Sie k\u00f6nnen sie in Ihrer Banking-App freigeben.\n\nDiese Nachricht wurde automatisch erstellt, bitte antworten Sie nicht darauf.\nIhre Spree Bank", "id": "1795082575.M089a9dfe583f00a03de9aba30174300bf3067fb5.import", "thread_id": "124ba41133869675c6760e82c9cea0df", "quoted": "", "signature": "", "message_id": "<sec-20261119-4471@spreebank.example>", "in_reply_to": "", "references": [], "headers": {"auto-submitted": "auto-generated"}, "attachments": [], "notes": [], "date": "2026-11-19T10:02:55+00:00"}','2026-11-19 10:02:55.000000','2026-11-23 23:51:05.399081','2026-11-23 23:51:34.745570');
INSERT INTO "mail" VALUES(8,'maildir:/srv/assistant/data/mailbox','1795101376.M974eb840e5c2ccd127d088226e8cc6a07ff2ba29.import','email_assistant','d9db4b32b70ab065a89a73a57bede899','ad84109b-9c59-1124-2ad5-ab3e020a8cb6','waiting_review','','',0,'{"from": "Jonas Brandt <jonas@brandtholz.example>", "to": "Robin Vale <robin@vale.example>", "subject": "Keys are in the letter box (eom)", "body": "", "id": "1795101376.M974eb840e5c2ccd127d088226e8cc6a07ff2ba29.import", "thread_id": "d9db4b32b70ab065a89a73a57bede899", "quoted": "", "signature": "", "message_id": "<6a9f-jonas@brandtholz.example>", "in_reply_to": "", "references": [], "headers": {}, "attachments": [], "notes": [], "date": "2026-11-19T15:16:16+00:00"}','2026-11-19 15:16:16.000000','2026-11-23 23:51:05.399081','2026-11-23 23:51:07.661606');
INSERT INTO "mail" VALUES(9,'maildir:/srv/assistant/data/mailbox','1795121042.M5beecfb9385737eb02f6901a11d367cee98a3e18.import','email_assistant','947ce5857a8266916fa9df98cafc6924','bc85f3bd-02f3-6ad1-108d-f94bb74773fa','done','replied','',0,'{"from": "Gordon Pryce <gordon.pryce@mailbox.example>", "to": "Robin Vale <robin@vale.example>", "subject": "The table arrived scratched", "body": "Robin,\n\nI am disappointed. The walnut table was delivered on Tuesday with a 20 cm\nscratch across the top, and your carrier left it in the rain. This is not what\nI paid for. I expect a replacement or a refund, and I would like an answer this\nweek.\n\nG. Pryce", "id": "1795121042.M5beecfb9385737eb02f6901a11d367cee98a3e18.import", "thread_id": "947ce5857a8266916fa9df98cafc6924", "quoted": "", "signature": "", "message_id": "<gp-881@mailbox.example>", "in_reply_to": "", "references": [], "headers": {}, "attachments": [], "notes": [], "date": "2026-11-19T20:44:02+00:00"}','2026-11-19 20:44:02.000000','2026-11-23 23:51:05.399081','2026-11-23 23:51:54.894492');
INSERT INTO "mail" VALUES(10,'maildir:/srv/assistant/data/mailbox','1795186020.Mdf9eeb13e297e6bafd46594b54d3ecc40a9cf331.import','email_assistant','eeed8127fe2e6e3d422d5142a1e37faa','846b6281-1e2b-d523-af5c-792ef78c64c6','waiting_review','','',0,'{"from": "Daniel Ortiz <daniel.ortiz@ortizhale.example>", "to": "Lucy Tran <lucy@trangc.example>", "subject": "Skylight drawings", "body": "Lucy,\n\ncould you send the skylight drawings to the engineer today? He wants to check\nthe load before the weekend.\n\nDaniel", "id": "1795186020.Mdf9eeb13e297e6bafd46594b54d3ecc40a9cf331.import", "thread_id": "eeed8127fe2e6e3d422d5142a1e37faa", "quoted": "", "signature": "", "message_id": "<CAF9v2sky@ortizhale.example>", "in_reply_to": "", "references": [], "headers": {}, "attachments": [], "notes": [], "cc": "Robin Vale <robin@vale.example>", "date": "2026-11-20T14:47:00+00:00"}','2026-11-20 14:47:00.000000','2026-11-23 23:51:05.399081','2026-11-23 23:51:08.149780');
CREATE TABLE memory_revisions (
	profile TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	content TEXT NOT NULL, 
	origin TEXT NOT NULL, 
	decision_id TEXT, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_memory_revisions PRIMARY KEY (profile, revision), 
	CONSTRAINT uq_memory_revisions_profile_decision_id UNIQUE (profile, decision_id)
);
INSERT INTO "memory_revisions" VALUES('triage_preferences',1,'- Reply: questions put to me, requests, meeting proposals, anything with a deadline for me.
- Tell me: decisions and changes that touch my work, alerts about money, security or systems.
- Ignore: newsletters, advertising, notifications I need not act on.','default',NULL,'2026-11-23 23:51:00.398513');
INSERT INTO "memory_revisions" VALUES('triage_preferences',2,'- Reply: questions put to me, requests, meeting proposals, orders, complaints, anything with a deadline for me.
- Tell me: invoices, money and security alerts, a broken website, deliveries that change, notes from family.
- Ignore: newsletters, advertising, cold sales, automatic replies, receipts and social networks.','sample',NULL,'2026-11-23 23:51:00.509660');
INSERT INTO "memory_revisions" VALUES('response_preferences',1,'- Short, friendly and precise; answer every question that was asked.
- Never promise a date, price or fact I have not confirmed: say when I will get back instead.','default',NULL,'2026-11-23 23:51:00.560018');
INSERT INTO "memory_revisions" VALUES('response_preferences',2,'- Short, warm and concrete; answer in the language of the mail and use first names.
- Never promise a price, a date or a delivery that I have not confirmed.
- Answer numbered questions by their numbers.','sample',NULL,'2026-11-23 23:51:00.608086');
INSERT INTO "memory_revisions" VALUES('cal_preferences',1,'- Meetings of 30 minutes unless asked otherwise, on weekdays between 9:00 and 17:00 in my time zone.
- Propose a time that is free in my calendar.','default',NULL,'2026-11-23 23:51:00.635150');
INSERT INTO "memory_revisions" VALUES('cal_preferences',2,'- Meetings of 30 minutes unless the other person asks for more, on weekdays between 9:00 and 17:00 Berlin time.
- Calls with New York may run until 18:00.
- No meetings on the day of a workshop.','sample',NULL,'2026-11-23 23:51:00.662081');
INSERT INTO "memory_revisions" VALUES('triage_preferences',3,'- Reply: questions put to me, requests, meeting proposals, orders, complaints, anything with a deadline for me.
- Tell me: invoices, money and security alerts, a broken website, deliveries that change, notes from family.
- Ignore: newsletters, advertising, cold sales, automatic replies, receipts and social networks.

## Learned from your feedback
- Mail from sicherheit@spreebank.example: dismissed 1 times','recorded by rule: dismissed','04ca9c1c-5f66-163e-39dc-41119b7922ec:notify:1795082575.M089a9dfe583f00a03de9aba30174300bf3067fb5.import:1','2026-11-23 23:51:34.733010');
INSERT INTO "memory_revisions" VALUES('response_preferences',3,'- Short, warm and concrete; answer in the language of the mail and use first names.
- Never promise a price, a date or a delivery that I have not confirmed.
- Answer numbered questions by their numbers.

## Learned from your feedback
- You edited a draft: in body the user wrote "Dear … the scratches … We pick the … up on Friday and bring a new top" and removed 24 words (31 words became 21)','recorded by rule: edited','bc85f3bd-02f3-6ad1-108d-f94bb74773fa:rule_96c9e1a0b6310bdf_1_0:1','2026-11-23 23:51:54.879605');
INSERT INTO "memory_revisions" VALUES('response_preferences',4,'- Short, warm and concrete; answer in the language of the mail and use first names.
- Never promise a price, a date or a delivery that I have not confirmed.
- Answer numbered questions by their numbers.

## Learned from your feedback
- You edited a draft: in body the user wrote "Dear … the scratches … We pick the … up on Friday and bring a new top" and removed 24 words (31 words became 21)
- Always offer a call instead of a price, and sign as Robin.','recorded by rule: feedback','29369430-6e48-5abe-4f7d-5cee30272797:rule_858c54f9f22fd39e_1_0:1','2026-11-23 23:51:55.810374');
CREATE TABLE model_calls (
	id INTEGER NOT NULL, 
	run_id TEXT NOT NULL, 
	call TEXT NOT NULL, 
	tier TEXT NOT NULL, 
	model TEXT NOT NULL, 
	prompt_tokens INTEGER NOT NULL, 
	completion_tokens INTEGER NOT NULL, 
	cached_tokens INTEGER NOT NULL, 
	cost_nano_usd BIGINT, 
	latency_ms FLOAT NOT NULL, 
	attempts INTEGER NOT NULL, 
	estimated BOOLEAN NOT NULL, 
	error TEXT, 
	recorded_at DATETIME NOT NULL, step_id TEXT, 
	CONSTRAINT pk_model_calls PRIMARY KEY (id)
);
INSERT INTO "model_calls" VALUES(1,'01a20ad2-043c-762b-978a-898bde89adc7','triage','fast','offline',413,17,0,0,13.8,1,1,NULL,'2026-11-23 23:51:07.447921','01a20ad2-0aa1-7764-bfe2-88e94c2a56c6');
INSERT INTO "model_calls" VALUES(2,'01a20ad2-0442-76b4-9fa8-1bedfe803363','triage','fast','offline',444,24,0,0,23.013,1,1,NULL,'2026-11-23 23:51:07.474210','01a20ad2-0b23-731f-afac-07fbc89560cc');
INSERT INTO "model_calls" VALUES(3,'01a20ad2-0438-700d-9c1a-9668bb0b0e12','triage','fast','offline',431,17,0,0,23.313,1,1,NULL,'2026-11-23 23:51:07.474253','01a20ad2-0ac9-744e-8230-41a8f8bcba2d');
INSERT INTO "model_calls" VALUES(4,'01a20ad2-043c-762b-978a-898a1f8c0a05','triage','fast','offline',410,24,0,0,10.414,1,1,NULL,'2026-11-23 23:51:07.546584','01a20ad2-0ae3-7182-95d1-63a6f71d3866');
INSERT INTO "model_calls" VALUES(5,'01a20ad2-0442-76b4-9fa8-1beed5ac7c14','triage','fast','offline',357,19,0,0,9.61,1,1,NULL,'2026-11-23 23:51:07.547822','01a20ad2-0bf0-7738-ab2b-87de44f458e4');
INSERT INTO "model_calls" VALUES(6,'01a20ad2-0442-76b4-9fa8-1bec17bf29ea','triage','fast','offline',414,17,0,0,9.619,1,1,NULL,'2026-11-23 23:51:07.547854','01a20ad2-0bf0-7738-ab2b-87dfea74128a');
INSERT INTO "model_calls" VALUES(7,'01a20ad2-043b-7586-b207-49865b11f540','triage','fast','offline',428,20,0,0,5.277,1,1,NULL,'2026-11-23 23:51:07.626538','01a20ad2-0c5b-7318-bbc3-17a495deec0f');
INSERT INTO "model_calls" VALUES(8,'01a20ad2-0438-700d-9c1a-9668bb0b0e12','respond','strong','offline',593,99,0,0,8.97,1,1,NULL,'2026-11-23 23:51:07.759557','01a20ad2-0c98-75b9-8890-0aea7725196c');
INSERT INTO "model_calls" VALUES(9,'01a20ad2-0442-76b4-9fa8-1bec17bf29ea','respond','strong','offline',576,72,0,0,9.767,1,1,NULL,'2026-11-23 23:51:07.919792','01a20ad2-0d5d-7526-85b3-da5ff91b34ac');
INSERT INTO "model_calls" VALUES(10,'01a20ad2-043b-7586-b207-49865b11f540','respond','strong','offline',590,30,0,0,25.955,1,1,NULL,'2026-11-23 23:51:08.027961','01a20ad2-0dc0-70a6-a5ff-b3e07674a6fa');
INSERT INTO "model_calls" VALUES(11,'01a20ad2-043b-7586-b207-49865b11f540','respond','strong','offline',647,176,0,0,5.823,1,1,NULL,'2026-11-23 23:51:08.076517','01a20ad2-0e17-73eb-8df9-ad3d51a5274f');
INSERT INTO "model_calls" VALUES(12,'01a20ad2-0442-76b4-9fa8-1befc1da9223','triage','fast','offline',420,18,0,0,2.953,1,1,NULL,'2026-11-23 23:51:08.097712','01a20ad2-0e32-76d8-868d-9aa4e5c1dd2c');
INSERT INTO "model_calls" VALUES(13,'01a20ad2-0443-7686-bdf2-948ea156362b','triage','fast','offline',393,26,0,0,0.934,1,1,NULL,'2026-11-23 23:51:08.131010','01a20ad2-0e5c-725b-8c91-b97dc66e3ccc');
INSERT INTO "model_calls" VALUES(14,'01a20ad2-0442-76b4-9fa8-1befc1da9223','respond','strong','offline',583,93,0,0,3.454,1,1,NULL,'2026-11-23 23:51:08.134887','01a20ad2-0e5f-76d9-8f50-23e7c5acbb34');
INSERT INTO "model_calls" VALUES(15,'01a20ad2-c577-72b3-8651-c113f49cab9a','respond','strong','offline',685,72,0,0,1.805,1,1,NULL,'2026-11-23 23:51:55.822604','01a20ad2-c8a8-74b6-a7df-0c9ea306cbd5');
CREATE TABLE order_lines (
	order_id TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	product_key TEXT NOT NULL, 
	product_id TEXT NOT NULL, 
	asked BIGINT NOT NULL, 
	everything BOOLEAN NOT NULL, 
	taken BIGINT NOT NULL, 
	product_name TEXT, 
	unit_price TEXT, 
	status TEXT, 
	discount TEXT, 
	total TEXT, 
	promotion TEXT, 
	gifts JSON, 
	alternatives JSON, 
	CONSTRAINT pk_order_lines PRIMARY KEY (order_id, position), 
	CONSTRAINT fk_order_lines_order_id_orders FOREIGN KEY(order_id) REFERENCES orders (order_id) ON DELETE CASCADE
);
CREATE TABLE orders (
	order_id TEXT NOT NULL, 
	state TEXT NOT NULL, 
	status TEXT, 
	total TEXT, 
	taken_at DATETIME NOT NULL, 
	settled_at DATETIME, 
	CONSTRAINT pk_orders PRIMARY KEY (order_id)
);
CREATE TABLE outbox (
	id INTEGER NOT NULL, 
	action_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	subject_key TEXT NOT NULL, 
	payload JSON NOT NULL, 
	payload_digest TEXT NOT NULL, 
	status TEXT NOT NULL, 
	result JSON, 
	reason TEXT NOT NULL, 
	attempts INTEGER NOT NULL, 
	started_at DATETIME NOT NULL, 
	updated_at DATETIME NOT NULL, run_thread_id TEXT DEFAULT '' NOT NULL, graph TEXT DEFAULT '' NOT NULL, round INTEGER DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_outbox PRIMARY KEY (id), 
	CONSTRAINT uq_outbox_action_id UNIQUE (action_id)
);
INSERT INTO "outbox" VALUES(1,'fe3181c5-221c-2bef-cbbd-29cf3446f1af:rule_ae8077d597c64f84_1_0:1:draft:972485a9ed9c4022','draft','drafts:fe3181c5-221c-2bef-cbbd-29cf3446f1af','{"digest": "972485a9ed9c402280f14dfcfd21a636cd9c5a3b4556efa0d2a8647e279f945e", "message_id": "<eb99ff47a6e546d0032d4c39fa3741f0@vale.example>"}','2a9caabad8309541b2cf9b2069f22579c29dd6b4326fe585ac8fcb9da9df2cfd','done','{"draft_id": "1795477867.R21c9b5a1b81ece2e4f61.email_assistant", "digest": "972485a9ed9c402280f14dfcfd21a636cd9c5a3b4556efa0d2a8647e279f945e"}','',1,'2026-11-23 23:51:07.850313','2026-11-23 23:51:07.872206','fe3181c5-221c-2bef-cbbd-29cf3446f1af','email_assistant',1);
INSERT INTO "outbox" VALUES(2,'29369430-6e48-5abe-4f7d-5cee30272797:rule_858c54f9f22fd39e_1_0:1:draft:4016cc27e29a690a','draft','drafts:29369430-6e48-5abe-4f7d-5cee30272797','{"digest": "4016cc27e29a690a91efcfc2ab9fb4b19681c5fce115a79f8daeac3dad54e8ba", "message_id": "<52434d709ab45b7fe7e4ee0b1539a517@vale.example>"}','be6a0a8b328dc5fd68ede3f7ff8101c7f00d4310975bcd09b63ba4353079cf02','done','{"draft_id": "1795477867.R5d297642fb285b024f34.email_assistant", "digest": "4016cc27e29a690a91efcfc2ab9fb4b19681c5fce115a79f8daeac3dad54e8ba"}','',1,'2026-11-23 23:51:07.971236','2026-11-23 23:51:08.026733','29369430-6e48-5abe-4f7d-5cee30272797','email_assistant',1);
INSERT INTO "outbox" VALUES(3,'bc85f3bd-02f3-6ad1-108d-f94bb74773fa:rule_96c9e1a0b6310bdf_1_0:1:draft:27aa50556c78ac11','draft','drafts:bc85f3bd-02f3-6ad1-108d-f94bb74773fa','{"digest": "27aa50556c78ac11c1bdefd15df1b83dc25853a174d66aeedaa3ddaaafdeb3fb", "message_id": "<9a5593ddbf5946f8c2d4474e4f4dad98@vale.example>"}','1d07dd6dc9277f2ba44313091a6180b915959ef62d45b5a1856e365a3e25660b','done','{"draft_id": "1795477868.Rea020b577cd400e5579f.email_assistant", "digest": "27aa50556c78ac11c1bdefd15df1b83dc25853a174d66aeedaa3ddaaafdeb3fb"}','',1,'2026-11-23 23:51:08.152448','2026-11-23 23:51:08.180968','bc85f3bd-02f3-6ad1-108d-f94bb74773fa','email_assistant',1);
INSERT INTO "outbox" VALUES(4,'bc85f3bd-02f3-6ad1-108d-f94bb74773fa:rule_96c9e1a0b6310bdf_1_0:1','send','reply:cd3e8fc201079544e6115dde48a3e8b6','{"args": {"body": "Dear Gordon,\n\nI am sorry about the scratches. We pick the table up on Friday and bring a new top.\n\nRobin", "cc": "", "subject": "Re: The table arrived scratched", "to": "Gordon Pryce <gordon.pryce@mailbox.example>"}, "facts": {"based_on": "1795121042.M5beecfb9385737eb02f6901a11d367cee98a3e18.import", "in_reply_to": "<gp-881@mailbox.example>", "mail_thread_id": "947ce5857a8266916fa9df98cafc6924", "message_id": "<9a5593ddbf5946f8c2d4474e4f4dad98@vale.example>", "references": ["<gp-881@mailbox.example>"], "sender": "robin@vale.example", "sender_name": "Robin Vale", "subject_key": "reply:cd3e8fc201079544e6115dde48a3e8b6"}}','c51e3cf4f1359d56a929d27ea26fc632a4144375f68ff5bedf1e48e5e5b503e0','done','{"sent_id": "1795477868.Rea020b577cd400e5579f.email_assistant", "message_id": "<9a5593ddbf5946f8c2d4474e4f4dad98@vale.example>"}','',1,'2026-11-23 23:51:54.813064','2026-11-23 23:51:54.873948','bc85f3bd-02f3-6ad1-108d-f94bb74773fa','email_assistant',1);
INSERT INTO "outbox" VALUES(5,'29369430-6e48-5abe-4f7d-5cee30272797:rule_b6b1c8d851c120cf_4_0:1:draft:4016cc27e29a690a','draft','drafts:29369430-6e48-5abe-4f7d-5cee30272797','{"digest": "4016cc27e29a690a91efcfc2ab9fb4b19681c5fce115a79f8daeac3dad54e8ba", "message_id": "<f7b0e29452a7b79ae796b69f196b3450@vale.example>"}','60601d2a547e7425e1a80695daab0ab0fe33addf30a4f34efd7fdfb1a2a4a0c3','done','{"draft_id": "1795477867.R5d297642fb285b024f34.email_assistant", "digest": "4016cc27e29a690a91efcfc2ab9fb4b19681c5fce115a79f8daeac3dad54e8ba"}','',1,'2026-11-23 23:51:55.844073','2026-11-23 23:51:55.862044','29369430-6e48-5abe-4f7d-5cee30272797','email_assistant',1);
CREATE TABLE policies (
	tenant_id TEXT NOT NULL, 
	policy_id TEXT NOT NULL, 
	user_id TEXT NOT NULL, 
	product TEXT NOT NULL, 
	status TEXT NOT NULL, 
	starts DATE NOT NULL, 
	ends DATE NOT NULL, 
	paid_until DATE NOT NULL, 
	paid TEXT NOT NULL, 
	"limit" TEXT NOT NULL, 
	excess TEXT NOT NULL, 
	cancelled_on DATE, 
	CONSTRAINT pk_policies PRIMARY KEY (tenant_id, policy_id)
);
CREATE TABLE products (
	"key" TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	category TEXT NOT NULL, 
	category_key TEXT NOT NULL, 
	description TEXT NOT NULL, 
	price TEXT NOT NULL, 
	seasons JSON NOT NULL, 
	promotion JSON, 
	stock BIGINT NOT NULL, 
	CONSTRAINT pk_products PRIMARY KEY ("key")
);
CREATE TABLE received_answers (
	run_thread_id TEXT NOT NULL, 
	received_at DATETIME NOT NULL, 
	CONSTRAINT pk_received_answers PRIMARY KEY (run_thread_id)
);
INSERT INTO "received_answers" VALUES('04ca9c1c-5f66-163e-39dc-41119b7922ec','2026-11-23 23:51:34.002387');
INSERT INTO "received_answers" VALUES('bc85f3bd-02f3-6ad1-108d-f94bb74773fa','2026-11-23 23:51:54.061531');
INSERT INTO "received_answers" VALUES('29369430-6e48-5abe-4f7d-5cee30272797','2026-11-23 23:51:54.994090');
CREATE TABLE refunds (
	tenant_id TEXT NOT NULL, 
	idempotency_key TEXT NOT NULL, 
	user_id TEXT NOT NULL, 
	policy_id TEXT NOT NULL, 
	amount TEXT NOT NULL, 
	currency TEXT NOT NULL, 
	state TEXT NOT NULL, 
	receipt TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	reserved_at DATETIME NOT NULL, 
	settled_at DATETIME, 
	CONSTRAINT pk_refunds PRIMARY KEY (tenant_id, idempotency_key)
);
CREATE TABLE reviews (
	review_id TEXT NOT NULL, 
	run_id TEXT NOT NULL, 
	run_thread_id TEXT NOT NULL, 
	title TEXT NOT NULL, 
	card JSON, 
	shown_count INTEGER NOT NULL, 
	first_shown_at DATETIME NOT NULL, 
	last_shown_at DATETIME NOT NULL, 
	decision TEXT, 
	answer JSON, 
	answers JSON NOT NULL, 
	decided_at DATETIME, step_name TEXT, 
	CONSTRAINT pk_reviews PRIMARY KEY (review_id)
);
INSERT INTO "reviews" VALUES('8baa47fe80634e24225083dd1fe64cc0','01a20ad2-0442-76b4-9fa8-1bedfe803363','04ca9c1c-5f66-163e-39dc-41119b7922ec','Notify: Spree Bank: Ungewöhnliche Kartenzahlung','{"action_request": {"action": "Notify: Spree Bank: Ungew\u00f6hnliche Kartenzahlung", "args": {}}, "config": {"allow_ignore": true, "allow_respond": true, "allow_edit": false, "allow_accept": false}, "description": "Money: Spree Bank writes of money, which is to be checked by another way: \u201cUngew\u00f6hnliche Kartenzahlung\u201d; no reply seems to be needed.\n\n- **From:** Spree Bank (`sicherheit@spreebank.example`)\n- **Verified:** no. Nobody vouches for the sender: EMAIL\\_ASSISTANT\\_AUTHSERV\\_ID does not say which host receives your mail.\n- **Subject:** Ungew\u00f6hnliche Kartenzahlung\n- **Received:** Thu 19 Nov 2026, 11:02 CET\n\n#### The message\n```text\nGuten Tag Robin Vale,\n\nmit Ihrer Karte (Endziffern 4471) wurde heute um 10:58 Uhr eine ungew\u00f6hnliche\nZahlung von 1.240,00 EUR versucht. Wir haben die Zahlung vorsorglich gesperrt.\n\nWar diese Zahlung von Ihnen? Sie k\u00f6nnen sie in Ihrer Banking-App freigeben.\n\nDiese Nachricht wurde automatisch erstellt, bitte antworten Sie nicht darauf.\nIhre Spree Bank\n```\n\n#### Why\n- Triage: It is an automatic message that warns of something.\n- Written by the built-in offline rules, not by a language model.\n"}',1,'2026-11-23 23:51:07.551115','2026-11-23 23:51:07.551115','ignore','{"type": "ignore", "args": {}, "text": ""}','[{"decision": "ignore", "answer": {"type": "ignore", "args": {}, "text": ""}, "decided_at": "2026-11-23T23:51:34.721700+00:00", "id": "01a20ad2-7380-71ec-8f8d-34e571aa8dc4"}]','2026-11-23 23:51:34.721700','triage_interrupt_handler');
INSERT INTO "reviews" VALUES('9f7bea0997c5cd9ba4fe53e75a34fd3c','01a20ad2-043c-762b-978a-898c568c5ea7','58f15381-31da-34d6-31e3-47cff8cf8e48','Invitation: Permit hearing: shop window','{"action_request": {"action": "Invitation: Permit hearing: shop window", "args": {"answer": "accepted", "comment": ""}}, "config": {"allow_ignore": true, "allow_respond": true, "allow_edit": true, "allow_accept": true}, "description": "Petra Kunze invites you. Permit hearing: shop window: Tuesday 2026-12-01 14:00 to 15:00 (Europe/Berlin). At City Hall, room 214. Invited by Petra Kunze, 1 guest.\n\n- **From:** Petra Kunze (`petra.kunze@cityhall.example`)\n- **Verified:** no. Nobody vouches for the sender: EMAIL\\_ASSISTANT\\_AUTHSERV\\_ID does not say which host receives your mail.\n- **Subject:** Permit hearing: shop window\n- **Received:** Wed 18 Nov 2026, 11:00 CET\n- **Attachment:** invite.ics (text/calendar, 1 KB)\n\n#### What else happens\n- `petra.kunze@cityhall.example` gets your answer by mail.\n\n#### The message\n```text\nDear Robin Vale,\n\nyou are invited to the hearing on your shop window.\n\nWhen: Tuesday, 1 December 2026, 14:00-15:00 CET\nLocation: City Hall, room 214\n\nDoes this date suit you?\n\nPetra Kunze\nBuilding permits\n```\n\n#### Why\n- The time is free in your calendar.\n"}',1,'2026-11-23 23:51:07.574610','2026-11-23 23:51:07.574610',NULL,NULL,'[]',NULL,'answer_invitation');
INSERT INTO "reviews" VALUES('788e727847749ed3795911f9d956e690','01a20ad2-043c-762b-978a-898a1f8c0a05','66004321-4404-273e-19ba-538e2a562fb2','Notify: Hosting Monitor: [ALERT] vale-web-1: disk usage 91%','{"action_request": {"action": "Notify: Hosting Monitor: [ALERT] vale-web-1: disk usage 91%", "args": {}}, "config": {"allow_ignore": true, "allow_respond": true, "allow_edit": false, "allow_accept": false}, "description": "Hosting Monitor wrote about \u201c\\[ALERT\\] vale-web-1: disk usage 91%\u201d; no reply seems to be needed.\n\n- **From:** Hosting Monitor (`alerts@status.hosting.example`)\n- **Verified:** no. Nobody vouches for the sender: EMAIL\\_ASSISTANT\\_AUTHSERV\\_ID does not say which host receives your mail.\n- **Subject:** \\[ALERT\\] vale-web-1: disk usage 91%\n- **Received:** Wed 18 Nov 2026, 03:14 CET\n\n#### The message\n```text\nCRITICAL since 02:11 UTC\n\nhost:     vale-web-1\ncheck:    disk usage on /var\nvalue:    91 % (limit 85 %)\n\nUploads to the portfolio will fail when the disk is full.\nThis message was generated automatically.\n```\n\n#### Why\n- Triage: It is an automatic message that warns of something.\n- Written by the built-in offline rules, not by a language model.\n"}',1,'2026-11-23 23:51:07.603914','2026-11-23 23:51:07.603914',NULL,NULL,'[]',NULL,'triage_interrupt_handler');
INSERT INTO "reviews" VALUES('1a2edae7f56df2f573d260aeefd946ca','01a20ad2-0442-76b4-9fa8-1beed5ac7c14','ad84109b-9c59-1124-2ad5-ab3e020a8cb6','Notify: Jonas Brandt: Keys are in the letter box (eom)','{"action_request": {"action": "Notify: Jonas Brandt: Keys are in the letter box (eom)", "args": {}}, "config": {"allow_ignore": true, "allow_respond": true, "allow_edit": false, "allow_accept": false}, "description": "Jonas Brandt wrote about \u201cKeys are in the letter box (eom)\u201d; no reply seems to be needed.\n\n- **From:** Jonas Brandt (`jonas@brandtholz.example`)\n- **Verified:** no. Nobody vouches for the sender: EMAIL\\_ASSISTANT\\_AUTHSERV\\_ID does not say which host receives your mail.\n- **Subject:** Keys are in the letter box (eom)\n- **Received:** Thu 19 Nov 2026, 16:16 CET\n\n#### The message\n```text\n(the message has no text)\n```\n\n#### Why\n- Triage: It has no text, only a subject.\n- Written by the built-in offline rules, not by a language model.\n"}',1,'2026-11-23 23:51:07.604236','2026-11-23 23:51:07.604236',NULL,NULL,'[]',NULL,'triage_interrupt_handler');
INSERT INTO "reviews" VALUES('63a66a00b4567e043669510fc615b55f','01a20ad2-0438-700d-9c1a-9668bb0b0e12','fe3181c5-221c-2bef-cbbd-29cf3446f1af','Send reply to Mara Lindqvist: Re: Your quote for the reading room','{"action_request": {"action": "Send reply to Mara Lindqvist: Re: Your quote for the reading room", "args": {"to": "Mara Lindqvist <mara@lindqvist.example>", "cc": "", "subject": "Re: Your quote for the reading room", "body": "Hi Mara,\n\nThank you for your message about \u201cYour quote for the reading room\u201d. I have received it.\n\n[confirm: your answer to question 1]\n[confirm: your answer to question 2]\n\nBest regards,\nRobin Vale"}}, "config": {"allow_ignore": true, "allow_respond": true, "allow_edit": true, "allow_accept": true}, "description": "2 gaps: Mara Lindqvist asks 2 questions: \u201cDoes the price include taking away the old shelves?\u201d\n\n- **From:** Mara Lindqvist (`mara@lindqvist.example`)\n- **Verified:** no. Nobody vouches for the sender: EMAIL\\_ASSISTANT\\_AUTHSERV\\_ID does not say which host receives your mail.\n- **Subject:** Your quote for the reading room\n- **Received:** Mon 16 Nov 2026, 08:12 CET\n\n#### Look closely\n- The text has a gap to fill: \\[confirm: your answer to question 1\\] for \u201cDoes the price include taking away the old shelves?\u201d\n- The text has a gap to fill: \\[confirm: your answer to question 2\\] for \u201cCould the oak be oiled instead of varnished, and would that change the price?\u201d\n\n#### The message\n```text\nHi Robin,\n\nthank you for the quote, we like it a lot. Two things before we sign:\n\n1. Does the price include taking away the old shelves?\n2. Could the oak be oiled instead of varnished, and would that change the price?\n\nWe would love to have the room ready before our daughter comes home in\nFebruary.\n```\n\n#### Why\n- Triage: It asks you a question.\n- Written by the built-in offline rules, not by a language model.\n"}',1,'2026-11-23 23:51:07.947658','2026-11-23 23:51:07.947658',NULL,NULL,'[]',NULL,'interrupt_handler');
INSERT INTO "reviews" VALUES('693021128664ef728913c1a6b119b7f1','01a20ad2-0442-76b4-9fa8-1bec17bf29ea','29369430-6e48-5abe-4f7d-5cee30272797','Send reply to Éloïse Marchand: Re: Demande de devis : chambre d''hôtes','{"action_request": {"action": "Send reply to \u00c9lo\u00efse Marchand: Re: Demande de devis : chambre d''h\u00f4tes", "args": {"to": "\u00c9lo\u00efse Marchand <eloise.marchand@maisonbleue.example>", "cc": "", "subject": "Re: Demande de devis : chambre d''h\u00f4tes", "body": "[confirm: your reply, in the language of the mail; offline rules write English only]\n\nRobin Vale"}}, "config": {"allow_ignore": true, "allow_respond": true, "allow_edit": true, "allow_accept": true}, "description": "1 gap: \u00c9lo\u00efse Marchand asks 2 questions: \u201cPourriez-vous nous envoyer un devis pour la premi\u00e8re chambre ?\u201d\n\n- **From:** \u00c9lo\u00efse Marchand (`eloise.marchand@maisonbleue.example`)\n- **Verified:** no. Nobody vouches for the sender: EMAIL\\_ASSISTANT\\_AUTHSERV\\_ID does not say which host receives your mail.\n- **Subject:** Demande de devis : chambre d''h\u00f4tes\n- **Received:** Wed 18 Nov 2026, 12:40 CET\n\n#### Look closely\n- The text has a gap to fill: \\[confirm: your reply, in the language of the mail; offline rules write English only\\] for \u201cPourriez-vous nous envoyer un devis pour la premi\u00e8re chambre ? Quels sont vos d\u00e9lais en ce moment ?\u201d\n\n#### The message\n```text\nBonjour,\n\nnous ouvrons une maison d''h\u00f4tes de cinq chambres pr\u00e8s de Nantes et votre\ntravail nous pla\u00eet beaucoup. Pourriez-vous nous envoyer un devis pour la\npremi\u00e8re chambre ? Quels sont vos d\u00e9lais en ce moment ?\n```\n\n#### Why\n- Triage: It asks you a question.\n- Written by the built-in offline rules, not by a language model.\n"}',1,'2026-11-23 23:51:08.043271','2026-11-23 23:51:08.043271','response','{"type": "response", "args": {}, "text": "Always offer a call instead of a price, and sign as Robin."}','[{"decision": "response", "answer": {"type": "response", "args": {}, "text": "Always offer a call instead of a price, and sign as Robin."}, "decided_at": "2026-11-23T23:51:55.798181+00:00", "id": "01a20ad2-c577-72b3-8651-c113f49cab9a"}]','2026-11-23 23:51:55.798181','interrupt_handler');
INSERT INTO "reviews" VALUES('c85878f1cded6e5a24137bf08fde9315','01a20ad2-043b-7586-b207-49865b11f540','bb5c5160-6eae-1e0c-d895-e8dd90935ec3','Schedule meeting: Call about the Hudson loft','{"action_request": {"action": "Schedule meeting: Call about the Hudson loft", "args": {"title": "Call about the Hudson loft", "attendees": "daniel.ortiz@ortizhale.example", "start": "2026-11-24T17:00:00+01:00", "end": "2026-11-24T17:45:00+01:00", "timezone": "Europe/Berlin", "location": ""}}, "config": {"allow_ignore": true, "allow_respond": true, "allow_edit": true, "allow_accept": true}, "description": "Daniel Ortiz asks for a meeting. Tuesday 24 November 2026, 17:00\u201317:45 (Europe/Berlin).\n\n- **From:** Daniel Ortiz (`daniel.ortiz@ortizhale.example`)\n- **Verified:** no. Nobody vouches for the sender: EMAIL\\_ASSISTANT\\_AUTHSERV\\_ID does not say which host receives your mail.\n- **Subject:** Call about the Hudson loft\n- **Received:** Mon 16 Nov 2026, 20:05 CET\n- **Asked for:** Tue 24 Nov 17:00\u201317:45\n- **Also free:** Tue 24 Nov 13:30\u201314:15; Tue 24 Nov 14:30\u201315:15\n\n#### Look closely\n- This is outside your working hours (Mon-Fri 09:00-17:00).\n\n#### What else happens\n- `daniel.ortiz@ortizhale.example` gets an invitation by mail.\n\n#### The message\n```text\nRobin,\n\nthe owners of the Hudson loft signed off on the layout, so we can start on\nmaterials. Could we have a 45-minute call on Tuesday, November 24 at\n11:00 am ET? I''d bring Lucy from the general contractor.\n\nIf that is too late in your day, any morning of mine that week works.\n\nDaniel\n```\n\n#### Why\n- Triage: It asks about a meeting or a call.\n- The time is free in your calendar.\n- Calendar: Tuesday 2026-11-24: busy 09:00\u201312:00 Workshop preparation; 12:30\u201313:30 Lunch with Marek; 15:30\u201316:15 Lighting supplier, call\n- Written by the built-in offline rules, not by a language model.\n"}',1,'2026-11-23 23:51:08.107956','2026-11-23 23:51:08.107956',NULL,NULL,'[]',NULL,'interrupt_handler');
INSERT INTO "reviews" VALUES('718f1dfe472052eba76ca7481a2c1ec5','01a20ad2-0443-7686-bdf2-948ea156362b','846b6281-1e2b-d523-af5c-792ef78c64c6','Notify: Daniel Ortiz: Skylight drawings','{"action_request": {"action": "Notify: Daniel Ortiz: Skylight drawings", "args": {}}, "config": {"allow_ignore": true, "allow_respond": true, "allow_edit": false, "allow_accept": false}, "description": "Daniel Ortiz asks: \u201ccould you send the skylight drawings to the engineer today?\u201d; no reply seems to be needed.\n\n- **From:** Daniel Ortiz (`daniel.ortiz@ortizhale.example`)\n- **Verified:** no. Nobody vouches for the sender: EMAIL\\_ASSISTANT\\_AUTHSERV\\_ID does not say which host receives your mail.\n- **Subject:** Skylight drawings\n- **Received:** Fri 20 Nov 2026, 15:47 CET\n\n#### The message\n```text\nLucy,\n\ncould you send the skylight drawings to the engineer today? He wants to check\nthe load before the weekend.\n\nDaniel\n```\n\n#### Why\n- Triage: You are only in copy, and nothing in it is put to you by name.\n- Written by the built-in offline rules, not by a language model.\n"}',1,'2026-11-23 23:51:08.145397','2026-11-23 23:51:08.145397',NULL,NULL,'[]',NULL,'triage_interrupt_handler');
INSERT INTO "reviews" VALUES('d0157f629202d2e9689883603e976685','01a20ad2-0442-76b4-9fa8-1befc1da9223','bc85f3bd-02f3-6ad1-108d-f94bb74773fa','Send reply to Gordon Pryce: Re: The table arrived scratched','{"action_request": {"action": "Send reply to Gordon Pryce: Re: The table arrived scratched", "args": {"to": "Gordon Pryce <gordon.pryce@mailbox.example>", "cc": "", "subject": "Re: The table arrived scratched", "body": "Hi Gordon,\n\nThank you for your message about \u201cThe table arrived scratched\u201d. I am sorry that you had trouble.\n\n[confirm: what you offer to do about it]\n\nBest regards,\nRobin Vale"}}, "config": {"allow_ignore": true, "allow_respond": true, "allow_edit": true, "allow_accept": true}, "description": "By Fri 20 Nov, 1 gap: Gordon Pryce complains: \u201cThe table arrived scratched\u201d\n\n- **From:** Gordon Pryce (`gordon.pryce@mailbox.example`)\n- **Verified:** no. Nobody vouches for the sender: EMAIL\\_ASSISTANT\\_AUTHSERV\\_ID does not say which host receives your mail.\n- **Subject:** The table arrived scratched\n- **Received:** Thu 19 Nov 2026, 21:44 CET\n\n#### Look closely\n- The text has a gap to fill: \\[confirm: what you offer to do about it\\] for \u201cThis is not what I paid for. I expect a replacement or a refund, and I would like an answer this week.\u201d\n\n#### The message\n```text\nRobin,\n\nI am disappointed. The walnut table was delivered on Tuesday with a 20 cm\nscratch across the top, and your carrier left it in the rain. This is not what\nI paid for. I expect a replacement or a refund, and I would like an answer this\nweek.\n\nG. Pryce\n```\n\n#### Why\n- Triage: It asks you to do something.\n- Written by the built-in offline rules, not by a language model.\n"}',1,'2026-11-23 23:51:08.190778','2026-11-23 23:51:08.190778','edit','{"type": "edit", "args": {"to": "Gordon Pryce <gordon.pryce@mailbox.example>", "cc": "", "subject": "Re: The table arrived scratched", "body": "Dear Gordon,\n\nI am sorry about the scratches. We pick the table up on Friday and bring a new top.\n\nRobin"}, "text": ""}','[{"decision": "edit", "answer": {"type": "edit", "args": {"to": "Gordon Pryce <gordon.pryce@mailbox.example>", "cc": "", "subject": "Re: The table arrived scratched", "body": "Dear Gordon,\n\nI am sorry about the scratches. We pick the table up on Friday and bring a new top.\n\nRobin"}, "text": ""}, "decided_at": "2026-11-23T23:51:54.788024+00:00", "id": "01a20ad2-c1cf-725e-9b78-48a317eb5ffd"}]','2026-11-23 23:51:54.788024','interrupt_handler');
INSERT INTO "reviews" VALUES('fefb3d3ee65489d6295a156118144b67','01a20ad2-c577-72b3-8651-c113f49cab9a','29369430-6e48-5abe-4f7d-5cee30272797','Send reply to Éloïse Marchand: Re: Demande de devis : chambre d''hôtes (draft 2)','{"action_request": {"action": "Send reply to \u00c9lo\u00efse Marchand: Re: Demande de devis : chambre d''h\u00f4tes (draft 2)", "args": {"to": "\u00c9lo\u00efse Marchand <eloise.marchand@maisonbleue.example>", "cc": "", "subject": "Re: Demande de devis : chambre d''h\u00f4tes", "body": "[confirm: your reply, in the language of the mail; offline rules write English only]\n\nRobin Vale"}}, "config": {"allow_ignore": true, "allow_respond": true, "allow_edit": true, "allow_accept": true}, "description": "1 gap: \u00c9lo\u00efse Marchand asks 2 questions: \u201cPourriez-vous nous envoyer un devis pour la premi\u00e8re chambre ?\u201d\n\n- **From:** \u00c9lo\u00efse Marchand (`eloise.marchand@maisonbleue.example`)\n- **Verified:** no. Nobody vouches for the sender: EMAIL\\_ASSISTANT\\_AUTHSERV\\_ID does not say which host receives your mail.\n- **Subject:** Demande de devis : chambre d''h\u00f4tes\n- **Received:** Wed 18 Nov 2026, 12:40 CET\n\n#### You said\n```text\nAlways offer a call instead of a price, and sign as Robin.\n```\n\n#### Look closely\n- Fixed rules wrote this and cannot follow \u201cAlways offer a call instead of a price, and sign as Robin.\u201d: edit it yourself.\n- The text has a gap to fill: \\[confirm: your reply, in the language of the mail; offline rules write English only\\] for \u201cPourriez-vous nous envoyer un devis pour la premi\u00e8re chambre ? Quels sont vos d\u00e9lais en ce moment ?\u201d\n\n#### The message\n```text\nBonjour,\n\nnous ouvrons une maison d''h\u00f4tes de cinq chambres pr\u00e8s de Nantes et votre\ntravail nous pla\u00eet beaucoup. Pourriez-vous nous envoyer un devis pour la\npremi\u00e8re chambre ? Quels sont vos d\u00e9lais en ce moment ?\n```\n\n#### Why\n- Triage: It asks you a question.\n- Written by the built-in offline rules, not by a language model.\n"}',1,'2026-11-23 23:51:55.868002','2026-11-23 23:51:55.868002',NULL,NULL,'[]',NULL,'interrupt_handler');
CREATE TABLE "runs" (
	run_id TEXT NOT NULL, 
	run_thread_id TEXT NOT NULL, 
	graph TEXT NOT NULL, 
	status TEXT NOT NULL, 
	error TEXT, 
	started_at DATETIME NOT NULL, 
	ended_at DATETIME, 
	trace_id TEXT NOT NULL, 
	message_id TEXT, 
	latency_ms FLOAT, 
	CONSTRAINT pk_runs PRIMARY KEY (run_id)
);
INSERT INTO "runs" VALUES('f91e6be9-5455-42b1-81c7-32b9944cdca5','command line','ingest','ended',NULL,'2026-11-23 23:51:05.316908','2026-11-23 23:51:08.398670','f91e6be9-5455-42b1-81c7-32b9944cdca5',NULL,NULL);
INSERT INTO "runs" VALUES('01a20ad2-043c-762b-978a-898bde89adc7','2a573f97-d945-6d0b-31b2-2cabfd836b64','email_assistant','ended',NULL,'2026-11-23 23:51:07.137625','2026-11-23 23:51:07.665971','01a20ad2-043c-762b-978a-898bde89adc7','1794970983.M3f8887e27e6ecc704d9df9d803e7026a374c247c.import',489.055);
INSERT INTO "runs" VALUES('01a20ad2-0438-700d-9c1a-9668bb0b0e12','fe3181c5-221c-2bef-cbbd-29cf3446f1af','email_assistant','waiting',NULL,'2026-11-23 23:51:07.142596','2026-11-23 23:51:08.158651','01a20ad2-0438-700d-9c1a-9668bb0b0e12','1794813164.Me40603b11ab448ec90c7eb9cc22b6259b7e1ad00.import',1015.84);
INSERT INTO "runs" VALUES('01a20ad2-043c-762b-978a-898c568c5ea7','58f15381-31da-34d6-31e3-47cff8cf8e48','email_assistant','waiting',NULL,'2026-11-23 23:51:07.143240','2026-11-23 23:51:08.020455','01a20ad2-043c-762b-978a-898c568c5ea7','1794996000.M71262967494a95d538a7c5269671a4624aac61d7.import',875.358);
INSERT INTO "runs" VALUES('01a20ad2-043c-762b-978a-898a1f8c0a05','66004321-4404-273e-19ba-538e2a562fb2','email_assistant','waiting',NULL,'2026-11-23 23:51:07.144157','2026-11-23 23:51:08.085242','01a20ad2-043c-762b-978a-898a1f8c0a05','1794968047.M96c901eeb68b492d01641efaa06bd6bd94da0133.import',936.552);
INSERT INTO "runs" VALUES('01a20ad2-0442-76b4-9fa8-1bedfe803363','04ca9c1c-5f66-163e-39dc-41119b7922ec','email_assistant','waiting',NULL,'2026-11-23 23:51:07.151447','2026-11-23 23:51:08.110570','01a20ad2-0442-76b4-9fa8-1bedfe803363','1795082575.M089a9dfe583f00a03de9aba30174300bf3067fb5.import',957.547);
INSERT INTO "runs" VALUES('01a20ad2-0442-76b4-9fa8-1beed5ac7c14','ad84109b-9c59-1124-2ad5-ab3e020a8cb6','email_assistant','waiting',NULL,'2026-11-23 23:51:07.151502','2026-11-23 23:51:08.113028','01a20ad2-0442-76b4-9fa8-1beed5ac7c14','1795101376.M974eb840e5c2ccd127d088226e8cc6a07ff2ba29.import',960.121);
INSERT INTO "runs" VALUES('01a20ad2-0442-76b4-9fa8-1bec17bf29ea','29369430-6e48-5abe-4f7d-5cee30272797','email_assistant','waiting',NULL,'2026-11-23 23:51:07.151522','2026-11-23 23:51:08.162218','01a20ad2-0442-76b4-9fa8-1bec17bf29ea','1795002000.Mf0495263cd152979844461c689b6a9cea06f7e61.import',1010.289);
INSERT INTO "runs" VALUES('01a20ad2-043b-7586-b207-49865b11f540','bb5c5160-6eae-1e0c-d895-e8dd90935ec3','email_assistant','waiting',NULL,'2026-11-23 23:51:07.151554','2026-11-23 23:51:08.164900','01a20ad2-043b-7586-b207-49865b11f540','1794855909.M0012d2bad29b607be92402c6238247bfd12e5876.import',1013.179);
INSERT INTO "runs" VALUES('01a20ad2-0442-76b4-9fa8-1befc1da9223','bc85f3bd-02f3-6ad1-108d-f94bb74773fa','email_assistant','waiting',NULL,'2026-11-23 23:51:07.758916','2026-11-23 23:51:08.199728','01a20ad2-0442-76b4-9fa8-1befc1da9223','1795121042.M5beecfb9385737eb02f6901a11d367cee98a3e18.import',439.369);
INSERT INTO "runs" VALUES('01a20ad2-0443-7686-bdf2-948ea156362b','846b6281-1e2b-d523-af5c-792ef78c64c6','email_assistant','waiting',NULL,'2026-11-23 23:51:08.052248','2026-11-23 23:51:08.159636','01a20ad2-0443-7686-bdf2-948ea156362b','1795186020.Mdf9eeb13e297e6bafd46594b54d3ecc40a9cf331.import',107.114);
INSERT INTO "runs" VALUES('01a20ad2-7380-71ec-8f8d-34e571aa8dc4','04ca9c1c-5f66-163e-39dc-41119b7922ec','email_assistant','ended',NULL,'2026-11-23 23:51:34.691617','2026-11-23 23:51:34.745138','01a20ad2-0442-76b4-9fa8-1bedfe803363',NULL,51.749);
INSERT INTO "runs" VALUES('01a20ad2-c1cf-725e-9b78-48a317eb5ffd','bc85f3bd-02f3-6ad1-108d-f94bb74773fa','email_assistant','ended',NULL,'2026-11-23 23:51:54.761370','2026-11-23 23:51:54.894117','01a20ad2-0442-76b4-9fa8-1befc1da9223',NULL,131.669);
INSERT INTO "runs" VALUES('01a20ad2-c577-72b3-8651-c113f49cab9a','29369430-6e48-5abe-4f7d-5cee30272797','email_assistant','waiting',NULL,'2026-11-23 23:51:55.767022','2026-11-23 23:51:55.873069','01a20ad2-0442-76b4-9fa8-1bec17bf29ea',NULL,104.555);
CREATE TABLE snapshot_values (
	trace_id TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	value JSON NOT NULL, 
	CONSTRAINT pk_snapshot_values PRIMARY KEY (trace_id, digest)
);
CREATE TABLE steps (
	id INTEGER NOT NULL, 
	run_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	snapshot JSON, 
	latency_ms FLOAT NOT NULL, 
	error TEXT, 
	recorded_at DATETIME NOT NULL, step_id TEXT, 
	CONSTRAINT pk_steps PRIMARY KEY (id)
);
INSERT INTO "steps" VALUES(1,'01a20ad2-043c-762b-978a-898bde89adc7','triage_router',1,NULL,279.015,NULL,'2026-11-23 23:51:07.448592','01a20ad2-0aa1-7764-bfe2-88e94c2a56c6');
INSERT INTO "steps" VALUES(2,'01a20ad2-0442-76b4-9fa8-1bedfe803363','triage_router',1,NULL,175.558,NULL,'2026-11-23 23:51:07.475171','01a20ad2-0b23-731f-afac-07fbc89560cc');
INSERT INTO "steps" VALUES(3,'01a20ad2-0438-700d-9c1a-9668bb0b0e12','triage_router',1,NULL,266.118,NULL,'2026-11-23 23:51:07.475226','01a20ad2-0ac9-744e-8230-41a8f8bcba2d');
INSERT INTO "steps" VALUES(4,'01a20ad2-043c-762b-978a-898c568c5ea7','take_up_invitation',1,NULL,288.113,NULL,'2026-11-23 23:51:07.502562','01a20ad2-0ace-7315-90b8-557cee714f82');
INSERT INTO "steps" VALUES(5,'01a20ad2-043c-762b-978a-898a1f8c0a05','triage_router',1,NULL,318.606,NULL,'2026-11-23 23:51:07.554238','01a20ad2-0ae3-7182-95d1-63a6f71d3866');
INSERT INTO "steps" VALUES(6,'01a20ad2-0442-76b4-9fa8-1beed5ac7c14','triage_router',1,NULL,50.025,NULL,'2026-11-23 23:51:07.554386','01a20ad2-0bf0-7738-ab2b-87de44f458e4');
INSERT INTO "steps" VALUES(7,'01a20ad2-0442-76b4-9fa8-1bec17bf29ea','triage_router',1,NULL,50.029,NULL,'2026-11-23 23:51:07.554411','01a20ad2-0bf0-7738-ab2b-87dfea74128a');
INSERT INTO "steps" VALUES(8,'01a20ad2-043b-7586-b207-49865b11f540','triage_router',1,NULL,27.978,NULL,'2026-11-23 23:51:07.639336','01a20ad2-0c5b-7318-bbc3-17a495deec0f');
INSERT INTO "steps" VALUES(9,'01a20ad2-0438-700d-9c1a-9668bb0b0e12','llm_call',2,NULL,84.373,NULL,'2026-11-23 23:51:07.762511','01a20ad2-0c98-75b9-8890-0aea7725196c');
INSERT INTO "steps" VALUES(10,'01a20ad2-0438-700d-9c1a-9668bb0b0e12','prepare',3,NULL,156.154,NULL,'2026-11-23 23:51:07.919711','01a20ad2-0cf3-760a-9388-c8252dc05f83');
INSERT INTO "steps" VALUES(11,'01a20ad2-0442-76b4-9fa8-1bec17bf29ea','llm_call',2,NULL,77.757,NULL,'2026-11-23 23:51:07.947987','01a20ad2-0d5d-7526-85b3-da5ff91b34ac');
INSERT INTO "steps" VALUES(12,'01a20ad2-0442-76b4-9fa8-1bec17bf29ea','prepare',3,NULL,81.968,NULL,'2026-11-23 23:51:08.030774','01a20ad2-0dac-731d-bc01-ac111016d208');
INSERT INTO "steps" VALUES(13,'01a20ad2-043b-7586-b207-49865b11f540','llm_call',2,NULL,75.483,NULL,'2026-11-23 23:51:08.043689','01a20ad2-0dc0-70a6-a5ff-b3e07674a6fa');
INSERT INTO "steps" VALUES(14,'01a20ad2-043b-7586-b207-49865b11f540','prepare',3,NULL,7.876,NULL,'2026-11-23 23:51:08.053976','01a20ad2-0e0d-756d-a15d-0240c4a95b19');
INSERT INTO "steps" VALUES(15,'01a20ad2-043b-7586-b207-49865b11f540','llm_call',4,NULL,18.392,NULL,'2026-11-23 23:51:08.079140','01a20ad2-0e17-73eb-8df9-ad3d51a5274f');
INSERT INTO "steps" VALUES(16,'01a20ad2-043b-7586-b207-49865b11f540','prepare',5,NULL,19.934,NULL,'2026-11-23 23:51:08.099946','01a20ad2-0e2f-73c8-80a5-7da15b1926ba');
INSERT INTO "steps" VALUES(17,'01a20ad2-0442-76b4-9fa8-1befc1da9223','triage_router',1,NULL,16.966,NULL,'2026-11-23 23:51:08.100293','01a20ad2-0e32-76d8-868d-9aa4e5c1dd2c');
INSERT INTO "steps" VALUES(18,'01a20ad2-0443-7686-bdf2-948ea156362b','triage_router',1,NULL,10.282,NULL,'2026-11-23 23:51:08.134844','01a20ad2-0e5c-725b-8c91-b97dc66e3ccc');
INSERT INTO "steps" VALUES(19,'01a20ad2-0442-76b4-9fa8-1befc1da9223','llm_call',2,NULL,9.397,NULL,'2026-11-23 23:51:08.136842','01a20ad2-0e5f-76d9-8f50-23e7c5acbb34');
INSERT INTO "steps" VALUES(20,'01a20ad2-0442-76b4-9fa8-1befc1da9223','prepare',3,NULL,45.099,NULL,'2026-11-23 23:51:08.182708','01a20ad2-0e69-759e-8b4b-4df1367553bf');
INSERT INTO "steps" VALUES(21,'01a20ad2-7380-71ec-8f8d-34e571aa8dc4','triage_interrupt_handler',2,NULL,4.031,NULL,'2026-11-23 23:51:34.718961','01a20ad2-763a-77a7-a72a-cc4f72701104');
INSERT INTO "steps" VALUES(22,'01a20ad2-7380-71ec-8f8d-34e571aa8dc4','learn_from_triage',3,NULL,9.719,NULL,'2026-11-23 23:51:34.739984','01a20ad2-764a-73f7-b597-796510fa2079');
INSERT INTO "steps" VALUES(23,'01a20ad2-c1cf-725e-9b78-48a317eb5ffd','interrupt_handler',4,NULL,4.652,NULL,'2026-11-23 23:51:54.780588','01a20ad2-c497-7124-a889-e243cf0f40d5');
INSERT INTO "steps" VALUES(24,'01a20ad2-c1cf-725e-9b78-48a317eb5ffd','perform',5,NULL,71.614,NULL,'2026-11-23 23:51:54.875361','01a20ad2-c4b3-7773-9813-765660d4d9f7');
INSERT INTO "steps" VALUES(25,'01a20ad2-c1cf-725e-9b78-48a317eb5ffd','learn',6,NULL,5.48,NULL,'2026-11-23 23:51:54.881996','01a20ad2-c4fc-70f0-bc14-b2446ecc403e');
INSERT INTO "steps" VALUES(26,'01a20ad2-c1cf-725e-9b78-48a317eb5ffd','mark_as_read_node',7,NULL,4.909,NULL,'2026-11-23 23:51:54.887577','01a20ad2-c502-7727-ab78-a89e11b22f5f');
INSERT INTO "steps" VALUES(27,'01a20ad2-c1cf-725e-9b78-48a317eb5ffd','response_agent',8,NULL,126.494,NULL,'2026-11-23 23:51:54.890667','01a20ad2-c48c-747f-b2f5-5ce0db6749ed');
INSERT INTO "steps" VALUES(28,'01a20ad2-c577-72b3-8651-c113f49cab9a','interrupt_handler',4,NULL,2.71,NULL,'2026-11-23 23:51:55.795122','01a20ad2-c890-738d-bce1-365bcd3265da');
INSERT INTO "steps" VALUES(29,'01a20ad2-c577-72b3-8651-c113f49cab9a','perform',5,NULL,1.169,NULL,'2026-11-23 23:51:55.804323','01a20ad2-c89a-7515-9242-85657dd97e3c');
INSERT INTO "steps" VALUES(30,'01a20ad2-c577-72b3-8651-c113f49cab9a','learn',6,NULL,10.439,NULL,'2026-11-23 23:51:55.815885','01a20ad2-c89d-7053-ae20-a059f9cea695');
INSERT INTO "steps" VALUES(31,'01a20ad2-c577-72b3-8651-c113f49cab9a','llm_call',7,NULL,7.576,NULL,'2026-11-23 23:51:55.824503','01a20ad2-c8a8-74b6-a7df-0c9ea306cbd5');
INSERT INTO "steps" VALUES(32,'01a20ad2-c577-72b3-8651-c113f49cab9a','prepare',8,NULL,38.372,NULL,'2026-11-23 23:51:55.863785','01a20ad2-c8b1-73f0-a168-5e91838f8815');
CREATE TABLE subscription_mail (
	mailbox TEXT NOT NULL, 
	message_id TEXT NOT NULL, 
	list_key TEXT NOT NULL, 
	CONSTRAINT pk_subscription_mail PRIMARY KEY (mailbox, message_id)
);
CREATE TABLE subscriptions (
	mailbox TEXT NOT NULL, 
	list_key TEXT NOT NULL, 
	name TEXT NOT NULL, 
	sender TEXT NOT NULL, 
	message_id TEXT NOT NULL, 
	offers TEXT NOT NULL, 
	messages INTEGER NOT NULL, 
	first_at DATETIME NOT NULL, 
	last_at DATETIME NOT NULL, 
	answered BOOLEAN NOT NULL, 
	state TEXT NOT NULL, 
	method TEXT NOT NULL, 
	requested_at DATETIME, 
	verified_at DATETIME, 
	still_coming BOOLEAN NOT NULL, run_thread_id TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT pk_subscriptions PRIMARY KEY (mailbox, list_key)
);
CREATE TABLE tickets (
	id INTEGER NOT NULL, 
	tenant_id TEXT NOT NULL, 
	idempotency_key TEXT NOT NULL, 
	outer_key TEXT NOT NULL, 
	user_id TEXT NOT NULL, 
	type TEXT NOT NULL, 
	title TEXT NOT NULL, 
	body TEXT NOT NULL, 
	status TEXT NOT NULL, 
	url TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	closed_at DATETIME, 
	CONSTRAINT pk_tickets PRIMARY KEY (id), 
	CONSTRAINT uq_tickets_tenant_id_idempotency_key UNIQUE (tenant_id, idempotency_key)
);
CREATE TABLE tool_executions (
	id INTEGER NOT NULL, 
	run_id TEXT NOT NULL, 
	tool_call_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	params JSON NOT NULL, 
	result JSON, 
	success BOOLEAN NOT NULL, 
	error TEXT, 
	latency_ms FLOAT NOT NULL, 
	recorded_at DATETIME NOT NULL, step_id TEXT, 
	CONSTRAINT pk_tool_executions PRIMARY KEY (id)
);
INSERT INTO "tool_executions" VALUES(1,'01a20ad2-043b-7586-b207-49865b11f540','rule_a4c612e28782f46f_1_0','check_calendar','{"days": ["2026-11-24"]}','"Tuesday 2026-11-24: busy 09:00\u201312:00 Workshop preparation; 12:30\u201313:30 Lunch with Marek; 15:30\u201316:15 Lighting supplier, call\nFree in working hours (Mon-Fri 09:00-17:00): Tuesday 2026-11-24 12:00\u201312:30, 13:30\u201315:30, 16:15\u201317:00"',1,NULL,7.915,'2026-11-23 23:51:08.054000','01a20ad2-0e0d-756d-a15d-0240c4a95b19');
INSERT INTO "tool_executions" VALUES(2,'01a20ad2-c1cf-725e-9b78-48a317eb5ffd','rule_96c9e1a0b6310bdf_1_0','send_email','{"body": "Hi Gordon,\n\nThank you for your message about \u201cThe table arrived scratched\u201d. I am sorry that you had trouble.\n\n[confirm: what you offer to do about it]\n\nBest regards,\nRobin Vale"}','"Sent to Gordon Pryce <gordon.pryce@mailbox.example>. The text as sent:\nDear Gordon,\n\nI am sorry about the scratches. We pick the table up on Friday and bring a new top.\n\nRobin"',1,NULL,71.655,'2026-11-23 23:51:54.875399','01a20ad2-c4b3-7773-9813-765660d4d9f7');
INSERT INTO "tool_executions" VALUES(3,'01a20ad2-c1cf-725e-9b78-48a317eb5ffd','rule_96c9e1a0b6310bdf_1_1','Done','{}','"Done."',1,NULL,4.975,'2026-11-23 23:51:54.887623','01a20ad2-c502-7727-ab78-a89e11b22f5f');
INSERT INTO "tool_executions" VALUES(4,'01a20ad2-c577-72b3-8651-c113f49cab9a','rule_858c54f9f22fd39e_1_0','send_email','{"body": "[confirm: your reply, in the language of the mail; offline rules write English only]\n\nRobin Vale"}','"Not sent. The user wants the draft changed: Always offer a call instead of a price, and sign as Robin.\nWrite it anew with send_email."',1,NULL,1.222,'2026-11-23 23:51:55.804370','01a20ad2-c89a-7515-9242-85657dd97e3c');
INSERT INTO "tool_executions" VALUES(5,'01a20ad2-c577-72b3-8651-c113f49cab9a','rule_858c54f9f22fd39e_1_1','Done','{}','"Not performed: the user answered another call first."',1,NULL,1.234,'2026-11-23 23:51:55.804370','01a20ad2-c89a-7515-9242-85657dd97e3c');
CREATE INDEX ix_mail_run_thread_id ON mail (run_thread_id);
CREATE INDEX ix_mail_status_updated_at ON mail (status, updated_at);
CREATE INDEX ix_model_calls_recorded_at ON model_calls (recorded_at);
CREATE INDEX ix_model_calls_run_id ON model_calls (run_id);
CREATE INDEX ix_outbox_status ON outbox (status);
CREATE INDEX ix_outbox_subject_key_kind ON outbox (subject_key, kind);
CREATE INDEX ix_reviews_run_id ON reviews (run_id);
CREATE INDEX ix_reviews_run_thread_id ON reviews (run_thread_id);
CREATE INDEX ix_steps_run_id ON steps (run_id);
CREATE INDEX ix_tool_executions_run_id ON tool_executions (run_id);
CREATE INDEX ix_dead_letters_mailbox_message_id_graph ON dead_letters (mailbox, message_id, graph);
CREATE INDEX ix_correspondents_mailbox_name_skeleton ON correspondents (mailbox, name_skeleton);
CREATE INDEX ix_correspondents_mailbox_domain_skeleton_domain ON correspondents (mailbox, domain_skeleton, domain);
CREATE INDEX ix_subscriptions_mailbox_state ON subscriptions (mailbox, state);
CREATE UNIQUE INDEX uq_backfills_unfinished ON backfills (mailbox, graph) WHERE ended_at IS NULL;
CREATE INDEX ix_backfill_chunks_backfill_id_done_at ON backfill_chunks (backfill_id, done_at);
CREATE INDEX ix_mail_graph_status_outcome ON mail (graph, status, outcome);
CREATE INDEX ix_runs_run_thread_id ON runs (run_thread_id);
CREATE INDEX ix_runs_started_at ON runs (started_at);
CREATE INDEX ix_runs_trace_id ON runs (trace_id);
CREATE INDEX ix_tool_executions_recorded_at ON tool_executions (recorded_at);
CREATE INDEX ix_products_position ON products (position);
CREATE INDEX ix_products_category_key_position ON products (category_key, position);
CREATE INDEX ix_orders_state ON orders (state);
CREATE INDEX ix_orders_taken_at_order_id ON orders (taken_at, order_id);
CREATE INDEX ix_customers_email ON customers (email);
CREATE INDEX ix_policies_tenant_id_user_id ON policies (tenant_id, user_id);
CREATE INDEX ix_incidents_tenant_id_user_id_created_at ON incidents (tenant_id, user_id, created_at);
CREATE INDEX ix_tickets_tenant_id_user_id ON tickets (tenant_id, user_id);
CREATE INDEX ix_tickets_tenant_id_outer_key ON tickets (tenant_id, outer_key);
CREATE INDEX ix_refunds_tenant_id_policy_id ON refunds (tenant_id, policy_id);
CREATE INDEX ix_refunds_tenant_id_user_id ON refunds (tenant_id, user_id);
CREATE INDEX ix_outbox_updated_at ON outbox (updated_at);
CREATE INDEX ix_runs_message_id ON runs (message_id);
CREATE INDEX ix_outbox_run_thread_id ON outbox (run_thread_id);
CREATE INDEX ix_held_answers_given_at ON held_answers (given_at);
CREATE UNIQUE INDEX uq_held_answers_open ON held_answers (run_thread_id, interrupt_id) WHERE state IN ('held', 'working');
COMMIT;
