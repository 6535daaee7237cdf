import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FastifyReply } from "fastify";
import { Type } from "typebox";
import { invalidState, misuse } from "../errors/errors.ts";
import { acceptBodies } from "../http/body.ts";
import { addRoutes } from "../http/route-table.ts";
import { sendSandboxError } from "../http/server.ts";
import type { App } from "../http/types.ts";
import { closed, idOf, nameOf } from "../operations/common.ts";
import { Snapshot } from "../operations/worlds.ts";
import { DEMO_REPORT, inPackage } from "../runtime/package.ts";
import { readFileOf } from "../runtime/regular-file.ts";
import { asSandboxError } from "./errors.ts";
import { call } from "./http.ts";

const MAX_SNAPSHOT_BYTES = 512 * 1024 * 1024;
const OCTETS = "application/octet-stream";

/** Routes that respond with files: report pages and snapshots. */
export const fileRoutes = [
  call("GET /report.html", {
    id: "downloadReport",
    tag: "Record",
    summary: "Export this world's history and timelines as one HTML file",
    query: closed({
      after: Type.Integer({
        minimum: 0,
        default: 0,
        description: "Only include what happened after this seq of the journal.",
      }),
      title: Type.Optional(Type.String({ maxLength: 1_000 })),
    }),
    async run({ sandbox, query: { title = `World ${sandbox.world.name}`, after } }, reply) {
      const { worldPage } = await import("../scenarios/world-page.ts");
      return sendReport(reply, worldPage(sandbox, { title, after }));
    },
  }),
  call("GET /report", {
    id: "latestReport",
    tag: "Record",
    summary: "Read the latest report of `sandglass test` in this project, or the demo's report",
    description:
      "The file is sandglass/findings/report.html in the folder where Sandglass was started. `X-Sandbox-Report` says which report it is: `project` or `demo`.",
    async run({ serving: { folder } }, reply) {
      const file = join(folder, PROJECT_REPORT);
      const own = statSync(file, { throwIfNoEntry: false });
      reply.header("x-sandbox-report", own ? "project" : "demo").header("cache-control", "no-cache");
      if (own) reply.header("last-modified", own.mtime.toUTCString());
      return sendReport(
        reply,
        own
          ? readFileOf(folder, file, PROJECT_REPORT, MOST_REPORT_BYTES)
          : await readFile(inPackage(DEMO_REPORT)),
      );
    },
  }),
  call("GET /scenarios/runs/:id/report.html", {
    id: "downloadScenarioReport",
    tag: "Scenarios",
    summary: "Export a run's report and timeline as one HTML file",
    params: idOf("a run"),
    async run({ serving, params }, reply) {
      const { report, id } = (await serving.scenarios()).run(params.id);
      if (!report)
        throw invalidState(
          `The run ${id} has not ended yet.`,
          `Follow it: GET /_sandbox/scenarios/runs/${id}/events.`,
        );
      const { scenarioHtml } = await import("../reports/html.ts");
      return sendReport(reply, scenarioHtml([report]));
    },
  }),
  call("GET /snapshots/:name/download", {
    id: "downloadSnapshot",
    tag: "Snapshots",
    summary: "Download a snapshot as a file",
    description: "An SQLite database that can be uploaded to another Sandglass of the same version.",
    params: nameOf("a snapshot"),
    answer: Type.Unsafe<Buffer>({}),
    run: async ({ serving, params: { name } }, reply) =>
      reply
        .type(OCTETS)
        .header("content-disposition", `attachment; filename="${name}.sandglass"`)
        .send(await serving.worlds.snapshots.bytesOf(name)),
  }),
];

/** The route for uploading snapshots. Its scope accepts only bytes as a body. */
export function snapshotUploadRoute(scope: App): void {
  scope.removeAllContentTypeParsers();
  acceptBodies(scope, OCTETS, (bytes) => bytes, MAX_SNAPSHOT_BYTES);
  scope.setErrorHandler((error, _request, reply) =>
    sendSandboxError(reply, asSandboxError(error, MAX_SNAPSHOT_BYTES)),
  );
  addRoutes(scope, [
    call("POST /snapshots/upload", {
      id: "uploadSnapshot",
      tag: "Snapshots",
      summary: "Store a snapshot from a file",
      description: `The body is the file, as ${OCTETS}.`,
      query: closed({ name: Type.String() }),
      answer: Snapshot,
      status: 201,
      run({ serving, query, body }) {
        if (Buffer.isBuffer(body)) return serving.worlds.snapshots.accept(query.name, body);
        throw misuse(
          "The request does not contain a file.",
          `Send it as the body, with content-type: ${OCTETS}: curl --data-binary @file.`,
        );
      },
    }),
  ]);
}

/** The report that `sandglass test` writes to a project's folder. */
const PROJECT_REPORT = "sandglass/findings/report.html";
const MOST_REPORT_BYTES = 256 * 1024 * 1024;

/**
 * The Content-Security-Policy of reports: they load nothing, run no scripts, and can be embedded only in Sandglass's
 * own page.
 */
const REPORT_POLICY =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/** Sends a report as a page that can also be opened in a browser directly. */
function sendReport(reply: FastifyReply, html: string | Buffer): FastifyReply {
  return reply.type("text/html; charset=utf-8").header("content-security-policy", REPORT_POLICY).send(html);
}
