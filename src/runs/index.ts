export * from './api';
export * from './chunks';
export * from './live';
export * from './reply';
export * from './socket';
export * from './types';
