/** The area's name in URLs, faults and the request log. */
export const PLATFORM = "platform";
/** The path of its API below the area; the hosted pages are beside it. */
export const API_PREFIX = "/api/v1";
