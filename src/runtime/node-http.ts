/**
 * node:http, without an `import` of it: that reads every export once, and reading `WebSocket` makes Node load its own
 * undici, which takes longer than all of Fastify.
 */
export const http = process.getBuiltinModule("node:http");

/** node:https, loaded for those who serve or call it. */
export const loadHttps = () => process.getBuiltinModule("node:https");
