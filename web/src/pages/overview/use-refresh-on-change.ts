import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

/** Statistics of a busy waitlist would otherwise be read again all the time. */
const AT_MOST_EVERY_MS = 3_000;

/** Reads queries again soon after the live numbers have changed. */
export function useRefreshOnChange(queryKey: QueryKey, live: object | undefined): void {
  const client = useQueryClient();
  const key = JSON.stringify(queryKey);
  const text = JSON.stringify(live);
  const watched = useRef<{ key: string; text: string; timer?: ReturnType<typeof setTimeout> | undefined }>(
    undefined,
  );
  useEffect(() => {
    const now = watched.current;
    if (text === undefined || now?.text === text) return;
    if (now?.key !== key) {
      clearTimeout(now?.timer);
      watched.current = { key, text };
      return;
    }
    now.text = text;
    now.timer ??= setTimeout(() => {
      now.timer = undefined;
      void client.invalidateQueries({ queryKey: JSON.parse(key) });
    }, AT_MOST_EVERY_MS);
  }, [client, key, text]);
  useEffect(() => () => clearTimeout(watched.current?.timer), []);
}
