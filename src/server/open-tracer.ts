import type { Config } from '../config/config.ts';
import type { ClosableTracer, TracerParts } from './tracer.ts';

/** Loaded only if there is a collector. */
export async function openTracer(
  { tracing }: Config,
  parts: TracerParts,
): Promise<ClosableTracer | undefined> {
  if (!tracing) return undefined;
  const { createTracer } = await import('./tracer.ts');
  return createTracer(tracing, parts);
}
