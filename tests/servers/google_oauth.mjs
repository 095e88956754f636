// Who may do what, and what the emulator's sign-in lacks. Ours, not the emulator's.
import { failure, json } from "./google_forms.mjs";

const SCOPE = "https://www.googleapis.com/auth/";
const LOOPBACK = new Set(["127.0.0.1", "[::1]", "localhost"]);

// The refusal of a call whose token is unknown or lacks the scope; undefined for one that is allowed.
export function refusedAccess(world, call) {
  const api = /^(?:\/upload)?\/(gmail|calendar)\//.exec(call.path)?.[1];
  if (!api) return undefined;
  const caller = world.caller(call);
  if (!caller) return failure(401, "authError", "Request had invalid authentication credentials.");
  if (!caller.scopes.length || caller.scopes.some((scope) => allows(scope, api, call))) return undefined;
  const reason = "ACCESS_TOKEN_SCOPE_INSUFFICIENT";
  const details = [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: "googleapis.com" }];
  return failure(403, "insufficientPermissions", "Request had insufficient authentication scopes.", { details });
}

function allows(scope, api, { method, path }) {
  if (api === "gmail") return scope === `${SCOPE}gmail.modify` || scope === "https://mail.google.com/";
  if (scope === `${SCOPE}calendar`) return true;
  if (scope === `${SCOPE}calendar.readonly`) return method === "GET" || path.endsWith("/freeBusy");
  return scope === `${SCOPE}calendar.events` && /\/events(\/|$)/.test(path);
}

// A client of type Desktop may be answered at any port of this machine (RFC 8252 §7.3); the emulator wants the exact address.
function allowLoopback(world, { query }) {
  const client = world.store.oauthClients.findOneBy("client_id", query.get("client_id") ?? "");
  let redirect;
  try {
    redirect = new URL(query.get("redirect_uri") ?? "");
  } catch {
    return undefined;
  }
  const here = redirect.protocol === "http:" && LOOPBACK.has(redirect.hostname);
  if (client && here) world.store.oauthClients.update(client.id, { redirect_uris: [redirect.origin + redirect.pathname] });
  return undefined; // The page is the emulator's.
}

// Taking back one token takes back all that the account has given (which the emulator does not do); true when it was known.
export function revoke(world, token) {
  const email = world.tokens.get(token)?.login ?? world.refreshTokens.get(token)?.email;
  if (!email) return false;
  for (const [each, { login }] of world.tokens) if (login === email && !world.isOwn(each)) world.tokens.delete(each);
  for (const [each, { email: owner }] of world.refreshTokens) if (owner === email) world.refreshTokens.delete(each);
  return true;
}

function revokeRoute(world, call) {
  const token = call.query.get("token") ?? call.json?.token ?? new URLSearchParams(call.text).get("token") ?? "";
  return revoke(world, token) ? json({}) : json({ error: "invalid_token", error_description: "Token expired or revoked" }, 400);
}

const noCertificates = () => json({});

export const oauthRoutes = [
  ["GET", /^\/o\/oauth2\/v2\/auth$/, allowLoopback],
  ["POST", /^\/(?:oauth2\/)?revoke$/, revokeRoute],
  ["GET", /^\/oauth2\/v1\/certs$/, noCertificates],
  ["HEAD", /^\/oauth2\/v1\/certs$/, noCertificates],
];
