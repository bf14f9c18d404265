import { useEffect } from 'react';

/** Stands in for `next/script`, which adds the script when the page is hydrated. Next.js itself would be 300 MB. */
export default function Script({ src }) {
  useEffect(() => {
    const script = document.createElement('script');
    script.src = src;
    document.body.append(script);
  }, [src]);
  return null;
}
