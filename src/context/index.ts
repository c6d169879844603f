export * from './budget';
export * from './cell';
export * from './gather';
export * from './tokens';
export * from './windows';
