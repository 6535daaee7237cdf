import { createServer } from "node:https";
import { ISSUED, issuedFiles } from "../support/certificates.ts";
import { folderOf } from "../support/cli.ts";
import { listenForTest } from "../support/listen.ts";

/** Starts a subscriber that uses HTTPS. */
export async function startSecureSubscriber(certificate: { cert: string; key: string } = ISSUED) {
  const received: string[] = [];
  const server = createServer(certificate, (request, response) => {
    received.push(request.url!);
    response.end("{}");
  });
  return { url: `https://localhost:${await listenForTest(server)}/hooks`, received };
}

/** Creates a folder whose configuration enables HTTPS. */
export function secureFolder() {
  const https = issuedFiles();
  return { cwd: folderOf({ "sandbox.config.json": JSON.stringify({ https, seed: "empty" }) }), ca: https.ca };
}
