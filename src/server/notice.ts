import type { FastifyReply } from "fastify";
import { contentSecurityPolicy, type Html, html, page } from "../html/html.ts";

/** Sets the headers of a response that a browser will show. */
export const asPage = (reply: FastifyReply, policy: string = contentSecurityPolicy): FastifyReply =>
  reply
    .type("text/html; charset=utf-8")
    .header("content-security-policy", policy)
    .header("cache-control", "no-store");

/** Shows a few sentences in the middle of a page. */
export const notice = (content: Html): Html =>
  html`<main style="max-width: 40rem; margin: 4rem auto; padding: 0 1.25rem; display: grid; gap: 1rem">
${content}</main>`;

export const plainPage = (content: Html): string => page({ title: "Sandglass", body: notice(content) });
