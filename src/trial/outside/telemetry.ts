import type { Place } from "./hosts.ts";

/** Hosts that take errors, traces and counts, and of tools that look for their updates. */
const HOSTS =
  /(?:^|\.)(?:sentry\.io|posthog\.com|datadoghq\.(?:com|eu)|ddog-gov\.com|segment\.(?:io|com)|honeycomb\.io|nr-data\.net|newrelic\.com|bugsnag\.com|telemetry\.nextjs\.org|checkpoint\.prisma\.io|telemetry\.astro\.build)$/;
/** The paths of OpenTelemetry, which users receive at hosts of their own. */
const PATHS = /^\/(?:v1\/(?:traces|metrics|logs)|opentelemetry\.proto\.collector\..*)$/;

/** Whether a call reports about the program, and does not belong to what it does. */
export const isTelemetry = ({ host }: Place, path: string): boolean => HOSTS.test(host) || PATHS.test(path);
