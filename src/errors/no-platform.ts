import { invalidState, type SandboxError } from "./errors.ts";

/** The error for an operation that needs a world with the platform. @param senders the world's senders */
export const noPlatform = (senders: readonly string[]): SandboxError =>
  invalidState(`This world has no platform: it only has ${senders.join(", ") || "senders"}.`, {
    command: "Start it with --seed sandglass as well, which adds the platform's demo shop.",
    library: 'Open it with seed: "sandglass" as well, which adds the platform\'s demo shop.',
    http: 'POST /_sandbox/reset with {"seed": "sandglass"} starts over with the platform\'s demo shop.',
    page: "Create a world with the seed sandglass: it has the platform's demo shop.",
  });
