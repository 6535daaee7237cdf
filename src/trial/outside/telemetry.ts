import type { Place } from "./hosts.ts";

/** Hosts that collect errors, traces and counts, and hosts that tools query for updates. */
const HOSTS =
  /(?:^|\.)(?:sentry\.io|posthog\.com|datadoghq\.(?:com|eu)|ddog-gov\.com|segment\.(?:io|com)|honeycomb\.io|nr-data\.net|newrelic\.com|bugsnag\.com|telemetry\.nextjs\.org|checkpoint\.prisma\.io|telemetry\.astro\.build)$/;
/** OpenTelemetry's paths. Users run collectors on hosts of their own, so the host does not identify them. */
const PATHS = /^\/(?:v1\/(?:traces|metrics|logs)|opentelemetry\.proto\.collector\..*)$/;

/** Whether a call only reports data about the program instead of doing its work. */
export const isTelemetry = ({ host }: Place, path: string): boolean => HOSTS.test(host) || PATHS.test(path);
