import type { FastifyReply, FastifyRequest } from "fastify";
import type { RefusalReason } from "../control/refused-caller.ts";
import { contentSecurityPolicyFor, type Html, html, page } from "../html/html.ts";
import { asPage, notice } from "./notice.ts";
import { readLink, shareScript } from "./share-script.ts";

/** Pages for browsers that are not allowed to see the sandbox, or not yet. They reveal nothing about it. */

const policy = `${contentSecurityPolicyFor(shareScript)}; connect-src 'self'`;

const WAYS: Record<
  RefusalReason,
  (request: FastifyRequest) => { title: string; content: Html; script: boolean }
> = {
  machine: () => ({
    title: "This sandbox is closed to other machines",
    content: html`<p>Its page and its control API only respond to the machine where it runs. To open them to others, start it with</p>
<pre>npx sandglass --share</pre>
<p>and open the link that it prints. Its APIs, such as <code>/platform</code>, can be called from here.</p>`,
    script: false,
  }),
  token: () => ({
    title: "This sandbox is shared by a link",
    content: html`<p>Open the link that <code>npx sandglass --share</code> printed, or paste it here.</p>${readLink}`,
    script: true,
  }),
  site: ({ originalUrl }) => ({
    title: "Open this page directly",
    content: html`<p>A link on another site led here. Pages of other sites may neither open nor control the sandbox.</p>
<p><a href="${originalUrl.replace(/^\/+/, "/")}">Open the sandbox</a></p>`,
    script: false,
  }),
};

/** Responds to a browser whose request was rejected, and explains how to get access. */
export function sendClosedPage(
  request: FastifyRequest,
  reply: FastifyReply,
  reason: RefusalReason,
): FastifyReply {
  const { title, content, script } = WAYS[reason](request);
  return send(reply.code(403), title, content, script);
}

/** The page behind a shared link. It passes on the token and then opens the sandbox. */
export const sendOpenPage = (reply: FastifyReply): FastifyReply =>
  send(reply, "Opening the sandbox", html`<p data-says>One moment.</p>${readLink}`, true);

function send(reply: FastifyReply, title: string, content: Html, script: boolean): FastifyReply {
  const body = notice(html`<h1>${title}</h1>
${content}`);
  return asPage(reply, policy)
    .header("referrer-policy", "no-referrer")
    .send(page({ title: `${title} · Sandglass`, body, ...(script ? { script: shareScript } : {}) }));
}
