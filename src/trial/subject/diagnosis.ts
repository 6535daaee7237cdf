import type { Diagnosis } from "../../webhooks/diagnosis/diagnose.ts";
import type { KnownSecret } from "../../webhooks/diagnosis/variants.ts";

/** How a story gets times that a server may compare with its own clock. */
export const AT_NOW = "subject.at: now in the configuration sends those of your machine.";

/** Variables that may have the secret of a webhook endpoint. */
const HOLDS_SECRET = /(?:WEBHOOK|SIGNING|HOOK).*(?:SECRET|KEY)|SECRET.*(?:WEBHOOK|HOOK)/i;

/** The secrets that the environment of this command has, besides the one that signs. */
export const environmentSecrets = (env: NodeJS.ProcessEnv = process.env): KnownSecret[] =>
  Object.entries(env).flatMap(([name, secret]) =>
    secret && HOLDS_SECRET.test(name) ? [{ secret, from: `the secret in ${name} of this command` }] : [],
  );

/** The result of a diagnosis, in sentences. */
export const diagnosisWords = ({ cause, fix }: Diagnosis): string => `${cause} ${fix}`;
