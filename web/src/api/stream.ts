import { BASE_PATH } from '../base-path.ts';
import { api, call } from './client.ts';

/** News of a waitlist in one environment. */
export interface Told {
  watched: string;
  event: (typeof EVENTS)[number];
  data: unknown;
}

const EVENTS = ['counters', 'delivery', 'job'] as const;
const REOPEN_MS = 15_000;

/** As the API names one of several. */
export const watchedAs = (waitlistId: string, environment: string) => `${waitlistId}:${environment}`;

/** Returns how to close it. */
export function openStream(watched: readonly string[], tell: (told: Told) => void): () => void {
  let source: EventSource;
  let reopening: ReturnType<typeof setTimeout> | undefined;
  const open = () => {
    source = new EventSource(`${BASE_PATH}/admin/v1/stream?waitlist=${watched.join()}`);
    for (const event of EVENTS) {
      source.addEventListener(event, ({ data: text }: MessageEvent<string>) => {
        const data = JSON.parse(text);
        tell({ watched: watchedAs(data.waitlistId, data.environment), event, data });
      });
    }
    source.onerror = () => {
      // It reconnects by itself, unless the server refused: then the session may have ended.
      if (source.readyState !== EventSource.CLOSED) return;
      call(api.GET('/admin/v1/me')).catch(() => {});
      reopening = setTimeout(open, REOPEN_MS);
    };
  };
  open();
  return () => {
    clearTimeout(reopening);
    source.close();
  };
}
