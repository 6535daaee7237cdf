import { contentSecurityPolicyFor } from "../../html/html.ts";

/**
 * Reads the countdown from the server again and again, so that it follows the sandbox clock whether that is paused,
 * runs fast or is advanced; a session that is no longer open shows as what it became. While the server does not answer,
 * the countdown stands still. Without JavaScript, the page shows the time at which it was loaded.
 */
export const countdownScript = `(() => {
  const clock = document.querySelector("[data-follow]");
  if (!clock) return;
  let shown = "";
  const again = () => setTimeout(follow, 500);
  async function follow() {
    if (document.hidden) return again();
    try {
      const response = await fetch(clock.dataset.follow, { headers: { "x-sandbox-unlisted": "1" } });
      if (response.status === 404 || response.status === 410) return location.replace(location.pathname);
      const text = await response.text();
      if (response.ok && text !== shown) clock.innerHTML = shown = text;
    } catch {}
    again();
  }
  again();
})();`;

/** For the pages of the checkout: as for others, and the countdown may be read. */
export const hostedPolicy = `${contentSecurityPolicyFor(countdownScript)}; connect-src 'self'`;
