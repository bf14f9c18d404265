import type { Operation } from './core/operation.ts';
import { waves } from './waves/waves.ts';

/** Every operation that is declared, in the order of the reference. */
export const OPERATIONS: readonly Operation[] = [...waves];
