import type { ReactNode } from 'react';
import { useMay } from '../../api/me.ts';
import { CopyButton } from '../../ui/copy-button.tsx';

export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-mute">{label}</dt>
      <dd className="flex min-h-8 min-w-0 items-center gap-1 break-words">{children}</dd>
    </>
  );
}

export function Missing() {
  return <span className="text-mute">–</span>;
}

export function Copied({ text, what, mono }: { text: string; what: string; mono?: boolean }) {
  const isWhole = useMay('support') || what === 'id';
  return (
    <>
      <span
        dir="auto"
        title={text}
        className={mono ? 'min-w-0 truncate font-mono text-sm' : 'min-w-0 truncate'}
      >
        {text}
      </span>
      {isWhole && <CopyButton text={text} what={what} size="sm" />}
    </>
  );
}
