/** A server that has a part of the queues. */
export interface Worker {
  /** Host and port. */
  name: string;
  queues: number;
  isUp: boolean;
}

/** Called when other workers than before do not answer, with their names. */
export type WorkersWatch = (down: readonly string[]) => void;

export interface Distribution {
  /** Tables that this run made reference tables, and that it spread by queue. */
  copied: string[];
  spread: string[];
  /** Constraints and unique indexes that Citus cannot keep. */
  dropped: string[];
}
