import { Fragment, type ReactNode, useEffect } from 'react';

interface PageHeaderProps {
  title: string;
  about?: ReactNode;
  actions?: ReactNode;
}

/** The heading of a page. Also names the browser's tab. */
export function PageHeader({ title, about, actions }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${title} · Doorlist`;
  }, [title]);
  return (
    <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        <h1 tabIndex={-1} className="text-2xl font-semibold tracking-tight break-words outline-none">
          {title.split(/(?<=[/.])/).map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other name.
            <Fragment key={index}>
              {index > 0 && <wbr />}
              {part}
            </Fragment>
          ))}
        </h1>
        {about && <p className="max-w-2xl text-pretty text-mute">{about}</p>}
      </div>
      {actions && <div className="flex max-w-full min-w-0 flex-wrap items-center gap-2">{actions}</div>}
    </header>
  );
}
