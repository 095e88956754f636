// Google Calendar's events, free/busy and settings. Of the emulator are the list of calendars, the checks on a new event, and how events
// that do not recur are found by time and text (its days are days in UTC). All else is ours. An event's row at the emulator holds, beside
// its own columns, `resource` (the event as Google tells it) and `sent` (how it was asked for).
import { randomBytes } from "node:crypto";
import { failure, isOk, json, noContent, notFound, told } from "./google_forms.mjs";
import { page } from "./google_gmail.mjs";
import { edge, isZone, readRule, startsOf, written } from "./google_times.mjs";

const PAGE = 250; // Google gives no more either when a client asks for few; small pages let tests meet the second one.
const WRITERS = new Set(["owner", "writer"]);
const EVENT_ID = /^[a-v0-9]{5,1024}$/;
const COPIED = ["summary", "description", "location", "transparency", "visibility", "eventType", "recurrence", "colorId", "extendedProperties"];
const GIVEN = new Set([...COPIED, "start", "end", "attendees"]); // What a PUT that does not name it takes away.

const calendarsOf = (world, email) => world.store.calendars.findBy("user_email", email);
const rowsOf = (world, email, calendar) =>
  world.store.calendarEvents.findBy("user_email", email).filter((row) => row.calendar_google_id === calendar.google_id && row.resource);
const rowOf = (world, email, calendar, id) => rowsOf(world, email, calendar).find((row) => row.google_id === id);
const calendarOf = (world, email, id) => calendarsOf(world, email).find((each) => (id === "primary" ? each.primary : each.google_id === id));
const address = (calendar) => `/calendar/v3/calendars/${encodeURIComponent(calendar.google_id)}/events`;

// A handler that is given the account and its calendar.
const within = (handle, writing) => (world, call, id, ...rest) => {
  const email = world.caller(call).login;
  const calendar = calendarOf(world, email, id);
  if (!calendar) return notFound();
  const role = calendar.access_role;
  if (role === "freeBusyReader" || (writing && !WRITERS.has(role))) {
    return failure(403, "requiredAccessLevel", `You need to have ${writing ? "writer" : "reader"} access to this calendar.`);
  }
  return handle(world, call, email, calendar, ...rest);
};
const route = (method, rest, handle, writing = method !== "GET") => [method, new RegExp(`^/calendar/v3/calendars/([^/]+)/events${rest}$`), within(handle, writing)];

export function addCalendar(world, { email, id, summary = id, role = "owner", selected = true, timezone = "UTC" }) {
  const row = { google_id: id, user_email: email, summary, description: null, time_zone: timezone, primary: false, selected };
  world.store.calendars.insert({ ...row, access_role: role, background_color: null, foreground_color: null });
}

// Put an event into a calendar, whatever the account may do there.
export async function addEvent(world, email, calendarId, event) {
  const calendar = calendarOf(world, email, calendarId);
  const answer = calendar ? await store(world, email, calendar, event, { body: event }) : notFound();
  if (!isOk(answer)) throw new Error(answer.text);
  return told(answer);
}

export function recordedEvents(world, email) {
  const rows = world.store.calendarEvents.findBy("user_email", email).filter((row) => row.resource);
  return rows.map(({ calendar_google_id, resource, sent }) => ({ ...resource, calendar: calendar_google_id, ...sent }));
}

function insert(world, call, email, calendar) {
  return store(world, email, calendar, call.json ?? {}, sentWith(call));
}

// A copy of somebody's event, under the UID that it has everywhere; the same UID again changes the copy.
function importEvent(world, call, email, calendar) {
  const body = call.json ?? {};
  if (!body.iCalUID) return failure(400, "required", "Missing iCalUID.");
  const there = rowsOf(world, email, calendar).find((row) => row.resource.iCalUID === body.iCalUID && !row.resource.recurringEventId);
  if (there && !body.originalStartTime) return change(world, { ...call, method: "PATCH" }, email, calendar, there.google_id);
  return store(world, email, calendar, body, sentWith(call));
}

const sentWith = ({ query, json }) => ({
  sendUpdates: query.get("sendUpdates"),
  conferenceRequested: query.get("conferenceDataVersion") === "1" ? (json?.conferenceData?.createRequest ?? null) : null,
  body: json ?? null,
});

async function store(world, email, calendar, body, sent) {
  const id = body.id ?? BigInt(`0x${randomBytes(16).toString("hex")}`).toString(32);
  if (!EVENT_ID.test(id)) return failure(400, "invalid", "Invalid resource id value.");
  if (rowOf(world, email, calendar, id)) return failure(409, "duplicate", "The requested identifier already exists.");
  const problem = wrongTimes(body, calendar) ?? wrongRule(body);
  if (problem) return problem;
  const { id: _, recurrence, ...plain } = body;
  const made = await world.ask(email, "POST", address(calendar), plain);
  if (!isOk(made)) return made;
  const row = world.store.calendarEvents.findOneBy("google_id", told(made).id);
  const resource = resourceOf(email, calendar, id, { ...told(made), summary: body.summary }, body, sent);
  world.store.calendarEvents.update(row.id, { google_id: id, resource, sent, ...columns(resource) });
  return json(resource);
}

function wrongTimes({ start, end }, calendar) {
  for (const [name, when] of Object.entries({ start, end })) {
    if (!when) return failure(400, "required", `Missing ${name} time.`);
    if (Number.isNaN(edge(when, calendar.time_zone))) return failure(400, "invalid", `Invalid or missing time, or time zone, for ${name} time.`);
  }
  if (Boolean(start.date) !== Boolean(end.date)) return failure(400, "invalid", "Start and end times must either both be date or both be dateTime.");
  const empty = edge(end, calendar.time_zone) < edge(start, calendar.time_zone) || (start.date && start.date >= end.date);
  return empty ? failure(400, "timeRangeEmpty", "The specified time range is empty.") : undefined;
}

function wrongRule({ recurrence, start }) {
  if (!recurrence?.length) return undefined;
  if (!readRule(recurrence)) return failure(400, "invalid", "the stand-in does not know this recurrence rule");
  return start.date || isZone(start.timeZone) ? undefined : failure(400, "required", "Missing time zone definition for start time.");
}

function resourceOf(email, calendar, id, made, body, sent) {
  const { creator = { email, self: true }, iCalUID = `${id}@google.com`, sequence = 0, status = made.status, originalStartTime } = body;
  const organizer = body.organizer ? { ...body.organizer, ...(body.organizer.email === email ? { self: true } : {}) } : { email: calendar.google_id, self: true };
  const copied = Object.fromEntries(COPIED.filter((name) => name in body).map((name) => [name, body[name]]));
  return { ...made, ...copied, etag: etag(), id, iCalUID, organizer, creator, sequence, status, originalStartTime, eventType: body.eventType ?? "default",
    start: when(body.start, calendar), end: when(body.end, calendar), attendees: guests(body, email), ...conference(id, sent) };
}

const etag = () => `"${randomBytes(8).toString("hex")}"`;

function when({ date, dateTime, timeZone }, calendar) {
  if (date) return { date };
  return { dateTime: written(edge({ dateTime, timeZone }, calendar.time_zone), calendar.time_zone), timeZone: timeZone ?? calendar.time_zone };
}

function guests({ attendees }, email) {
  if (!attendees?.length) return undefined;
  return attendees.map((guest) => ({ responseStatus: "needsAction", ...guest, ...(guest.email === email ? { self: true } : {}) }));
}

function conference(id, { conferenceRequested }) {
  if (!conferenceRequested) return {};
  const uri = `https://meet.google.com/${id.slice(0, 3)}-${id.slice(-4)}-${id.slice(1, 4)}`;
  const createRequest = { ...conferenceRequested, status: { statusCode: "success" } };
  return { hangoutLink: uri, conferenceData: { createRequest, entryPoints: [{ entryPointType: "video", uri }], conferenceId: uri.slice(24) } };
}

// What the emulator's listing goes by. It must not show a series, whose occurrences are ours to tell.
function columns({ status, summary, description, location, start, end, recurrence }) {
  return {
    status: recurrence?.length ? "cancelled" : status,
    summary: summary ?? "",
    description: description ?? null,
    location: location ?? null,
    start_date_time: start.dateTime ?? null,
    start_date: start.date ?? null,
    end_date_time: end.dateTime ?? null,
    end_date: end.date ?? null,
  };
}

function get(world, call, email, calendar, id) {
  const row = rowOf(world, email, calendar, id);
  const found = row?.resource ?? occurrences(world, email, calendar, Infinity).find((each) => each.id === id);
  return found ? json(found) : notFound();
}

async function change(world, call, email, calendar, id) {
  const row = rowOf(world, email, calendar, id) ?? (await exception(world, email, calendar, id));
  if (!row) return notFound();
  const { attendeesOmitted, ...body } = call.json ?? {};
  if (body.sequence < row.resource.sequence) return failure(400, "invalid", "Invalid sequence value. The specified sequence number is below the current sequence number of the resource.");
  if (attendeesOmitted) body.attendees = answered(row.resource, body.attendees ?? []);
  const moved = ["start", "end", "recurrence"].some((name) => name in body);
  const kept = Object.entries(row.resource).filter(([name]) => call.method === "PATCH" || !GIVEN.has(name));
  const merged = { ...Object.fromEntries(kept), ...body, id, iCalUID: row.resource.iCalUID };
  const problem = wrongTimes(merged, calendar) ?? wrongRule(merged);
  if (problem) return problem;
  const sent = sentWith(call);
  const resource = { ...merged, etag: etag(), updated: new Date().toISOString(), sequence: body.sequence ?? row.resource.sequence + (moved ? 1 : 0),
    start: when(merged.start, calendar), end: when(merged.end, calendar), attendees: guests(merged, email), ...conference(id, sent) };
  world.store.calendarEvents.update(row.id, { resource, sent, ...columns(resource) });
  return json(resource);
}

const answered = ({ attendees = [] }, own) =>
  attendees.map((guest) => ({ ...guest, ...own.find((each) => each.email === guest.email) }));

// An occurrence of a series as an event of its own, from the first time that something is changed of it.
async function exception(world, email, calendar, id) {
  const found = occurrences(world, email, calendar, Infinity).find((each) => each.id === id);
  if (!found) return undefined;
  const made = await world.ask(email, "POST", address(calendar), { summary: found.summary, start: found.start, end: found.end });
  const row = isOk(made) && world.store.calendarEvents.findOneBy("google_id", told(made).id);
  if (!row) return undefined;
  world.store.calendarEvents.update(row.id, { google_id: id, resource: found, sent: {}, ...columns(found) });
  return rowOf(world, email, calendar, id);
}

// Google keeps what was deleted, so that its id stays taken.
async function remove(world, call, email, calendar, id) {
  const row = rowOf(world, email, calendar, id) ?? (await exception(world, email, calendar, id));
  if (!row) return notFound();
  if (row.resource.status === "cancelled") return failure(410, "deleted", "Resource has been deleted");
  for (const each of rowsOf(world, email, calendar).filter(({ resource: r }) => r.id === id || r.recurringEventId === id)) {
    const resource = { ...each.resource, status: "cancelled", updated: new Date().toISOString() };
    world.store.calendarEvents.update(each.id, { resource, sent: sentWith(call), ...columns(resource) });
  }
  return noContent();
}

async function list(world, call, email, calendar) {
  const { query } = call;
  const range = ["timeMin", "timeMax"].map((name) => Date.parse(query.get(name) ?? ""));
  const unclear = ["timeMin", "timeMax"].some((name) => query.get(name) && !/T.*(Z|[+-]\d\d:\d\d)$/.test(query.get(name)));
  if (unclear || (query.get("orderBy") === "startTime" && query.get("singleEvents") !== "true")) return failure(400, "badRequest", "Bad Request");
  const plain = await plainEvents(world, email, calendar, query);
  const series = query.get("singleEvents") === "true" ? occurrences(world, email, calendar, range[1]) : masters(world, email, calendar);
  const needle = (query.get("q") ?? "").toLowerCase();
  const starting = (event) => edge(event.start, calendar.time_zone);
  const items = [...plain, ...series.filter((each) => overlaps(each, range, calendar) && JSON.stringify(each).toLowerCase().includes(needle))];
  const uid = query.get("iCalUID");
  const found = items.filter((each) => !uid || each.iCalUID === uid).sort((a, b) => starting(a) - starting(b));
  const answer = told(page(call, "items", found, PAGE, PAGE));
  const { summary, time_zone: timeZone, access_role: accessRole } = calendar;
  return json({ kind: "calendar#events", summary, timeZone, accessRole, ...answer, resultSizeEstimate: undefined });
}

async function plainEvents(world, email, calendar, query) {
  const asked = new URLSearchParams([...query].filter(([name]) => ["timeMin", "timeMax", "q"].includes(name)));
  const rows = await world.all(email, `${address(calendar)}?${asked}`, "items");
  const events = rows.map((row) => rowOf(world, email, calendar, row.id)?.resource ?? row);
  const gone = query.get("showDeleted") === "true" ? rowsOf(world, email, calendar).filter((row) => row.resource.status === "cancelled") : [];
  return [...events, ...gone.map((row) => row.resource)];
}

function instances(world, call, email, calendar, id) {
  const master = rowOf(world, email, calendar, id)?.resource;
  if (!master?.recurrence?.length) return notFound();
  const range = ["timeMin", "timeMax"].map((name) => Date.parse(call.query.get(name) ?? ""));
  const own = rowsOf(world, email, calendar).map((row) => row.resource).filter((each) => each.status !== "cancelled" || call.query.get("showDeleted") === "true");
  const items = [...occurrences(world, email, calendar, range[1]), ...own]
    .filter((each) => each.recurringEventId === id && overlaps(each, range, calendar));
  return json({ kind: "calendar#events", ...told(page(call, "items", items, PAGE, PAGE)), resultSizeEstimate: undefined });
}

const seriesOf = (world, email, calendar) =>
  rowsOf(world, email, calendar).map((row) => row.resource).filter((each) => each.recurrence?.length && each.status !== "cancelled");
const masters = seriesOf;

function overlaps({ start, end }, [min, max], calendar) {
  const [from, to] = [edge(start, calendar.time_zone), edge(end, calendar.time_zone)];
  return !(to <= min) && !(from >= max);
}

// The single occurrences of every series that begin before `last`.
function occurrences(world, email, calendar, last) {
  const own = new Set(rowsOf(world, email, calendar).map((row) => row.google_id));
  return seriesOf(world, email, calendar).flatMap((master) => {
    const zone = master.start.timeZone ?? calendar.time_zone;
    const first = edge(master.start, zone);
    const length = edge(master.end, zone) - first;
    const starts = startsOf(readRule(master.recurrence), first, zone, Number.isNaN(last) ? Infinity : last);
    return starts.map((start) => occurrence(master, start, start + length, zone, calendar)).filter((each) => !own.has(each.id));
  });
}

function occurrence({ recurrence, ...master }, start, end, zone, calendar) {
  const at = (instant) => master.start.date
    ? { date: written(Math.round(instant), zone).slice(0, 10) }
    : { dateTime: written(instant, calendar.time_zone), timeZone: zone };
  const stamp = (master.start.date ? written(start, zone).slice(0, 10) : new Date(start).toISOString().slice(0, 19)).replace(/[-:]/g, "");
  const id = `${master.id}_${stamp}${master.start.date ? "" : "Z"}`;
  return { ...master, id, recurringEventId: master.id, originalStartTime: at(start), start: at(start), end: at(end) };
}

async function freeBusy(world, call) {
  const email = world.caller(call).login;
  const { timeMin, timeMax, items = [] } = call.json ?? {};
  if (!timeMin || !timeMax) return failure(400, "required", "timeMin and timeMax are required.");
  const calendars = {};
  for (const { id } of items) {
    const calendar = calendarOf(world, email, id);
    calendars[id] = calendar ? { busy: await busyTimes(world, email, calendar, timeMin, timeMax) } : { errors: [{ domain: "global", reason: "notFound" }], busy: [] };
  }
  return json({ kind: "calendar#freeBusy", timeMin, timeMax, calendars });
}

async function busyTimes(world, email, calendar, timeMin, timeMax) {
  const plain = await plainEvents(world, email, calendar, new URLSearchParams({ timeMin, timeMax }));
  const range = [Date.parse(timeMin), Date.parse(timeMax)];
  const series = occurrences(world, email, calendar, range[1]).filter((each) => overlaps(each, range, calendar));
  const busy = [...plain, ...series].filter((each) => each.transparency !== "transparent");
  const times = busy.map(({ start, end }) => [edge(start, calendar.time_zone), edge(end, calendar.time_zone)]).sort((a, b) => a[0] - b[0]);
  const merged = [];
  for (const [start, end] of times) {
    if (merged.length && start <= merged.at(-1)[1]) merged.at(-1)[1] = Math.max(merged.at(-1)[1], end);
    else merged.push([start, end]);
  }
  return merged.map(([start, end]) => ({ start: written(Math.max(start, range[0]), "UTC"), end: written(Math.min(end, range[1]), "UTC") }));
}

function timezone(world, call) {
  const { time_zone: value } = calendarOf(world, world.caller(call).login, "primary");
  return json({ kind: "calendar#setting", etag: etag(), id: "timezone", value });
}

export const calendarRoutes = [
  route("GET", "", list),
  route("POST", "", insert),
  route("POST", "/import", importEvent),
  route("GET", "/([^/]+)/instances", instances),
  route("GET", "/([^/]+)", get),
  route("PATCH", "/([^/]+)", change),
  route("PUT", "/([^/]+)", change),
  route("DELETE", "/([^/]+)", remove),
  ["POST", /^\/calendar\/v3\/freeBusy$/, freeBusy],
  ["GET", /^\/calendar\/v3\/users\/me\/settings\/timezone$/, timezone],
];
