// What happens elsewhere: asked every two seconds while the page is seen.
import { show } from "./card.js";
import { tick } from "./hold.js";
import { $, get, open, parsed, refresh } from "./list.js";

const day = $(".day"), today = day.textContent;
let was = "", isAsking;

async function banner() {
	const answer = await get("banner");
	if (answer.ok) $("#banner").replaceChildren(...parsed(await answer.text()));
}

async function look() {
	if (isAsking || document.visibilityState !== "visible") return;
	isAsking = true;
	try {
		const { digest, reading } = await (await get("changes")).json();
		day.textContent = reading ? `${reading} to read` : today;
		if (digest !== was) await Promise.all([refresh(), banner()]);
		was = digest;
		tick();
	} catch { /* Asked again. */ }
	isAsking = false;
}
setInterval(look, 2000);
addEventListener("visibilitychange", look);
addEventListener("back", () => { was = ""; look(); if ($("#pane .lost")) show(open); });
