import { availableParallelism, totalmem } from 'node:os';

/** Of a process with the servers and the browser that it starts. */
const PROCESS_BYTES = 1.5 * 1024 ** 3;

/** How many test processes run side by side: a bit more than processors, as some tests mostly wait. */
export function processesFor(
  processors = availableParallelism(),
  memoryBytes = process.constrainedMemory() || totalmem(),
): number {
  const byMemory = Math.floor(Math.min(memoryBytes, totalmem()) / PROCESS_BYTES);
  return Math.max(1, Math.min(processors + 1, byMemory));
}
