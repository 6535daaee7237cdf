/** Something that must not happen, with the smallest example that shows it. */
export class Finding extends Error {
  /** Lines that describe how to reproduce it. */
  readonly reproduce: string[];

  constructor(message: string, reproduce: string[] = []) {
    super(message);
    this.name = "Finding";
    this.reproduce = reproduce;
  }
}
