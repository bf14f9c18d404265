import { Dialog } from '../ui/dialog.tsx';
import { MOD } from './use-shortcuts.ts';

const SHORTCUTS: [string[], string][] = [
  [[`${MOD.trim()}`, 'K'], 'Search and jump anywhere'],
  [['/'], 'Search on this page'],
  [['g', 'w'], 'Go to waitlists'],
  [['g', 'o'], 'Go to the overview of this waitlist'],
  [['g', 'q'], 'Go to the queue'],
  [['g', 'r'], 'Review who waits'],
  [['g', 'i'], 'Go to the invites'],
  [['g', 'a'], 'Go to your account'],
  [['↑', '↓'], 'Move in a table'],
  [['Enter'], 'Open the chosen row'],
  [['Esc'], 'Close what is open'],
  [['?'], 'Show these shortcuts'],
];

export default function ShortcutsHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog open onClose={onClose} title="Keyboard shortcuts">
      <dl className="flex flex-col">
        {SHORTCUTS.map(([keys, about]) => (
          <div key={about} className="flex items-center justify-between gap-4 border-b py-2 last:border-0">
            <dt>{about}</dt>
            <dd className="flex gap-1">
              {keys.map((key) => (
                <kbd
                  key={key}
                  className="flex h-6 min-w-6 items-center justify-center rounded-sm bg-sunken px-1.5 font-sans text-xs ring-1 ring-line"
                >
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
