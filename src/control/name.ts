/** The path of the control API, without a slash. */
export const CONTROL_PATH = "_sandbox";
/** Its name among the contracts. */
export const CONTROL = "control";
