import { controlRoutes } from "./control/routes.ts";
import { describeRoutes, type OpenApiDocument } from "./http/openapi.ts";
import type { App } from "./http/types.ts";
import { platformRoutes } from "./payments/index.ts";
import { SEEDED_KEYS } from "./payments/seed/organizations.ts";
import { VERSION } from "./sandbox.ts";

const unopened = (): never => {
  throw new Error("Routes that are only described are never called");
};

export const CONTRACTS = ["platform", "control"] as const;
export type ContractName = (typeof CONTRACTS)[number];

/** The OpenAPI document of the payments platform or of the control API, for a sandbox served at `origin`. */
export function openApiDocument(name: ContractName, origin: string): Promise<OpenApiDocument> {
  if (name === "platform") {
    return describeRoutes((app: App) => platformRoutes(app, { open: unopened }), "", {
      title: "Payments platform",
      description:
        "Payment links, checkout sessions, transactions and signed webhooks, as Sandglass emulates them.",
      version: VERSION,
      server: `${origin}/platform`,
      exampleKey: SEEDED_KEYS.write,
    });
  }
  return describeRoutes((app: App) => controlRoutes(app, { open: unopened, allowedHosts: [] }), "", {
    title: "Sandglass control API",
    description:
      "The clock, payments, faults and records of a sandbox. It answers this machine only and takes no key.",
    version: VERSION,
    server: `${origin}/_sandbox`,
  });
}
