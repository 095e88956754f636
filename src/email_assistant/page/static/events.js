// What happens elsewhere: told by the server, and asked for every ten seconds.
import { show } from "./card.js";
import { feed } from "./feed.js";
import { check, heard, tick } from "./hold.js";
import { $, get, open, parsed, refresh } from "./list.js";

let asked;
/** Read the list anew, once for many events. */
const soon = () => { clearTimeout(asked); asked = setTimeout(() => refresh().then(tick, () => {}), 150); };

async function banner() {
	const answer = await get("banner");
	if (answer.ok) $("#banner").replaceChildren(...parsed(await answer.text()));
}

const day = $(".day"), today = day.textContent;
const on = (name, does) => feed.addEventListener(name, (event) => { does(JSON.parse(event.data)); soon(); });
on("card", soon);
on("gone", soon);
on("held", heard);
on("done", heard);
on("failed", (told) => { heard(told); banner(); });
on("progress", ({ read, of }) => { day.textContent = read < of ? `${read} of ${of} read` : today; });
setInterval(() => { if (document.visibilityState === "visible") { soon(); check(); banner().catch(() => {}); } }, 10000);
addEventListener("visibilitychange", soon);
addEventListener("back", () => { soon(); check(); banner(); if ($("#pane .lost")) show(open); });
check();
