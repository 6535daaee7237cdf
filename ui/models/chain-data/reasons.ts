/** Why a call of a provider failed, after its name. */
export const REASONS: Record<string, string> = {
  connection_refused: "refused the connection",
  timeout: "did not answer in time",
  unreachable: "could not be reached",
  invalid_json: "answered something that is no JSON",
  invalid_shape: "answered JSON of another shape",
  too_many_pages: "had more pages than are read",
};
