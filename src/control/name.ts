/** The control API's path, without slashes. */
export const CONTROL_PATH = "_sandbox";
/** The name of the control API's OpenAPI document. */
export const CONTROL = "control";
