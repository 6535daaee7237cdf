import type { Settings } from "../config/config.ts";
import { SandboxError } from "../errors/errors.ts";
import type { KnownScenario } from "../scenarios/catalog.ts";
import type { BeginningsOptions } from "./beginnings.ts";

/**
 * Plays a scenario on a server of its own, and gives the world in which it ends.
 * @param base what its world begins with; the seed without it
 * @throws SandboxError `invalid_state` when the scenario fails
 */
export async function playBeginning(
  scenario: KnownScenario,
  settings: Settings,
  base: Buffer | undefined,
  { areas, serve }: BeginningsOptions,
): Promise<Buffer> {
  const served = await serve(
    {
      ...settings,
      port: 0,
      host: "127.0.0.1",
      ports: {},
      dataDir: undefined,
      clock: { mode: "paused", rate: 1 },
    },
    { areas, base },
  );
  try {
    const { failure } = await (await served.scenarios()).playIn(served.sandbox, scenario);
    // A beginning need not expect anything.
    if (!failure || failure.code === "nothing_expected") return await served.sandbox.snapshot();
    const where = failure.step === null ? "" : ` in the step "${failure.step}"`;
    throw new SandboxError(
      "invalid_state",
      `The scenario ${scenario.name}, which was to be the beginning, failed${where}: ${failure.message}`,
      `See what happened in it: npx sandglass run ${scenario.file}`,
    );
  } finally {
    await served.close();
  }
}
