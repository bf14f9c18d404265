/** Resolves after requests, timers and answers that are waiting have had their turn of the event loop. */
export function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
