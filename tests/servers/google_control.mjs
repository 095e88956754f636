// What a test sets up and asks: POST /__ctl/NAME with JSON. Ours, not Google's.
import { addCalendar, addEvent, recordedEvents } from "./google_calendar.mjs";
import { failure, isOk, json, told } from "./google_forms.mjs";
import { expireHistory } from "./google_gmail.mjs";
import { revoke } from "./google_oauth.mjs";

const GMAIL = "/gmail/v1/users/me";
const SYSTEM = /^(INBOX|SENT|UNREAD|STARRED|IMPORTANT|TRASH|SPAM|DRAFT|CATEGORY_[A-Z]+)$/;

export const isControl = (call) => call.path.startsWith("/__ctl/");

export async function control(state, call, newWorld) {
  const name = call.path.slice("/__ctl/".length);
  const given = call.json ?? {};
  const { world } = state;
  if (call.method !== "POST" || !Object.hasOwn(CONTROLS, name)) return failure(404, "notFound", "there is no such control");
  if (given.email !== undefined && name !== "account" && !world.has(given.email)) {
    return failure(404, "notFound", `there is no account ${given.email}: make it with account()`);
  }
  return json((await CONTROLS[name](state, given, newWorld)) ?? {});
}

const CONTROLS = {
  account: ({ world }, given) => ({ token: world.account(given) }),
  deliver: async ({ world }, { email, messages }) => ({ ids: await deliver(world, email, messages) }),
  drafts: ({ world }, { email }) => drafts(world, email),
  calendar: ({ world }, given) => addCalendar(world, given),
  event: ({ world }, { email, calendar, event }) => addEvent(world, email, calendar, event),
  events: ({ world }, { email }) => recordedEvents(world, email),
  expireHistory: ({ world }, { email }) => expireHistory(world, email),
  expire: ({ world }, { token }) => ({ known: world.tokens.delete(token) }),
  revoke: ({ world }, { token }) => ({ known: revoke(world, token) }),
  faults: (state, { faults }) => {
    state.faults = faults.map((fault) => ({ ...fault, pattern: new RegExp(fault.match), left: fault.times ?? Infinity }));
  },
  requests: ({ journal }) => journal.entries,
  counts: ({ journal }) => journal.counts,
  forget: ({ journal }) => journal.forget(),
  reset: (_, __, newWorld) => newWorld(),
};

async function deliver(world, email, messages) {
  const ids = [];
  for (const { raw, labels, received } of messages) {
    const body = { raw, labelIds: await labelIds(world, email, labels) };
    if (received) body.internalDate = received;
    ids.push(told(await checked(world.ask(email, "POST", `${GMAIL}/messages`, body))).id);
  }
  return ids;
}

// Ids of the labels; those that are neither Gmail's nor there yet are made.
async function labelIds(world, email, names) {
  const ids = [];
  for (const name of names) {
    const known = world.store.labels.findBy("user_email", email).find((label) => label.name === name || label.gmail_id === name);
    ids.push(SYSTEM.test(name) ? name : (known?.gmail_id ?? told(await checked(world.ask(email, "POST", `${GMAIL}/labels`, { name }))).id));
  }
  return ids;
}

async function drafts(world, email) {
  return (await world.all(email, `${GMAIL}/drafts`, "drafts")).map((draft) => draft.message.threadId);
}

async function checked(asked) {
  const answer = await asked;
  if (!isOk(answer)) throw new Error(`the emulator refused: ${answer.text}`);
  return answer;
}
