import { invalidState, type SandboxError } from "./errors.ts";

/** The error for what only a world with the platform can do. @param senders of the world */
export const noPlatform = (senders: readonly string[]): SandboxError =>
  invalidState(`This world has no platform: it only has ${senders.join(", ") || "senders"}.`, {
    command: "Start it with --seed sandglass as well, which adds the platform's demo shop.",
    library: 'Open it with seed: "sandglass" as well, which adds the platform\'s demo shop.',
    http: 'POST /_sandbox/reset with {"seed": "sandglass"} starts over with the platform\'s demo shop.',
    page: "Create a world with the seed sandglass: it has the platform's demo shop.",
  });
