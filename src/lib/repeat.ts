/**
 * Runs `work` at intervals, never twice at once, and without keeping the process alive. If it fails, the next run may
 * succeed. Returns a function that ends it and waits for a run under way.
 */
export function repeat(everyMs: number, work: () => Promise<unknown>): () => Promise<void> {
  let running: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    running ??= work()
      .catch(() => {})
      .finally(() => {
        running = undefined;
      });
  }, everyMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
