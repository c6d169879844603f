export * from './chatfile';
export * from './landing';
export * from './lifecycle';
export * from './marks';
export * from './metadata';
export * from './reply';
export * from './state';
export * from './versions';
