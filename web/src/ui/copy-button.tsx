import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button, IconButton } from './button.tsx';
import { toastError } from './toast.tsx';

const SHOWN_MS = 1_500;

function useCopy(text: string | (() => string)) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      await copyText(typeof text === 'string' ? text : text());
      setCopied(true);
    } catch {
      toastError(new Error('could not copy: select the text and copy it yourself'));
    }
  };
  return { copied, copy };
}

/** The clipboard of the browser needs https or localhost. On plain http, a selected field does it. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'fixed opacity-0';
  (document.querySelector('[role="dialog"]') ?? document.body).append(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  if (!done) throw new Error('not copied');
}

interface CopyProps {
  text: string | (() => string);
  /** What is copied, such as "token". */
  what: string;
}

export function CopyButton({ text, what, ...rest }: CopyProps & { size?: 'sm' | 'md' }) {
  const { copied, copy } = useCopy(text);
  return (
    <>
      <IconButton label={copied ? 'Copied' : `Copy ${what}`} onClick={copy} {...rest}>
        {copied ? <Check className="text-accent" aria-hidden /> : <Copy aria-hidden />}
      </IconButton>
      <Announcement copied={copied} />
    </>
  );
}

/** Beside the button: what is inside one, screen readers take for its name. */
function Announcement({ copied }: { copied: boolean }) {
  return (
    <span role="status" className="sr-only">
      {copied && 'Copied'}
    </span>
  );
}

/** A secret or an address in full, with a button to copy it. */
export function CopyField({ text, what }: { text: string; what: string }) {
  const { copied, copy } = useCopy(text);
  return (
    <div className="flex items-stretch gap-2">
      <code className="min-w-0 flex-1 rounded-md bg-sunken px-3 py-2 font-mono text-sm break-all ring-1 ring-line ring-inset select-all">
        {text}
      </code>
      <Button
        onClick={copy}
        icon={copied ? <Check aria-hidden /> : <Copy aria-hidden />}
        aria-label={`Copy ${what}`}
        className="h-auto! min-h-9"
      >
        {copied ? 'Copied' : 'Copy'}
      </Button>
      <Announcement copied={copied} />
    </div>
  );
}
