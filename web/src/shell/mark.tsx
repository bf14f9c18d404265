/** The mark: a door that is a list. */
export function Mark({ className = 'size-7' }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" className={className} aria-hidden="true">
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <path d="M11.5 6h9A2.5 2.5 0 0 1 23 8.5V27H9V8.5A2.5 2.5 0 0 1 11.5 6Z" className="fill-on-accent" />
      <path
        d="M12.5 11.5h7M12.5 16h3.5M12.5 20.5h3.5"
        className="stroke-accent"
        strokeWidth="2"
        strokeLinecap="round"
      />
      <circle cx="19.6" cy="18.2" r="1.5" className="fill-accent" />
    </svg>
  );
}

export function Wordmark() {
  return (
    <span className="flex items-center gap-2.5 text-lg font-semibold tracking-tight">
      <Mark />
      Doorlist
    </span>
  );
}
