/** The area's name in URLs, faults and the request log. */
export const PLATFORM = "platform";
/** Where its API is, below the area; the hosted pages are beside it. */
export const API_PREFIX = "/api/v1";
