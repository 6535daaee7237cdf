/** A page of a list, as checked by the operation's schema. */
export interface Page {
  limit: number;
  skip: number;
}
