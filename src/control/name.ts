/** The path of the control API, without a slash. */
export const CONTROL_PATH = "_sandbox";
/** The control API's name among the OpenAPI documents. */
export const CONTROL = "control";
