export const PLATFORM = "platform";
/** The path of the API within the area. The hosted pages are outside it. */
export const API_PREFIX = "/api/v1";
