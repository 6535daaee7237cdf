export const PLATFORM = "platform";
/** The API's path within the area. The hosted pages are outside it. */
export const API_PREFIX = "/api/v1";
