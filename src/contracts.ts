import { DATA } from "./chain-data/name.ts";
import { GAME } from "./game/name.ts";
import { describeRoutes, type OpenApiDocument } from "./http/openapi.ts";
import type { App } from "./http/types.ts";
import { SEEDED_KEYS } from "./payments/seed/organizations.ts";
import { VERSION } from "./sandbox.ts";

const unopened = (): never => {
  throw new Error("Routes that are only described are never called");
};

export const CONTRACTS = ["platform", "data", "game", "control"] as const;
export type ContractName = (typeof CONTRACTS)[number];

/** The OpenAPI document of an area or of the control API, for a sandbox served at `origin`. */
export async function openApiDocument(name: ContractName, origin: string): Promise<OpenApiDocument> {
  if (name === "platform") {
    const { platformRoutes } = await import("./payments/index.ts");
    return describeRoutes((app: App) => platformRoutes(app, { open: unopened }), "", {
      title: "Payments platform",
      description:
        "Payment links, checkout sessions, transactions and signed webhooks, as Sandglass emulates them.",
      version: VERSION,
      server: `${origin}/platform`,
      exampleKey: SEEDED_KEYS.write,
      answerHeaders: {
        "X-Sandbox-Hint":
          "A hint from the sandbox: which query parameters it ignored because the endpoint does not know them, or how to lift the rate limit.",
      },
    });
  }
  if (name === "data") {
    const { dataRoutes } = await import("./chain-data/index.ts");
    return describeRoutes((app: App) => dataRoutes(app, { open: unopened }), "", {
      title: "Chain data",
      description:
        "Fungible tokens by symbol, and what an address holds: a cached proxy in front of several providers.",
      // The contract labels this interface; it does not change with Sandglass's own version.
      version: "1.0.0",
      server: `${origin}/${DATA}`,
    });
  }
  if (name === "game") {
    const { gameRoutes } = await import("./game/index.ts");
    return describeRoutes((app: App) => gameRoutes(app, { open: unopened }), "", {
      title: "Game launcher",
      description:
        "Sessions, message channels, states, scores, the leaderboard, activities and the rules engine, for games. A launcherJwt in the body says who plays; `sandglass token` mints one.",
      version: VERSION,
      server: `${origin}/${GAME}`,
    });
  }
  const { controlRoutes } = await import("./control/routes.ts");
  return describeRoutes(
    (app: App) =>
      controlRoutes(app, { open: unopened, worlds: unopened, scenarios: unopened, allowedHosts: [] }),
    "",
    {
      title: "Sandglass control API",
      description:
        "The clock, payments, chain data, the game launcher, faults and records of a sandbox. It answers this machine only and takes no key.",
      version: VERSION,
      server: `${origin}/_sandbox`,
    },
  );
}
