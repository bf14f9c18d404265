import { type ReactNode, useEffect, useRef } from 'react';
import { Wordmark } from '../../shell/mark.tsx';

interface CenteredProps {
  title: string;
  about?: ReactNode;
  children: ReactNode;
  footer?: ReactNode;
}

/** A page for people who are not signed in. */
export function Centered({ title, about, children, footer }: CenteredProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(title);
  useEffect(() => {
    document.title = `${title} · Doorlist`;
    // What was focused went with the step before.
    if (shown.current !== title) heading.current?.focus();
    shown.current = title;
  }, [title]);
  return (
    <div className="flex min-h-dvh flex-col items-center justify-center gap-6 px-4 py-10">
      <header>
        <Wordmark />
      </header>
      <main className="flex w-full max-w-sm flex-col gap-5 rounded-xl bg-surface p-6 shadow-sm ring-1 ring-line sm:p-8">
        <div className="flex flex-col gap-1">
          <h1 ref={heading} tabIndex={-1} className="text-xl font-semibold tracking-tight outline-none">
            {title}
          </h1>
          {about && <div className="text-mute">{about}</div>}
        </div>
        {children}
      </main>
      {footer && <footer className="max-w-sm text-center text-sm text-mute">{footer}</footer>}
    </div>
  );
}
