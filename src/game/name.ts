/** The area's name in URLs, faults and the request log. */
export const GAME = "game";
