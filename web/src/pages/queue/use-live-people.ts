import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { type Counters, useLive } from '../../api/live.tsx';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { refreshShown } from './use-rows.ts';

/** Often enough to feel live, seldom enough for a launch day. */
const EVERY_MS = 1_000;

/** The numbers of the waitlist. When they change, the people on the screen are loaded again. */
export function useLivePeople(scope: Scope): Counters | undefined {
  const client = useQueryClient();
  const { counters } = useLive(scope.waitlistId, scope.environment);
  // Without numbers yet, the first ones may already tell of something that the people on the screen do not show.
  const before = useRef<Counters>(counters);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const refreshedAt = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only new numbers matter; another scope has its own.
  useEffect(() => {
    const known = before.current;
    before.current = counters;
    if (!counters || JSON.stringify(known) === JSON.stringify(counters)) return;
    clearTimeout(timer.current);
    const refresh = () => {
      refreshedAt.current = Date.now();
      refreshShown(client, scope);
    };
    timer.current = setTimeout(refresh, Math.max(0, refreshedAt.current + EVERY_MS - Date.now()));
  }, [counters]);
  return counters;
}
