/** Tells listeners that something was written. */
export interface Changes {
  /** Returns a function that stops listening. */
  listen(changed: () => void): () => void;
  tell(): void;
  readonly hasListeners: boolean;
}

export function createChanges(): Changes {
  const listeners = new Set<() => void>();
  return {
    listen: (changed) => {
      const own = () => changed(); // The same function may listen twice.
      listeners.add(own);
      return () => listeners.delete(own);
    },
    tell: () => {
      for (const changed of listeners) changed();
    },
    get hasListeners() {
      return listeners.size > 0;
    },
  };
}
