export * from './blocks';
export * from './pieces';
export * from './pipeline';
export * from './registry';
export * from './renderers';
export * from './slices';
export * from './streaming';
export * from './visibility';
