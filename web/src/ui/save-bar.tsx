import { Button } from './button.tsx';

interface SaveBarProps {
  busy: boolean;
  onDiscard: () => void;
}

/** At the end of a form that has unsaved changes. Stays in sight. */
export function SaveBar({ busy, onDiscard }: SaveBarProps) {
  return (
    <div className="sticky bottom-4 z-10 flex flex-wrap items-center justify-between gap-3 rounded-lg bg-surface px-4 py-3 shadow-lg ring-1 ring-line">
      <p className="text-sm text-mute">You have unsaved changes.</p>
      <div className="flex gap-2">
        <Button onClick={onDiscard}>Discard</Button>
        <Button type="submit" look="primary" busy={busy}>
          Save changes
        </Button>
      </div>
    </div>
  );
}
