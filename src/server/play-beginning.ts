import type { From, Settings } from "../config/config.ts";
import { SandboxError } from "../errors/errors.ts";
import { shellArgument } from "../runtime/shell.ts";
import type { Beginning } from "../sandbox/beginnings.ts";
import type { KnownScenario } from "../scenarios/catalog.ts";
import { settingsFor } from "../scenarios/settings.ts";
import type { BeginningsOptions } from "./beginnings.ts";

/**
 * Plays a scenario on a server of its own, without the endpoints of the configuration: what it comes to must not depend on
 * which servers run.
 * @param base what its world begins with, unless it names a seed or a start
 * @returns the world in which it ends, and what its configuration changes
 * @throws SandboxError `invalid_state` when the scenario fails
 */
export async function playBeginning(
  scenario: KnownScenario,
  from: From,
  base: Beginning | undefined,
  { areas, serve, settings }: BeginningsOptions,
): Promise<Beginning> {
  const own = settingsFor(scenario, settings, null);
  const { seed = own.seed ?? settings.seed, startAt = own.startAt ?? settings.startAt } = from;
  const payments = own.payments ?? settings.payments;
  const played: Settings = {
    ...settings,
    ...own,
    seed,
    startAt,
    from: undefined,
    payments: { ...payments, webhooks: { ...payments.webhooks, endpoints: [], inside: undefined } },
    port: 0,
    host: "127.0.0.1",
    ports: {},
    dataDir: undefined,
    clock: { mode: "paused", rate: 1 },
  };
  const served = await serve(played, { areas, base: own.from && base?.bytes });
  try {
    const { failure } = await (await served.scenarios()).playIn(served.sandbox, scenario);
    // A beginning need not expect anything.
    if (!failure || failure.code === "nothing_expected")
      return { bytes: await served.sandbox.snapshot(), settings: { ...own, from: undefined } };
    const where = failure.step === null ? "" : ` in the step "${failure.step}"`;
    throw new SandboxError(
      "invalid_state",
      `The scenario ${scenario.name}, which was to be the beginning, failed${where}: ${failure.message}`,
      `See what happened in it: npx sandglass run ${shellArgument(scenario.file)}`,
    );
  } finally {
    await served.close();
  }
}
