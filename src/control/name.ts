/** The path of the control API, without a slash. */
export const CONTROL = "_sandbox";
