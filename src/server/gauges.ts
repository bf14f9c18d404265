import perfHooks from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';
import type { AnyFinding } from '../installation/health.ts';
import { within } from '../lib/promises.ts';
import { type Level, levelOf } from '../waitlist/upkeep/health.ts';

/** As often as the server looks for alerts. It costs more than other metrics. */
const LOOK_EVERY_MS = 60_000;

const VALUES: Readonly<Record<Exclude<Level, 'unchecked'>, number>> = { fine: 0, warning: 1, problem: 2 };

interface Look {
  /** When it began. */
  at: number;
  /** The worst of each check. What nobody looked at is not in it. */
  checks: ReadonlyMap<string, number>;
}

/** Looks at most once a minute. Rejects if no look succeeds in time, so that an old one is not taken for the present. */
export function createHealthLook(check: () => Promise<AnyFinding[]>, clock = () => Date.now()) {
  let look: Promise<Look> | undefined;
  let isOver = false;
  let beganAt = 0;
  const begin = async (at: number): Promise<Look> => ({ at, checks: worstOf(await check()) });
  return (deadlineMs: number, message: string): Promise<Look> => {
    const now = clock();
    if (look === undefined || (isOver && now - beganAt >= LOOK_EVERY_MS)) {
      isOver = false;
      beganAt = now;
      const begun = begin(now);
      look = begun;
      begun.then(
        () => {
          isOver = true;
        },
        () => {
          look = undefined;
        },
      );
    }
    return within(deadlineMs, look, message);
  };
}

function worstOf(findings: readonly AnyFinding[]): Map<string, number> {
  const worst = new Map<string, number>();
  for (const finding of findings) {
    const level = levelOf(finding);
    if (level === 'unchecked') continue;
    worst.set(finding.what, Math.max(worst.get(finding.what) ?? 0, VALUES[level]));
  }
  return worst;
}

/** The longest that a timer takes: the library's own monitor would wake an idle process 100 times a second. */
export const WITHOUT_MONITOR = { eventLoopMonitoringPrecision: 2 ** 31 - 1 };

/** Replaces the library's metrics of the event loop by ones that are measured when it turns anyway. */
export function measureEventLoop(registry: Registry): void {
  const histogram = perfHooks.monitorEventLoopDelay({ samplePerIteration: true });
  histogram.enable();
  const gauge = (name: string, help: string, collect: (gauge: Gauge) => void | Promise<void>) => {
    registry.removeSingleMetric(name);
    new Gauge({
      ...{ name, help, registers: [registry] },
      collect() {
        return collect(this);
      },
    });
  };
  const delay = (name: string, which: string, read: () => number) =>
    gauge(
      `nodejs_eventloop_lag_${name}_seconds`,
      `${which} of the event loop since the last reading.`,
      (g) => {
        if (histogram.count > 0) g.set(read() / 1e9); // Nothing is known of a loop that has not turned.
      },
    );
  delay('min', 'The shortest delay', () => histogram.min);
  delay('max', 'The longest delay', () => histogram.max);
  delay('mean', 'The mean delay', () => histogram.mean);
  delay('stddev', 'The standard deviation of the delays', () => histogram.stddev);
  delay('p50', 'The 50th percentile of the delays', () => histogram.percentile(50));
  delay('p90', 'The 90th percentile of the delays', () => histogram.percentile(90));
  delay('p99', 'The 99th percentile of the delays', () => histogram.percentile(99));
  gauge('nodejs_eventloop_lag_seconds', 'The delay of the event loop during this reading.', async (g) => {
    const before = performance.now();
    await new Promise((resolve) => setImmediate(resolve));
    g.set((performance.now() - before) / 1_000);
    histogram.reset(); // By now, the others have read it.
  });
}
