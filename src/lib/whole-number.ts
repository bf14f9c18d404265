/** The smallest and the largest of a kind of whole numbers, as a schema names them. */
export interface WholeRange {
  readonly minimum: number;
  readonly maximum: number;
}

/** Whether it can be kept: a whole number that every engine reads as it was written, within its range. */
export function isWhole(value: unknown, { minimum, maximum }: WholeRange): value is number {
  return Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum;
}

export function wholeRule({ minimum, maximum }: WholeRange): string {
  return `must be a whole number from ${minimum} to ${maximum}`;
}
