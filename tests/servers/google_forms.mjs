// Calls and answers. An answer is {status, headers, text}; errors have the form of Google's APIs.
const STATUS = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ALREADY_EXISTS",
  410: "FAILED_PRECONDITION",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};
const OF_USAGE = new Set(["rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded", "dailyLimitExceeded"]);

export function json(value, status = 200) {
  return { status, headers: { "content-type": "application/json; charset=UTF-8" }, text: JSON.stringify(value) };
}

export function failure(code, reason, message, more = {}) {
  const domain = OF_USAGE.has(reason) ? "usageLimits" : "global";
  const status = STATUS[code] ?? (code >= 500 ? "INTERNAL" : "FAILED_PRECONDITION");
  return json({ error: { code, message, errors: [{ message, domain, reason }], status, ...more } }, code);
}

export const notFound = () => failure(404, "notFound", "Requested entity was not found.");
export const noContent = () => ({ status: 204, headers: {}, text: "" });
export const isOk = (answer) => answer.status < 300;
export const told = (answer) => JSON.parse(answer.text);

// A call in the form that every module takes; null for an address that cannot be read.
export function readCall(method, target, headers, text, batched = false) {
  let url, path;
  try {
    url = new URL(target, "http://127.0.0.1");
    path = decodeURIComponent(url.pathname);
  } catch {
    return null;
  }
  let parsed;
  try {
    parsed = text ? JSON.parse(text) : undefined;
  } catch {
    parsed = undefined;
  }
  return { method, target: url.pathname + url.search, path, search: url.search, query: url.searchParams, headers, text, json: parsed, batched };
}
