/**
 * node:http without an `import`, which would read every export once: reading `WebSocket` makes Node load its own undici, which
 * takes longer than all of Fastify.
 */
export const http = process.getBuiltinModule("node:http");

/** node:https, loaded only for HTTPS. */
export const loadHttps = () => process.getBuiltinModule("node:https");
