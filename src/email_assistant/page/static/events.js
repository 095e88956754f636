// What happens elsewhere: told by the server, and asked for every ten seconds.
import { check, heard } from "./hold.js";
import { $, get, parsed, refresh } from "./list.js";

let asked;
/** Read the list anew, once for many events. */
const soon = () => { clearTimeout(asked); asked = setTimeout(() => refresh().catch(() => {}), 150); };

async function banner() {
	const answer = await get("banner");
	if (answer.ok) $("#banner").replaceChildren(...parsed(await answer.text()));
}

const source = new EventSource("/review/events"), day = $(".day"), today = day.textContent;
const on = (name, does) => source.addEventListener(name, (event) => { does(JSON.parse(event.data)); soon(); });
on("card", soon);
on("gone", soon);
on("held", heard);
on("done", heard);
on("failed", (told) => { heard(told); banner(); });
on("progress", ({ read, of }) => { day.textContent = read < of ? `${read} of ${of} read` : today; });
setInterval(() => { if (document.visibilityState === "visible") { soon(); check(); banner().catch(() => {}); } }, 10000);
addEventListener("visibilitychange", soon);
check();
