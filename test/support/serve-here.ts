import { readConfig } from '../../src/config/config.ts';
import { serve } from '../../src/server/serve.ts';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** At the deadline of a stop, a server ends its process. */
const LONGER_THAN_TESTS_MS = 3_600_000;

export interface Served {
  readonly url: string;
  /** What it printed for people. */
  output(): string;
  stop(): Promise<unknown>;
}

/** The whole `serve` command in this process: a separate one takes seconds to start on a busy machine. */
export async function serveHere(environment: Record<string, string>): Promise<Served> {
  const others = new Set(SIGNALS.flatMap((signal) => process.listeners(signal)));
  const listeners = () =>
    SIGNALS.flatMap((signal) =>
      process
        .listeners(signal)
        .filter((listener) => !others.has(listener))
        .map((listener) => ({ signal, listener })),
    );
  const config = readConfig({
    ...{ PORT: '0', DOORLIST_LOG_LEVEL: 'silent', DOORLIST_WORKERS: '1' },
    ...environment,
  });
  let printed = '';
  let ended: Promise<number> | undefined;
  await new Promise<void>((resolve, reject) => {
    const print = (text: string) => {
      printed += text;
      resolve();
    };
    ended = serve(config, print, { stopDeadlineMs: LONGER_THAN_TESTS_MS });
    ended.catch(reject);
  });
  return {
    url: /ready at (http:\S+)/.exec(printed)?.[1] ?? '',
    output: () => printed,
    stop: async () => {
      for (const { signal, listener } of listeners()) if (signal === 'SIGTERM') listener(signal);
      await ended;
      for (const { signal, listener } of listeners()) process.off(signal, listener);
    },
  };
}
