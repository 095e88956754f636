// Many calls in one request (multipart/mixed of application/http), as Google's API clients send them. Ours, not the emulator's.
import { failure, readCall } from "./google_forms.mjs";

const MOST = 100;
const BOUNDARY = "batch_of_answers";

export function isBatch(call) {
  return call.method === "POST" && /^\/batch(\/gmail\/v1|\/calendar\/v3)?$/.test(call.path);
}

// `answerTo` answers one call; null from it closes the connection, for all of them.
export async function batch(call, answerTo) {
  const boundary = /boundary="?([^";]+)"?/i.exec(call.headers.get("content-type") ?? "")?.[1];
  const parts = boundary ? split(call.text, boundary) : [];
  if (!parts.length) return failure(400, "badRequest", "Failed to parse batch request, error: no parts");
  if (parts.length > MOST) return failure(400, "badRequest", `The batch has more than ${MOST} calls.`);
  let body = "";
  for (const part of parts) {
    const inner = readPart(part, call.headers);
    const answer = inner ? await answerTo(inner) : failure(400, "badRequest", "Failed to parse the part");
    if (!answer) return null;
    body += written(answer, /^content-id:\s*<(.*)>\s*$/im.exec(head(part))?.[1] ?? "");
  }
  return { status: 200, headers: { "content-type": `multipart/mixed; boundary=${BOUNDARY}` }, text: `${body}--${BOUNDARY}--\r\n` };
}

function split(text, boundary) {
  const pieces = `\n${text.replaceAll("\r\n", "\n")}`.split(`\n--${boundary}`);
  const closed = pieces.findIndex((piece) => piece.startsWith("--"));
  return pieces.slice(1, closed < 0 ? undefined : closed).map((piece) => piece.replace(/^[ \t]*\n/, ""));
}

const head = (text) => text.split("\n\n", 1)[0];
const rest = (text) => text.slice(head(text).length + 2);

function readPart(part, outer) {
  const request = rest(part).replace(/^\n+/, "");
  const [line, ...lines] = head(request).split("\n");
  const [method, target] = line.split(" ");
  if (!/^(GET|POST|PUT|PATCH|DELETE)$/.test(method) || !target?.startsWith("/")) return null;
  const headers = new Headers({ authorization: outer.get("authorization") ?? "" });
  for (const each of lines) {
    const [, name, value] = /^(authorization|content-type):\s*(.*)$/i.exec(each) ?? [];
    if (name) headers.set(name, value);
  }
  const call = readCall(method, target, headers, rest(request).trim(), true);
  return call && !isBatch(call) && !call.path.startsWith("/__ctl/") ? call : null;
}

function written({ status, headers, text }, id) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const response = [`HTTP/1.1 ${status} Answer`, ...lines, `content-length: ${Buffer.byteLength(text)}`, "", text].join("\r\n");
  return `--${BOUNDARY}\r\nContent-Type: application/http\r\nContent-ID: <response-${id}>\r\n\r\n${response}\r\n`;
}
