// Logging in. The session's key stays with this origin: other ports of this machine are sent the cookie, too.
const form = document.getElementById("login"), problem = document.getElementById("problem"), token = document.getElementById("token");

form.addEventListener("submit", async (event) => {
	event.preventDefault();
	problem.textContent = "";
	try {
		const body = JSON.stringify(token ? { token: token.value } : {});
		const answer = await fetch(location.pathname, { method: "POST", headers: { "content-type": "application/json" }, body });
		if (!answer.ok) { problem.textContent = (await answer.json()).why; return; }
		localStorage.setItem("review-key", answer.headers.get("review-key"));
		location.replace("/review");
	} catch { problem.textContent = "The server does not answer."; }
});
// A link that is looked at in advance, unseen, is not used up.
const isSeen = () => document.visibilityState === "visible";
if (!token && isSeen()) form.requestSubmit();
else if (!token) addEventListener("visibilitychange", () => isSeen() && form.requestSubmit(), { once: true });
