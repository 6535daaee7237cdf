import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { ISSUED, issuedFiles } from "../support/certificates.ts";
import { folderOf } from "../support/cli.ts";

/** Starts a subscriber that uses HTTPS. */
export async function startSecureSubscriber(certificate: { cert: string; key: string } = ISSUED) {
  const received: string[] = [];
  const server = createServer(certificate, (request, response) => {
    received.push(request.url!);
    response.end("{}");
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `https://localhost:${(server.address() as AddressInfo).port}/hooks`, received };
}

/** Creates a folder whose configuration enables HTTPS. */
export function secureFolder() {
  const https = issuedFiles();
  return { cwd: folderOf({ "sandbox.config.json": JSON.stringify({ https, seed: "empty" }) }), ca: https.ca };
}
