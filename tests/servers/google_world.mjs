// The emulator with its accounts. All that a reset forgets is here.
import { randomBytes } from "node:crypto";
import { Hono, Store, WebhookDispatcher, authMiddleware } from "@emulators/core";
import { getGoogleStore, googlePlugin, seedFromConfig } from "@emulators/google";
import { failure, isOk, told } from "./google_forms.mjs";
import { decodeWords } from "./google_headers.mjs";

export const CLIENTS = [
  { client_id: "client.apps.googleusercontent.com", client_secret: "secret" },
  { client_id: "client-1.apps.example", client_secret: "s3cret-of-the-client" },
];

export class World {
  #app = new Hono();
  #store = new Store();
  #keys = new Map();
  #ids = BigInt(Date.now()) << 20n;
  // Longer than 64 bits, as Google's may be.
  #history = BigInt(Date.now()) * 100_000_000n;

  constructor(url) {
    this.url = url;
    this.tokens = new Map();
    this.expired = new Map(); // account -> the oldest history id that is still known
    // Not core's own server around it: that one stops answering a token after 5000 requests.
    this.#app.use("*", authMiddleware(this.tokens));
    googlePlugin.register(this.#app, this.#store, new WebhookDispatcher(), url, this.tokens);
    this.#app.notFound(() => new Response(failure(404, "notFound", "Not Found").text, { status: 404 }));
    this.store = getGoogleStore(this.#store);
    this.#likeGmail();
    seedFromConfig(this.#store, url, { oauth_clients: CLIENTS.map((each) => ({ ...each, name: "Email assistant", redirect_uris: [] })) });
  }

  get refreshTokens() {
    return this.#store.getData("google.oauth.refreshTokens") ?? new Map();
  }

  // A token for the account, which is made if there is none and may send as its aliases; without scopes it may do everything.
  account({ email, name, scopes = [], timezone = "UTC", aliases = [] }) {
    if (!this.#keys.has(email)) {
      const calendar = { id: email, user_email: email, summary: email, primary: true, time_zone: timezone };
      seedFromConfig(this.#store, this.url, { users: [{ email, name }], calendars: [calendar] });
      const sendAs = getGoogleStore(this.#store).sendAs;
      for (const each of aliases.length ? [email, ...aliases] : []) {
        sendAs.insert({ user_email: email, send_as_email: each, display_name: name, is_default: each === email, signature: "" });
      }
      this.#keys.set(email, this.#grant(email, [], true));
    }
    return this.#grant(email, scopes);
  }

  has(email) {
    return this.#keys.has(email);
  }

  // Whether the token is one that only this server uses.
  isOwn(token) {
    return this.tokens.get(token)?.own === true;
  }

  // Whose call it is; undefined for an unknown token.
  caller(call) {
    const token = /^Bearer\s+(.+)$/i.exec(call.headers.get("authorization") ?? "")?.[1].trim();
    return token && this.tokens.get(token);
  }

  nextHistoryId() {
    return String(++this.#history);
  }

  // The emulator's answer to a call of a client.
  async forward(call) {
    return this.#fetch(call.method, call.target, call.headers, call.text);
  }

  // The emulator's answer to a call of our own, in the name of the account.
  async ask(email, method, target, body) {
    const headers = new Headers({ authorization: `Bearer ${this.#keys.get(email)}`, "content-type": "application/json" });
    return this.#fetch(method, target, headers, body === undefined ? "" : JSON.stringify(body));
  }

  // Everything that a listing of the emulator's holds, over all its pages.
  async all(email, target, key) {
    const found = [];
    for (let token = ""; token !== undefined; ) {
      const answer = await this.ask(email, "GET", `${target}${target.includes("?") ? "&" : "?"}maxResults=500&pageToken=${token}`);
      if (!isOk(answer)) throw new Error(`the emulator refused ${target}: ${answer.text}`);
      const page = told(answer);
      found.push(...(page[key] ?? []));
      token = page.nextPageToken;
    }
    return found;
  }

  async #fetch(method, target, headers, text) {
    const init = { method, headers, redirect: "manual" };
    if (text && method !== "GET" && method !== "HEAD") init.body = text;
    const response = await this.#app.fetch(new Request(this.url + target, init));
    return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
  }

  #grant(email, scopes, own = false) {
    const token = `ya29.${randomBytes(24).toString("base64url")}`;
    this.tokens.set(token, { login: email, id: 1, scopes, own });
    return token;
  }

  // The emulator's ids are not of Gmail's form, and its history ids of one millisecond are in no order. Both are replaced where they
  // are stored; a conversation has the id of its first message.
  #likeGmail() {
    const { messages, history } = this.store;
    const [insert, update, record] = [messages.insert.bind(messages), messages.update.bind(messages), history.insert.bind(history)];
    let theirs, ours;
    // Within one step the emulator uses one history id, for the message and for what it records about it.
    const inOrder = (id) => {
      if (id !== theirs) [theirs, ours] = [id, this.nextHistoryId()];
      return ours;
    };
    messages.insert = (row) => {
      const gmail_id = (++this.#ids).toString(16);
      const thread_id = row.thread_id.startsWith("thr_") ? gmail_id : row.thread_id;
      const decoded = Object.fromEntries(["from", "to", "cc", "subject"].map((name) => [name, decodeWords(row[name])]));
      return insert({ ...row, ...decoded, gmail_id, thread_id, history_id: inOrder(row.history_id) });
    };
    messages.update = (id, change) => update(id, change.history_id ? { ...change, history_id: inOrder(change.history_id) } : change);
    history.insert = (row) => record({ ...row, gmail_id: inOrder(row.gmail_id) });
  }
}
