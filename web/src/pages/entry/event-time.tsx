import { exactTime, RelativeTime } from '../../ui/relative-time.tsx';

/** Longer ago, a relative time is a date and says nothing more. */
const RECENT_MS = 30 * 86_400_000;

/** The exact time, and how long ago that is. */
export function EventTime({ at }: { at: string }) {
  const isRecent = Date.now() - Date.parse(at) < RECENT_MS;
  return (
    <span className="flex flex-wrap gap-x-2">
      <span>{exactTime(at)}</span>
      {isRecent && (
        <span className="text-mute">
          <RelativeTime at={at} />
        </span>
      )}
    </span>
  );
}
