import type { Diagnosis } from "../../webhooks/diagnosis/diagnose.ts";

/** How to make a story use times that a server may compare with its own clock. */
export const AT_NOW = "Set subject.at to now in the configuration to send your machine's times.";

/** The result of a diagnosis, in sentences. */
export const diagnosisWords = ({ cause, fix }: Diagnosis): string => `${cause} ${fix}`;
