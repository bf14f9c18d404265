import { useEffect, useRef, useState } from 'react';
import { BASE_PATH } from '../base-path.ts';

interface MailFrameProps {
  /** The HTML of an email. It may come from strangers: the frame has no origin and runs none of its scripts. */
  html: string;
  title: string;
  /** The width that the email sees. */
  width: number;
  /** Where there is less space: a smaller picture of it (`scale`), or the email as it looks there (`adapt`). */
  fit?: 'scale' | 'adapt';
}

const LEAST_HEIGHT = 160;
const MOST_HEIGHT = 6_000;

/** An email as a mail program shows it, as tall as it is. */
export function MailFrame({ html, title, width: wanted, fit = 'scale' }: MailFrameProps) {
  const around = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const [ready, setReady] = useState(0);
  const [height, setHeight] = useState(LEAST_HEIGHT);
  const [space, setSpace] = useState(wanted);
  useEffect(() => {
    const listen = ({ source, data }: MessageEvent) => {
      if (source !== frame.current?.contentWindow) return;
      if (data?.mailFrame === 'ready') setReady((count) => count + 1);
      if (typeof data?.mailHeight === 'number')
        setHeight(Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, Math.ceil(data.mailHeight))));
    };
    addEventListener('message', listen);
    return () => removeEventListener('message', listen);
  }, []);
  useEffect(() => {
    // A frame without an origin can only be addressed as "*". The policy lets no other page into it.
    if (ready > 0) frame.current?.contentWindow?.postMessage({ mail: html }, '*');
  }, [html, ready]);
  useEffect(() => {
    const element = around.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setSpace(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const width = fit === 'adapt' ? Math.min(wanted, space) : wanted;
  const scale = Math.min(1, space / width);
  return (
    <div ref={around} className="min-w-0 overflow-hidden" style={{ height: height * scale }}>
      <iframe
        ref={frame}
        title={title}
        src={`${BASE_PATH}/mail-frame`}
        sandbox="allow-scripts"
        referrerPolicy="no-referrer"
        className="block origin-top-left border-0"
        style={{
          width,
          height,
          transform: `scale(${scale})`,
          marginLeft: Math.max(0, (space - width * scale) / 2),
        }}
      />
    </div>
  );
}
