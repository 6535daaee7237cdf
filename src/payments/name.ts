/** The area's name in URLs, faults and the request log. */
export const PLATFORM = "platform";
/** The path of its API within the area. The hosted pages are outside it. */
export const API_PREFIX = "/api/v1";
