/** A file that is no scenario as it is: it has a mistake, or a name that is taken. */
export interface Unloaded {
  /** As a person in the working folder would write it. */
  file: string;
  /** What is wrong, and where in the file if that is known. */
  message: string;
  hint: string;
}
