// A model server on the loopback: node model_server.mjs [port]. It prints {"url": …} as one JSON line when it listens.
//
// aimock speaks the OpenAI protocol behind it; what is ours is the script that a test sets over HTTP:
//   POST   /__ctl/script    a list of answers; each request takes the first one that fits it
//   DELETE /__ctl/script    forget answers and requests
//   GET    /__ctl/requests  what was received, in order: [{method, path, headers, body}]
//
// An answer is one of
//   {"content": "text"}                            an assistant message
//   {"toolCalls": [{"name", "arguments", "id"?}]}  `arguments` is an object, or a string that is sent as it is
//   {"status": 503, "headers": {…}, "body": …}     a raw HTTP response, not by aimock; a string is sent as it is
//   {"hangUp": true}                               the connection is cut
// and may have "onlyBy": "json_schema" or "prompt" (whoever asks in no such form gets text, as servers give that know no
// tools, and the answer is not used up), "when" (a text that the request's JSON must contain), "repeat": true (it is not used up),
// "delayMs" (wait before answering) and aimock's overrides ("usage", "model", "finishReason").
import http from "node:http";
import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { LLMock } from "@copilotkit/aimock";

let script = [];
let requests = [];
let serial = 0;
const chosen = new Map();

const mock = new LLMock({ port: 0, host: "127.0.0.1", strict: true, logLevel: "silent" });
mock.addFixture({ match: { predicate: (request) => chosen.has(request.user) }, response: (request) => chosen.get(request.user) });
const upstream = await mock.start();

function take(text) {
  const at = script.findIndex((answer) => !answer.when || text.includes(answer.when));
  const hasSchema = text.includes('"response_format"');
  const asked = { json_schema: hasSchema, prompt: !hasSchema && text.includes("Its JSON Schema is") }[script[at]?.onlyBy] ?? true;
  if (!asked) return { content: "Certainly! Let me think about it." };
  if (at < 0) return { status: 400, body: { error: { message: "the script has no answer for this request" } } };
  return script[at].repeat ? script[at] : script.splice(at, 1)[0];
}

function send(res, status, value, headers = {}) {
  res.writeHead(status, { "content-type": "application/json", ...headers });
  res.end(typeof value === "string" ? value : JSON.stringify(value));
}

function control(req, res, text) {
  if (req.url === "/__ctl/script" && req.method === "POST") script = JSON.parse(text);
  else if (req.url === "/__ctl/script" && req.method === "DELETE") [script, requests] = [[], []];
  else if (req.url === "/__ctl/requests" && req.method === "GET") return send(res, 200, requests);
  else return send(res, 404, { error: "there is no such control" });
  send(res, 200, { answers: script.length });
}

// The answer chosen for a request travels to aimock in the request's `user` field.
async function byAimock(req, res, body, response) {
  const user = `answer-${++serial}`;
  chosen.set(user, response);
  const answer = await fetch(upstream + req.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...body, user }),
  });
  chosen.delete(user);
  res.writeHead(answer.status, { "content-type": answer.headers.get("content-type") });
  Readable.fromWeb(answer.body).pipe(res);
}

async function serve(req, res) {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  if (req.url.startsWith("/__ctl/")) return control(req, res, text);
  const body = text ? JSON.parse(text) : null;
  requests.push({ method: req.method, path: req.url, headers: req.headers, body });
  const { when, repeat, delayMs, status, headers, hangUp, onlyBy, body: raw, ...response } = take(JSON.stringify(body));
  if (delayMs) await pause(delayMs);
  if (hangUp) return req.socket.destroy();
  if (status) return send(res, status, raw ?? { error: { message: "scripted" } }, headers);
  await byAimock(req, res, body, response);
}

const server = http.createServer((req, res) => {
  serve(req, res).catch((error) => (res.headersSent ? res.destroy() : send(res, 500, { error: { message: String(error) } })));
});
server.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` }));
});
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => process.exit(0));
// The test that started this holds its standard input open: when the test is gone, so is the server.
process.stdin.resume().on("end", () => process.exit(0));
