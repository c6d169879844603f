export * from './budget';
export * from './gather';
export * from './tokens';
export * from './windows';
