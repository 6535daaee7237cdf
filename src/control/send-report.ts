import type { FastifyReply } from "fastify";
import { sendCompressed } from "../http/compressed.ts";

/** A report loads nothing and runs nothing. */
const REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** Answers with a report, as a page that a browser opens by itself. */
export function sendReport(reply: FastifyReply, html: string): Promise<FastifyReply> {
  const page = reply.type("text/html; charset=utf-8").header("content-security-policy", REPORT_POLICY);
  return sendCompressed(page, html);
}
