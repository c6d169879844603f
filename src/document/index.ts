export * from './chatfile';
export * from './landing';
export * from './metadata';
export * from './reply';
export * from './state';
