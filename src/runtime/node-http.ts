/**
 * Gets node:http without an `import`, which would read every export: reading `WebSocket` makes Node load its own
 * undici, which takes longer than loading all of Fastify.
 */
export const http = process.getBuiltinModule("node:http");

/** Loads node:https only when it is needed. */
export const loadHttps = () => process.getBuiltinModule("node:https");
