import { html } from "../html/html.ts";
import { OPEN_PATH, TOKEN_HEADER } from "../runtime/share-link.ts";

/** The input field for the link, and the place where its error is shown. */
export const readLink = html`<form data-link style="display: flex; gap: 0.5rem; flex-wrap: wrap; align-items: end">
<label style="flex: 1 1 16rem">Link <input name="link" type="password" autocomplete="off" required style="width: 100%"></label>
<button style="padding: 0.5625rem 1.25rem; border: 0; border-radius: 6px; font-weight: 600; background: var(--act); color: var(--on-act)">Open</button>
</form>
<p role="status" data-problem></p>
<noscript><p>This page needs JavaScript.</p></noscript>`;

/**
 * Exchanges a shared link's token, from the fragment or the input, for a cookie, and opens the sandbox. The token is
 * removed from the address bar first. Browsers do not send the cookie when the user follows a link from another site,
 * so without a token the script requests the page again from here.
 */
export const shareScript = `(() => {
  const base = /^\\/w\\/[^/]+\\//.exec(location.pathname)?.[0] ?? "/";
  const problem = document.querySelector("[data-problem]");
  const form = document.querySelector("[data-link]");
  const opened = location.pathname.endsWith(${JSON.stringify(OPEN_PATH)});
  const enter = () => opened ? location.replace(base) : location.reload();
  const say = (text) => { problem.textContent = text; document.querySelector("[data-says]")?.remove(); };
  const tokenIn = (text) => /(?:^|#token=)([\\w-]+)$/.exec(text.trim())?.[1] ?? "";

  async function hand(token) {
    try {
      const headers = { ${JSON.stringify(TOKEN_HEADER)}: token };
      const answer = await fetch(base + "_sandbox/share/cookie", { method: "POST", headers });
      if (answer.ok) return enter();
      const { error } = await answer.json();
      say(error.message);
    } catch {
      say("The sandbox does not respond.");
    }
  }

  async function askAgain() {
    const answer = await fetch(base + "_sandbox/clock").catch(() => undefined);
    if (answer?.ok) enter();
    else if (opened) say("The link has no token: it must end with #token= and the token.");
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    hand(tokenIn(new FormData(form).get("link")));
  });
  function read() {
    const token = tokenIn(location.hash);
    if (token) history.replaceState(null, "", location.pathname);
    if (token) hand(token); else askAgain();
  }
  addEventListener("hashchange", read);
  read();
})();`;
