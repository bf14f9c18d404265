import { FileUp } from 'lucide-react';
import { type DragEvent, useState } from 'react';
import { cx } from '../../ui/cx.ts';
import { ACCEPTED, MEGABYTES_MAX } from './upload.ts';

interface FileFieldProps {
  file: File | null;
  onFile: (file: File) => void;
}

/** Takes a file by choosing or dropping it. */
export function FileField({ file, onFile }: FileFieldProps) {
  const [over, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [dropped] = event.dataTransfer.files;
    if (dropped) onFile(dropped);
  };
  return (
    <label
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={cx(
        'relative flex cursor-pointer flex-col items-center gap-1 rounded-lg border-2 border-dashed px-5 py-8 text-center focus-within:outline-2 focus-within:outline-accent hover:bg-hover',
        over ? 'border-accent bg-accent-soft' : 'border-edge',
      )}
    >
      <FileUp className="size-6 text-accent" aria-hidden />
      <span className="max-w-full truncate font-medium" title={file?.name}>
        {file ? file.name : 'Choose a file, or drop it here'}
      </span>
      <span className="text-sm text-mute">
        {file ? `${sizeOf(file)} · Choose another one` : `CSV, JSON or JSON Lines, up to ${MEGABYTES_MAX} MB`}
      </span>
      <input
        type="file"
        aria-label="File"
        accept={ACCEPTED}
        className="absolute inset-0 cursor-pointer opacity-0"
        onChange={({ target }) => {
          const [chosen] = target.files ?? [];
          if (chosen) onFile(chosen);
          target.value = '';
        }}
      />
    </label>
  );
}

function sizeOf({ size }: File): string {
  if (size < 1024) return `${size} bytes`;
  return size < 1024 ** 2 ? `${(size / 1024).toFixed(1)} kB` : `${(size / 1024 ** 2).toFixed(1)} MB`;
}
