/** The path of the control API, without a slash. */
export const CONTROL_PATH = "_sandbox";
/** The name of the control API's OpenAPI document. */
export const CONTROL = "control";
