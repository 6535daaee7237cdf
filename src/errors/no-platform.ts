import { invalidState, type SandboxError } from "./errors.ts";

/** The error for what only a world with the platform can do. @param senders of the world */
export function noPlatform(senders: readonly string[]): SandboxError {
  const flags = senders.map((name) => ` --sender ${name}`).join("");
  return invalidState(`This world has no platform: it is for ${senders.join(", ") || "senders"} alone.`, {
    command: `Start it with a demo shop, too: npx sandglass${flags} --seed sandglass`,
    library: `Open one with a demo shop, too: createSandbox({ senders: ${JSON.stringify(senders)}, seed: "sandglass" })`,
    http: 'To begin again with a demo shop, POST /_sandbox/reset with {"seed": "sandglass"}.',
    page: "To begin again with a demo shop, reset the world with another seed.",
  });
}
