/** What a view is given: the rest of its address. */
export interface ViewProps {
  /** What follows the view's name in the address. */
  parts: string[];
  query: URLSearchParams;
}
