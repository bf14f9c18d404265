import type { AnyFinding } from '../installation/health.ts';
import { within } from '../lib/deadline.ts';
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
