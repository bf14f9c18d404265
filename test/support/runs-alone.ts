/**
 * For the head of a test file that measures, or needs a port of the system: it runs when all others are over. The runner
 * reads the file for this, and does not call it.
 */
export function runsAlone(_reason: string): void {}
