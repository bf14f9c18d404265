const UNKEPT = 'cannot be stored: it is beyond the range of exact whole numbers';

/** Whether every engine reads a number as it was written. All numbers in our tables are whole. */
function isKept(value: number): boolean {
  return !Number.isInteger(value) || Number.isSafeInteger(value);
}

/** Why these values must not be written, or undefined. */
export function unkeptNumber(values: readonly unknown[]): string | undefined {
  for (const value of values) {
    const inside = Array.isArray(value) ? unkeptNumber(value) : undefined;
    if (inside !== undefined) return inside;
    if (typeof value === 'number' && !isKept(value)) return `${value} ${UNKEPT}`;
  }
  return undefined;
}

/** As text for a server, which then refuses the statement, and with it the transaction, if it cannot keep the number. */
export function numberText(value: number): string {
  return isKept(value) ? String(value) : `${value} ${UNKEPT}`;
}
