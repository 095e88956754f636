// What was asked of the server, in order; the oldest entries go first when there are too many.
const MOST = 200_000;
const LARGEST_BODY = 256 * 1024;
const ID = /\/(messages|threads|drafts|labels|calendars|events)\/(?!send$|import$|batchModify$|batchDelete$)[^/]+/g;

export class Journal {
  #entries = [];
  #counts = new Map();

  note(entry) {
    const large = entry.body !== null && JSON.stringify(entry.body).length > LARGEST_BODY;
    this.#entries.push(large ? { ...entry, body: null } : entry);
    // Cut seldom, since cutting copies the rest.
    if (this.#entries.length > MOST * 1.1) this.#entries.splice(0, this.#entries.length - MOST);
    const route = entry.key.replace(ID, "/$1/{id}");
    this.#counts.set(route, (this.#counts.get(route) ?? 0) + 1);
  }

  forget() {
    this.#entries = [];
    this.#counts.clear();
  }

  get entries() {
    return this.#entries.slice(-MOST);
  }

  // How often each route was asked, ids taken out; counted since `forget`, whatever has been dropped meanwhile.
  get counts() {
    return Object.fromEntries(this.#counts);
  }
}
