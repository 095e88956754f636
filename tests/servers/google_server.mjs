// A stand-in for Google on the loopback: node google_server.mjs [port]. Its first line is {"url": …}; it ends with its standard input.
//
// Behind it is the published emulator @emulators/google, unmodified. What follows is OURS, not the emulator's, and a test that leans
// on it is no independent evidence about Google:
//   /batch, /batch/gmail/v1, /batch/calendar/v3                                                     google_batch.mjs
//   gmail: users.getProfile; ids of 16 hex digits and 400 for other ids; history ids that only grow, and that expire; searches with
//     "-", OR, {}, (), cc: and quoted values; drafts.list?q=; format=metadata with every header; drafts.update and drafts.send with
//     new message ids; 404 for a threadId that is gone; 409 for a label's name that is taken            google_gmail.mjs, google_search.mjs
//   calendar: all of events but how plain events are found by time and text; freeBusy; settings         google_calendar.mjs
//   oauth: any loopback port as redirect; revoking a whole grant; scopes and the form of 401 and 403    google_oauth.mjs
//   /__ctl/…: what a test sets up and asks, faults and the journal of requests                         google_control.mjs
// The emulator's own: the rest of Gmail (messages, threads, labels, drafts, history, sendAs, watch), the list of calendars, the pages
// and tokens of the sign-in with PKCE.
import http from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { batch, isBatch } from "./google_batch.mjs";
import { calendarRoutes } from "./google_calendar.mjs";
import { control, isControl } from "./google_control.mjs";
import { failure, readCall } from "./google_forms.mjs";
import { gmailRoutes } from "./google_gmail.mjs";
import { Journal } from "./google_journal.mjs";
import { oauthRoutes, refusedAccess } from "./google_oauth.mjs";
import { World } from "./google_world.mjs";

const ROUTES = [...oauthRoutes, ...gmailRoutes, ...calendarRoutes];
const state = { world: null, faults: [], journal: new Journal() };

// One call at a time: an answer may take several steps at the emulator, and no other call may see it half done.
let queue = Promise.resolve();
function exclusive(work) {
  const done = queue.then(work);
  queue = done.catch(() => {});
  return done;
}

async function perform(call) {
  const refused = refusedAccess(state.world, call);
  if (refused) return refused;
  for (const [method, pattern, handle] of ROUTES) {
    const found = method === call.method && pattern.exec(call.path);
    const answer = found && (await handle(state.world, call, ...found.slice(1)));
    if (answer) return answer;
  }
  return state.world.forward(call);
}

function takeFault(key) {
  const fault = state.faults.find((each) => each.left > 0 && each.pattern.test(key));
  if (fault) fault.left -= 1;
  return fault;
}

// The answer to one call, which came alone or in a batch; null closes the connection.
async function answerTo(call) {
  const key = `${call.method} ${call.path}`;
  const fault = takeFault(key);
  if (fault?.delayMs) await pause(fault.delayMs);
  const performed = fault && !fault.after && (fault.drop || fault.status) ? null : await exclusive(() => perform(call));
  const answer = fault?.drop ? null : fault?.status ? faulty(fault) : performed;
  state.journal.note({ key, query: call.search, status: answer?.status ?? 0, body: call.json ?? null, batched: call.batched });
  return answer;
}

function faulty({ status, reason = "backendError", message = "As the test wished.", headers = {}, body }) {
  const plain = failure(status, reason, message);
  const text = body === undefined ? plain.text : typeof body === "string" ? body : JSON.stringify(body);
  return { status, headers: { ...plain.headers, ...headers }, text };
}

async function answerToAll(call) {
  const fault = takeFault(`POST ${call.path}`);
  if (fault?.delayMs) await pause(fault.delayMs);
  const spared = !fault || fault.after || !(fault.drop || fault.status);
  const performed = spared ? await batch(call, answerTo) : null;
  const answer = fault?.drop ? null : fault?.status ? faulty(fault) : performed;
  state.journal.note({ key: `POST ${call.path}`, query: call.search, status: answer?.status ?? 0, body: null, batched: false });
  return answer;
}

async function serve(req, res) {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  const call = readCall(req.method, req.url, new Headers(req.headers), Buffer.concat(chunks).toString("utf8"));
  if (!call) return send(res, failure(400, "badRequest", "Bad Request"), req.method);
  if (isControl(call)) return send(res, await exclusive(() => control(state, call, newWorld)), req.method);
  const answer = await (isBatch(call) ? answerToAll(call) : answerTo(call));
  if (!answer) return req.socket.destroy();
  send(res, answer, req.method);
}

function send(res, { status, headers, text }, method) {
  res.writeHead(status, { ...headers, "content-length": Buffer.byteLength(text) });
  res.end(method === "HEAD" ? undefined : text);
}

const server = http.createServer((req, res) => {
  serve(req, res).catch((error) => {
    if (res.headersSent || res.destroyed) return res.destroy();
    send(res, failure(500, "backendError", String(error?.stack ?? error)), req.method);
  });
});
// Idle connections are kept: a client that takes one up again just when it is closed would meet a fault that no test has set.
server.keepAliveTimeout = 0;
server.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () => {
  newWorld();
  console.log(JSON.stringify({ url: address() }));
});

function address() {
  return `http://127.0.0.1:${server.address().port}`;
}

function newWorld() {
  state.world = new World(address());
  state.faults = [];
  state.journal.forget();
}

for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => process.exit(0));
// The test that started this holds its standard input open: when the test is gone, so is the server.
process.stdin.resume().on("end", () => process.exit(0));
