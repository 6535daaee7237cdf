/** What is used of undici, as a file of its own in the build: the main context loads it by its address. */
export { Agent, request } from "undici";
