import type { KnownSecret } from "../webhooks/diagnosis/variants.ts";

/** Variables that may hold a webhook endpoint's secret. */
const HOLDS_SECRET = /(?:WEBHOOK|SIGNING|HOOK).*(?:SECRET|KEY)|SECRET.*(?:WEBHOOK|HOOK)/i;

/**
 * Webhook secrets in this process's environment.
 * @param of the name that messages use for this process, such as `this command`
 */
export const environmentSecrets = (of: string, env: NodeJS.ProcessEnv = process.env): KnownSecret[] =>
  Object.entries(env).flatMap(([name, secret]) =>
    secret && HOLDS_SECRET.test(name) ? [{ secret, from: `the secret in ${name} of ${of}` }] : [],
  );
