/** Something that must not happen, with the smallest example that shows it. */
export class Finding extends Error {
  /** Lines that allow a person to reproduce it. */
  readonly reproduce: string[];

  constructor(message: string, reproduce: string[] = []) {
    super(message);
    this.name = "Finding";
    this.reproduce = reproduce;
  }
}
