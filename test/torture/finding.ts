/** Something that must not happen, with the smallest thing that shows it. */
export class Finding extends Error {
  /** Lines that let a person see it again. */
  readonly reproduce: string[];

  constructor(message: string, reproduce: string[] = []) {
    super(message);
    this.name = "Finding";
    this.reproduce = reproduce;
  }
}
