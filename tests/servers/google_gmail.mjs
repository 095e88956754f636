// What the emulator's Gmail lacks, or does otherwise than Gmail. Ours, not the emulator's; each answer is built of the emulator's own.
import { failure, isOk, json, notFound, told } from "./google_forms.mjs";
import { headersOf } from "./google_headers.mjs";
import { isPlain, search } from "./google_search.mjs";

const GMAIL = "/gmail/v1/users/me";
const NAMED = new Set(["send", "import", "batchModify", "batchDelete"]);

// A handler that is given the account's address, and leaves calls for another user to the emulator.
const own = (handle) => (world, call, user, ...ids) => {
  const email = world.caller(call).login;
  return user === "me" || user === email ? handle(world, call, email, ...ids) : undefined;
};
const route = (method, rest, handle) => [method, new RegExp(`^/gmail/v1/users/([^/]+)/${rest}$`), own(handle)];

const messagesOf = (world, email) => world.store.messages.findBy("user_email", email);
const messageOf = (world, email, id) => messagesOf(world, email).find((row) => row.gmail_id === id);
const draftOf = (world, email, id) => world.store.drafts.findBy("user_email", email).find((row) => row.gmail_id === id);

function current(world, email) {
  const ids = [...messagesOf(world, email).map((m) => m.history_id), ...world.store.history.findBy("user_email", email).map((h) => h.gmail_id)];
  const latest = ids.reduce((latest, id) => (BigInt(id) > latest ? BigInt(id) : latest), BigInt(world.expired.get(email) ?? 1));
  return String(latest);
}

function profile(world, _, email) {
  const rows = messagesOf(world, email);
  const threadsTotal = new Set(rows.map((row) => row.thread_id)).size;
  return json({ emailAddress: email, messagesTotal: rows.length, threadsTotal, historyId: current(world, email) });
}

// Every history id that was known until now is too old from now on.
export function expireHistory(world, email) {
  world.expired.set(email, world.nextHistoryId());
}

async function history(world, call, email) {
  const start = call.query.get("startHistoryId") ?? "";
  if (!/^\d+$/.test(start)) return failure(400, "invalidArgument", "Invalid startHistoryId");
  if (BigInt(start) < BigInt(world.expired.get(email) ?? 0)) return notFound();
  const answer = await world.forward(call);
  return isOk(answer) ? json({ ...told(answer), historyId: current(world, email) }) : answer;
}

// Ids of messages and conversations are hexadecimal; only then can they be unknown.
function malformed(_, __, ___, kind, id) {
  const known = kind === "messages" && NAMED.has(id);
  return known || /^[0-9a-f]{1,16}$/.test(id) ? undefined : failure(400, "invalidArgument", "Invalid id value");
}

async function listMessages(world, call, email) {
  const q = call.query.get("q") ?? "";
  if (isPlain(q)) return undefined;
  const found = await search(world, email, q);
  if (found.problem) return failure(400, "invalidArgument", found.problem);
  const some = new URLSearchParams([...call.query].filter(([name]) => name === "labelIds" || name === "includeSpamTrash"));
  if (found.everywhere) some.set("includeSpamTrash", "true");
  const rows = await world.all(email, `${GMAIL}/messages?${some}`, "messages");
  return page(call, "messages", rows.filter((row) => found.ids.has(row.id)), 100);
}

async function listDrafts(world, call, email) {
  if (!call.query.get("q")) return undefined;
  const rows = await listMessages(world, { ...call, query: new URLSearchParams({ q: `in:drafts (${call.query.get("q")})` }) }, email);
  if (!isOk(rows)) return rows;
  const ids = new Set(told(rows).messages.map((row) => row.id));
  const drafts = await world.all(email, `${GMAIL}/drafts`, "drafts");
  return page(call, "drafts", drafts.filter((draft) => ids.has(draft.message.id)), 100);
}

export function page(call, key, rows, usual, most = 500) {
  const size = Math.min(most, Number(call.query.get("maxResults")) || usual);
  const from = Number(call.query.get("pageToken")) || 0;
  const next = from + size < rows.length ? { nextPageToken: String(from + size) } : {};
  return json({ [key]: rows.slice(from, from + size), ...next, resultSizeEstimate: rows.length });
}

// The emulator knows ten headers only.
async function metadata(world, call, email, id) {
  if (call.query.get("format") !== "metadata") return undefined;
  const answer = await world.forward(call);
  if (!isOk(answer)) return answer;
  const message = told(answer);
  const wanted = call.query.getAll("metadataHeaders").map((name) => name.toLowerCase());
  const headers = headersOf(messageOf(world, email, id).raw);
  message.payload.headers = wanted.length ? headers.filter(({ name }) => wanted.includes(name.toLowerCase())) : headers;
  return json(message);
}

// A message can be put into a conversation that is there, and into no other.
function conversation(world, call, email) {
  const message = call.json?.message ?? call.json ?? {};
  const id = message.threadId;
  if (!id) return undefined;
  if (!/^[0-9a-f]{1,16}$/.test(id)) return failure(400, "invalidArgument", "Invalid thread_id value");
  return messagesOf(world, email).some((row) => row.thread_id === id) ? undefined : notFound();
}

// A draft keeps its id when it is changed; the message in it is another one.
async function updateDraft(world, call, email, id) {
  const [draft, gone] = [draftOf(world, email, id), conversation(world, call, email)];
  if (!draft || gone) return draft ? gone : notFound();
  const old = messageOf(world, email, draft.message_gmail_id);
  const made = await world.ask(email, "POST", `${GMAIL}/drafts`, { message: { threadId: old.thread_id, ...call.json?.message } });
  if (!isOk(made)) return made;
  await world.ask(email, "DELETE", `${GMAIL}/drafts/${id}`);
  const { id: temporary, message } = told(made);
  world.store.drafts.update(draftOf(world, email, temporary).id, { gmail_id: id });
  return json({ id, message: { id: message.id, threadId: message.threadId, labelIds: message.labelIds } });
}

// What was sent is a new message, and the draft is gone.
async function sendDraft(world, call, email) {
  const draft = draftOf(world, email, call.json?.id ?? "");
  if (!draft) return notFound();
  const { raw, thread_id, to, cc, bcc } = messageOf(world, email, draft.message_gmail_id);
  if (!to && !cc && !bcc) return failure(400, "invalidArgument", "Recipient address required");
  const sent = await world.ask(email, "POST", `${GMAIL}/messages/send`, { raw, threadId: thread_id });
  if (!isOk(sent)) return sent;
  await world.ask(email, "DELETE", `${GMAIL}/drafts/${draft.gmail_id}`);
  const { id, threadId, labelIds } = told(sent);
  return json({ id, threadId, labelIds });
}

async function createLabel(world, call) {
  const answer = await world.forward(call);
  return answer.text.includes("Label name exists") ? failure(409, "aborted", "Label name exists or conflicts") : answer;
}

export const gmailRoutes = [
  route("GET", "profile", profile),
  route("GET", "history", history),
  ...["GET", "POST", "DELETE"].map((method) => route(method, "(messages|threads)/([^/]+)(?:/.*)?", malformed)),
  route("GET", "messages", listMessages),
  route("GET", "messages/([^/]+)", metadata),
  route("POST", "messages/send", conversation),
  route("GET", "drafts", listDrafts),
  route("POST", "drafts", conversation),
  route("PUT", "drafts/([^/]+)", updateDraft),
  route("POST", "drafts/send", sendDraft),
  route("POST", "labels", createLabel),
];
